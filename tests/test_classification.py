"""Token dropout hides what it should, and a classifier's file is all it needs."""

import subprocess
import sys

import keras
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import layers

from course_utils.classification import (
    TextClassifier,
    TokenDropout,
    zero_init_residual_branches,
)
from course_utils.layers import (
    MaskedGlobalMaxPooling1D,
    PositionalEmbedding,
    TransformerEncoder,
)
from course_utils.text.vectorizers import WordVectorizer

TEXTS = ["Good film.", "A bad film!", "Not good, not bad: a film."]


@pytest.fixture
def classifier():
    keras.utils.set_random_seed(0)
    vectorizer = WordVectorizer.train(TEXTS, 20)
    inputs = keras.Input((None,), dtype="int64")
    x = TokenDropout(0.3, seed=0)(inputs)
    x = PositionalEmbedding(8, vectorizer.vocabulary_size, 4)(x)
    x = TransformerEncoder(4, 8, 2)(x)
    x = layers.Concatenate()(
        [layers.GlobalAveragePooling1D()(x), MaskedGlobalMaxPooling1D()(x)]
    )
    model = keras.Model(inputs, layers.Dense(1, activation="sigmoid")(x))
    return TextClassifier(vectorizer, model, max_length=8)


def test_a_quiet_block_begins_as_the_identity_and_learns():
    x = np.random.default_rng(0).normal(size=(2, 5, 4)).astype("float32")
    block = TransformerEncoder(4, 8, 2, norm_first=True)
    assert np.abs(np.asarray(block(x)) - x).max() > 0.01
    zero_init_residual_branches(block)
    np.testing.assert_array_equal(np.asarray(block(x)), x)
    model = keras.Sequential([keras.Input((5, 4)), block])
    model.compile("sgd", "mse")
    model.fit(x, -x, verbose=0)
    assert np.abs(np.asarray(block(x)) - x).max() > 0


def test_a_post_norm_block_cannot_begin_as_the_identity():
    block = TransformerEncoder(4, 8, 2)
    block.build((None, None, 4))
    with pytest.raises(ValueError, match="norm_first=True"):
        zero_init_residual_branches(block)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.integers(0, 50), min_size=1, max_size=30), st.floats(0, 0.99))
def test_token_dropout_keeps_padding_and_only_writes_unknown(ids, rate):
    ids = np.array([ids])
    layer = TokenDropout(rate, seed=0)
    hidden = keras.ops.convert_to_numpy(layer(ids, training=True))
    assert ((hidden == ids) | ((hidden == 1) & (ids != 0))).all()
    np.testing.assert_array_equal(layer(ids), ids)


def test_token_dropout_hides_the_share_it_should_and_anew_each_time():
    layer = TokenDropout(0.3, seed=0)
    ids = np.full((100, 100), 7)
    first, second = (np.asarray(layer(ids, training=True)) for _ in range(2))
    assert abs((first == 1).mean() - 0.3) < 0.02
    assert (first != second).any()


@pytest.mark.parametrize("rate", [-0.1, 1.0, 3])
def test_an_impossible_rate_is_refused(rate):
    with pytest.raises(ValueError, match=f"rate is {rate}"):
        TokenDropout(rate)


def test_the_config_of_token_dropout_is_complete():
    layer = TokenDropout(0.3, seed=4)
    again = TokenDropout.from_config(layer.get_config())
    assert (again.rate, again.seed) == (0.3, 4)


def test_predictions_do_not_depend_on_the_batch(classifier):
    together = classifier.predict_texts(TEXTS, batch_size=3)
    alone = [classifier.predict_texts([text])[0] for text in TEXTS]
    small = classifier.predict_texts(TEXTS, batch_size=2)
    np.testing.assert_allclose(together, alone, atol=1e-6)
    np.testing.assert_allclose(together, small, atol=1e-6)


def test_long_texts_keep_their_beginning_and_end(classifier):
    middle = " ".join(["film"] * 30)
    one, other = classifier.predict_texts(
        [
            f"not good not a {middle} bad film good not",
            "not good not a bad film good not",
        ]
    )
    assert one == pytest.approx(other, abs=1e-6)


@pytest.mark.parametrize(
    "texts, message",
    [
        ("a film", r"TextClassifier: texts is one string; pass a list"),
        (["a film", 3], "TextClassifier: 3 is not a string"),
    ],
)
def test_what_is_no_list_of_strings_is_refused(classifier, texts, message):
    with pytest.raises(ValueError, match=message):
        classifier.predict_texts(texts)


def test_a_text_without_words_is_named(classifier):
    with pytest.raises(ValueError, match="'!!' has no words"):
        classifier.predict_texts(["Good film.", "!!"])


def test_saving_warns_of_nothing_and_a_fresh_process_predicts_the_same(
    classifier, tmp_path, recwarn
):
    path = tmp_path / "classifier.keras"
    classifier.save(path)
    assert not [w for w in recwarn if "built" in str(w.message)]
    code = (
        "import sys, keras, course_utils.classification\n"
        "model = keras.models.load_model(sys.argv[1])\n"
        "print(*model.predict_texts(sys.argv[2:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path), *TEXTS],
        capture_output=True,
        text=True,
        check=True,
    )
    found = [float(word) for word in done.stdout.split()]
    np.testing.assert_allclose(found, classifier.predict_texts(TEXTS), atol=1e-6)

"""Token dropout hides what it should, and a classifier's file is all it needs."""

import keras
import layer_battery as lb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import layers

from course_utils import classification
from course_utils.attention.blocks import MaskedGlobalMaxPooling1D, TransformerEncoder
from course_utils.attention.positions import PositionalEmbedding
from course_utils.classification import TextClassifier, TokenDropout
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
    pools = layers.GlobalAveragePooling1D(), MaskedGlobalMaxPooling1D()
    x = layers.Concatenate()([pool(x) for pool in pools])
    model = keras.Model(inputs, layers.Dense(1, activation="sigmoid")(x))
    return TextClassifier(vectorizer, model, max_length=8)


def test_a_quiet_block_begins_as_the_identity_and_learns():
    x = np.random.default_rng(0).normal(size=(2, 5, 4)).astype("float32")
    block = TransformerEncoder(4, 8, 2, norm_first=True)
    assert np.abs(np.asarray(block(x)) - x).max() > 0.01
    classification.zero_init_residual_branches(block)
    np.testing.assert_array_equal(np.asarray(block(x)), x)
    model = keras.Sequential([keras.Input((5, 4)), block])
    model.compile("sgd", "mse")
    model.fit(x, -x, verbose=0)
    assert np.abs(np.asarray(block(x)) - x).max() > 0


@settings(max_examples=20)
@given(st.lists(st.integers(0, 50), min_size=1, max_size=30), st.floats(0, 0.99))
def test_token_dropout_keeps_padding_and_only_writes_unknown(ids, rate):
    ids = np.array([ids])
    layer = TokenDropout(rate, seed=0)
    hidden = keras.ops.convert_to_numpy(layer(ids, training=True))
    assert ((hidden == ids) | ((hidden == 1) & (ids != 0))).all()
    np.testing.assert_array_equal(layer(ids), ids)


def test_token_dropout_hides_at_its_rate_and_anew_each_time():
    layer = TokenDropout.from_config(TokenDropout(0.3, seed=4).get_config())
    assert layer.seed == 4
    ids = np.full((100, 100), 7)
    first, second = (np.asarray(layer(ids, training=True)) for _ in range(2))
    assert abs((first == 1).mean() - 0.3) < 0.02
    assert (first != second).any()


def test_predictions_do_not_depend_on_the_batch(classifier):
    alone = [classifier.predict_texts([text])[0] for text in TEXTS]
    for size in (2, 3):
        together = classifier.predict_texts(TEXTS, batch_size=size)
        np.testing.assert_allclose(together, alone, atol=1e-6)


def test_long_texts_keep_their_beginning_and_end(classifier):
    beginning, middle, end = "not good not a ", "film " * 30, "bad film good not"
    texts = [beginning + middle + end, beginning + end]
    one, other = classifier.predict_texts(texts)
    assert one == pytest.approx(other, abs=1e-6)


def test_a_fresh_process_predicts_the_same(classifier, tmp_path, recwarn):
    cases = {"classifier": (classifier, np.array([[2, 3, 4, 0], [3, 2, 2, 5]]))}
    lb.check_saved(tmp_path, cases, "course_utils.classification")
    assert not [w for w in recwarn if "built" in str(w.message)]
    loaded = keras.models.load_model(tmp_path / "classifier.keras")
    expected = classifier.predict_texts(TEXTS)
    np.testing.assert_allclose(loaded.predict_texts(TEXTS), expected, atol=1e-6)


@pytest.mark.parametrize("rate", [-0.1, 1.0, 3])
def test_an_impossible_rate_of_token_dropout_is_refused(rate):
    with pytest.raises(ValueError, match=f"rate is {rate}"):
        TokenDropout(rate)


def test_only_blocks_that_normalise_first_start_as_nothing():
    block = TransformerEncoder(4, 8, 2, norm_first=False)
    block.build((None, None, 4))
    with pytest.raises(ValueError, match="norm_first=True"):
        classification.zero_init_residual_branches(block)


@pytest.mark.parametrize(
    "texts, said",
    [
        ("a film", "texts is one string"),
        (["a film", 3], "3 is not a string"),
        (["Good film.", "!!"], "'!!' has no words"),
    ],
)
def test_texts_that_cannot_be_classified_are_refused(texts, said):
    vectorizer = WordVectorizer.train(["Good film.", "A bad film!"], 20)
    with pytest.raises(ValueError, match=said):
        TextClassifier(vectorizer, None).predict_texts(texts)

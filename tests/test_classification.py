"""Token dropout hides what it should; a quiet block begins as the identity."""

import keras
import layer_battery as lb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import layers

from course_utils import classification
from course_utils.attention.pooling import MaskedGlobalMaxPooling1D
from course_utils.attention.transformer import PositionalEmbedding, TransformerEncoder
from course_utils.classification import TokenDropout


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


def test_a_model_with_token_dropout_loads_in_a_fresh_process(tmp_path):
    inputs = keras.Input((None,), dtype="int64")
    x = TokenDropout(0.3, seed=0)(inputs)
    x = PositionalEmbedding(8, 20, 4)(x)
    x = TransformerEncoder(4, 8, 2)(x)
    pools = layers.GlobalAveragePooling1D(), MaskedGlobalMaxPooling1D()
    x = layers.Concatenate()([pool(x) for pool in pools])
    model = keras.Model(inputs, layers.Dense(1, activation="sigmoid")(x))
    cases = {"classifier": (model, np.array([[2, 3, 4, 0], [3, 2, 2, 5]]))}
    lb.check_saved(tmp_path, cases, "course_utils.classification")


@pytest.mark.parametrize("rate", [-0.1, 1.0, 3])
def test_an_impossible_rate_of_token_dropout_is_refused(rate):
    with pytest.raises(ValueError, match=f"rate is {rate}"):
        TokenDropout(rate)


def test_only_blocks_that_normalise_first_start_as_nothing():
    block = TransformerEncoder(4, 8, 2, norm_first=False)
    block.build((None, None, 4))
    with pytest.raises(ValueError, match="norm_first=True"):
        classification.zero_init_residual_branches(block)


@pytest.mark.parametrize("num_blocks", [0, 1, 2])
def test_the_plain_classifier_knows_neither_order_nor_padding(num_blocks):
    model = classification.plain_classifier(20, 8, num_blocks)
    ids = np.array([[3, 4, 5, 6]])
    expected = model(ids)
    np.testing.assert_allclose(model(ids[:, ::-1]), expected, atol=1e-6)
    padded = np.array([[3, 4, 5, 6, 0, 0]])
    np.testing.assert_allclose(model(padded), expected, atol=1e-6)

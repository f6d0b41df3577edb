"""MaskedGlobalMaxPooling1D: the maximum over real tokens only."""

import keras
import layer_battery as lb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import layers, ops

from course_utils.attention.pooling import MaskedGlobalMaxPooling1D
from course_utils.attention.transformer import PositionalEmbedding, TransformerEncoder

D, V = 8, 20


def classifier(pooling):
    """Return a model of token ids that ends in ``pooling``."""
    inputs = keras.Input((None,), dtype="int64")
    x = PositionalEmbedding(16, V, D)(inputs)
    x = TransformerEncoder(D, 16, 2)(x)
    outputs = layers.Dense(1)(pooling(x))
    return lb.randomize(keras.Model(inputs, outputs))


def assert_padding_changes_nothing(model):
    ids = lb.padded_ids([2, 5])
    expected = model(ids)
    for extra in (1, 6):
        np.testing.assert_allclose(model(lb.lengthen(ids, extra)), expected, atol=1e-5)
    np.testing.assert_allclose(model(ids[:1, :2])[0], expected[0], atol=1e-5)


def test_battery():
    lb.battery(MaskedGlobalMaxPooling1D, lb.random_array(2, 5, D), weights=0)


def test_padding_changes_nothing():
    with lb.no_warnings():
        assert_padding_changes_nothing(classifier(MaskedGlobalMaxPooling1D()))


def test_pooling_over_padding_is_caught():
    """Keras's own layer has no mask argument: padding may win the maximum."""
    lost = pytest.warns(UserWarning, match="destroy the mask")
    with lost, pytest.raises(AssertionError):
        assert_padding_changes_nothing(classifier(layers.GlobalMaxPooling1D()))


@given(
    lengths=st.lists(st.integers(0, 5), min_size=1, max_size=4),
    width=st.integers(1, 4),
    scale=st.sampled_from([1e-3, 1.0, 1e6]),
    seed=st.integers(0, 99),
)
@settings(max_examples=30, derandomize=True)
def test_equals_the_loop(lengths, width, scale, seed):
    mask = lb.padded_ids(lengths, total=6) != 0
    x = scale * (lb.random_array(*mask.shape, width, seed=seed) - 2.0)
    pooled = MaskedGlobalMaxPooling1D()(x, mask=mask)
    for row, length in enumerate(lengths):
        expected = x[row, :length].max(axis=0) if length else np.zeros(width)
        np.testing.assert_array_equal(pooled[row], expected)


def test_without_a_mask_equals_keras_and_no_mask_goes_on():
    x, layer = lb.random_array(3, 5, D), MaskedGlobalMaxPooling1D()
    np.testing.assert_array_equal(layer(x), layers.GlobalMaxPooling1D()(x))
    pooled = layer(PositionalEmbedding(16, V, D)(lb.padded_ids([2])))
    assert getattr(pooled, "_keras_mask", None) is None


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_with_a_mask(dtype):
    mask = lb.padded_ids([2, 0], total=4) != 0
    layer = MaskedGlobalMaxPooling1D(dtype=f"mixed_{dtype}")
    pooled = layer(ops.cast(np.full((2, 4, 3), -6e4), dtype), mask=mask)
    assert lb.dtype_of(pooled) == dtype
    expected = lb.to_numpy(ops.cast([[-6e4] * 3, [0] * 3], dtype))
    np.testing.assert_array_equal(lb.to_numpy(pooled), expected)


def test_gradient_reaches_the_winners_only():
    mask = np.array([[True, True, False], [False, False, False]])
    x = keras.Variable([[[1.0], [2.0], [3.0]]] * 2)
    layer = MaskedGlobalMaxPooling1D()
    (gradient,) = lb.gradients(lambda: ops.sum(layer(x.value, mask=mask)), [x])
    found = lb.to_numpy(gradient)[..., 0]
    np.testing.assert_array_equal(found, [[0, 1, 0], [0, 0, 0]])

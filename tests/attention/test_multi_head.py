"""Scaled dot-product attention and MultiHeadAttention against loops and Keras."""

from functools import partial

import keras
import layer_battery as lb
import numpy as np
import pytest
import reference_weights as rw
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import layers, ops
from scored_layers import QUERY, VALUE, D

from course_utils.attention import MultiHeadAttention, scaled_dot_product_attention
from course_utils.attention.transformer import causal_mask, masked_softmax

H = 2
# (B, T, S): every query may see some keys, not the same ones.
MASK = np.random.default_rng(3).random((3, 4, 6)) < 0.5
MASK[..., 0] = True


def attention_loop(query, key, value, mask):
    """Equation 1 of Vaswani et al. for one sequence, one query, one key at a time."""
    output = np.zeros((len(query), value.shape[-1]))
    weights = np.zeros((len(query), len(key)))
    for t in range(len(query)):
        allowed = np.flatnonzero(mask[t])
        powers = {s: np.exp(query[t] @ key[s] / np.sqrt(len(key[s]))) for s in allowed}
        for s in allowed:
            weights[t, s] = powers[s] / sum(powers.values())
            output[t] += weights[t, s] * value[s]
    return output, weights


def built(*inputs):
    """Return a layer with random weights."""
    return lb.built(partial(MultiHeadAttention, D, H), inputs)


def keras_twin(layer, query, value):
    """Return ``keras.layers.MultiHeadAttention`` with the weights of ``layer``."""
    twin = layers.MultiHeadAttention(num_heads=H, key_dim=D // H)
    twin(query, value)
    twin.set_weights(rw.keras_attention(layer))
    return twin


def test_battery():
    inputs = lb.random_array(2, 4, D), lb.random_array(2, 6, D, seed=1)
    make = partial(MultiHeadAttention, D, H)
    lb.battery(make, *inputs, weights=4 * (D * D + D), scores=True)


@pytest.mark.parametrize("masked", [False, True])
def test_attention_equals_the_loop(masked):
    mask = MASK if masked else np.ones_like(MASK)
    given = [QUERY, VALUE, VALUE + 1, mask]
    found = scaled_dot_product_attention(*given[:3], mask if masked else None)
    for row, rows in enumerate(zip(*given, strict=True)):
        lb.assert_close([one[row] for one in found], attention_loop(*rows))
    unscaled, _ = scaled_dot_product_attention(QUERY * D**0.5, *given[1:])
    assert np.abs(unscaled - found[0]).max() > 0.01  # a missing √d is seen


@pytest.mark.parametrize("masked", [False, True])
def test_equals_keras(masked):
    layer, mask = built(QUERY, VALUE), MASK if masked else None
    options = dict(attention_mask=mask, return_attention_scores=True)
    theirs = keras_twin(layer, QUERY, VALUE)(QUERY, VALUE, **options)
    lb.assert_close(layer(QUERY, VALUE, **options), theirs)


def test_both_masks_count():
    layer, real = built(QUERY, VALUE), lb.padded_ids([4, 4, 4], total=6) != 0
    together = layer(QUERY, VALUE, attention_mask=MASK, value_mask=real)
    joined = layer(QUERY, VALUE, attention_mask=MASK & real[:, None])
    np.testing.assert_array_equal(together, joined)
    alone = layer(QUERY, VALUE, attention_mask=MASK)
    assert np.abs(lb.to_numpy(together) - lb.to_numpy(alone)).max() > 1e-3


def test_row_with_everything_masked_is_finite():
    nothing = np.zeros((3, 4, 6), bool)
    options = dict(attention_mask=nothing, return_attention_scores=True)
    output, weights = built(QUERY, VALUE)(QUERY, VALUE, **options)
    assert np.isfinite(output).all()
    np.testing.assert_allclose(weights, 1 / 6, rtol=1e-6)


def test_a_single_key_gets_all_the_weight_without_a_warning():
    with lb.no_warnings():
        weights = masked_softmax(lb.random_array(2, 3, 1))
    np.testing.assert_array_equal(weights, np.ones((2, 3, 1)))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_softmax_survives_large_scores(dtype):
    scores = ops.cast([[3e4, -3e4, 3e4]], dtype)
    weights = masked_softmax(scores, np.array([[True, True, False]]))
    assert keras.backend.standardize_dtype(weights.dtype) == dtype
    np.testing.assert_array_equal(lb.to_numpy(weights), [[1.0, 0.0, 0.0]])


@given(
    shape=st.tuples(*[st.integers(1, 5)] * 3),
    seed=st.integers(0, 99),
    share=st.floats(0, 1),
    scale=st.sampled_from([0.1, 1.0, 30.0]),
)
@settings(max_examples=25, derandomize=True)
def test_any_mask_gives_rows_that_sum_to_one(shape, seed, share, scale):
    generator = np.random.default_rng(seed)
    scores = (scale * generator.normal(size=shape)).astype("float32")
    mask = generator.random(shape) < share
    weights = lb.to_numpy(masked_softmax(scores, mask))
    np.testing.assert_allclose(weights.sum(-1), 1.0, rtol=1e-5)
    some = mask.any(-1, keepdims=True)
    assert (weights[~mask & some] == 0).all()
    assert (weights >= 0).all()


@pytest.mark.parametrize("target, source", [(1, 1), (4, 4), (2, 5), (5, 2)])
def test_causal_mask_is_a_lower_triangle(target, source):
    expected = np.tril(np.ones((target, source), dtype=bool))[None]
    np.testing.assert_array_equal(causal_mask(target, source), expected)

"""Scaled dot-product attention and MultiHeadAttention against loops and Keras."""

import keras
import layer_battery as lb
import numpy as np
import pytest
import reference_weights as rw
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import layers, ops

from course_utils.attention import multi_head as mh

D, H = 8, 2


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


def built(query, value, **options):
    """Return a layer with random weights, built for these inputs."""
    layer = mh.MultiHeadAttention(D, H, **options)
    layer(query, value)
    return lb.randomize(layer)


def keras_twin(layer, query, value):
    """Return ``keras.layers.MultiHeadAttention`` with the weights of ``layer``."""
    twin = layers.MultiHeadAttention(num_heads=H, key_dim=D // H)
    twin(query, value)
    twin.set_weights(rw.keras_attention(layer))
    return twin


@pytest.fixture
def mask():
    """(3, 4, 6): every query may see some keys, not the same ones."""
    mask = np.random.default_rng(3).random((3, 4, 6)) < 0.5
    mask[..., 0] = True
    return mask


def test_battery():
    lb.battery(
        lambda **options: mh.MultiHeadAttention(D, H, **options),
        lb.random_array(2, 4, D),
        lb.random_array(2, 6, D, seed=1),
        weights=4 * (D * D + D),
        scores=True,
    )


@pytest.mark.parametrize("masked", [False, True])
def test_attention_equals_the_loop(query, value, mask, masked):
    mask = mask if masked else np.ones_like(mask)
    given = [query, value, value + 1, mask]
    found = mh.scaled_dot_product_attention(*given[:3], mask if masked else None)
    for row, rows in enumerate(zip(*given, strict=True)):
        for one, other in zip(found, attention_loop(*rows), strict=True):
            np.testing.assert_allclose(one[row], other, **lb.TOLERANCE)
    unscaled, _ = mh.scaled_dot_product_attention(query * D**0.5, *given[1:])
    assert np.abs(unscaled - found[0]).max() > 0.01  # a missing √d is seen


@pytest.mark.parametrize("masked", [False, True])
def test_equals_keras(query, value, mask, masked):
    layer, mask = built(query, value), mask if masked else None
    options = dict(attention_mask=mask, return_attention_scores=True)
    ours = layer(query, value, **options)
    theirs = keras_twin(layer, query, value)(query, value, **options)
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one, other, **lb.TOLERANCE)


def test_mask_of_the_value_is_used_by_itself():
    """As in Keras's own layer; the caller hands over nothing."""
    ids = lb.padded_ids([2, 4, 3])
    embedded = layers.Embedding(20, D, mask_zero=True)(ids)
    query = lb.random_array(3, 4, D)
    layer = built(query, ops.convert_to_numpy(embedded))
    output, weights = layer(query, embedded, return_attention_scores=True)
    seen = np.broadcast_to((ids != 0)[:, None, None, :], weights.shape)
    np.testing.assert_array_equal(lb.to_numpy(weights) > 0, seen)
    twin = keras_twin(layer, query, lb.to_numpy(embedded))
    np.testing.assert_allclose(output, twin(query, embedded), **lb.TOLERANCE)


def test_both_masks_count(query, value, mask):
    layer, real = built(query, value), lb.padded_ids([4, 4, 4], total=6) != 0
    together = layer(query, value, attention_mask=mask, value_mask=real)
    joined = layer(query, value, attention_mask=mask & real[:, None])
    np.testing.assert_array_equal(together, joined)
    alone = layer(query, value, attention_mask=mask)
    assert np.abs(lb.to_numpy(together) - lb.to_numpy(alone)).max() > 1e-3


def test_row_with_everything_masked_is_finite(query, value):
    options = dict(attention_mask=np.zeros((3, 4, 6), bool))
    layer = built(query, value)
    output, weights = layer(query, value, return_attention_scores=True, **options)
    assert np.isfinite(output).all()
    np.testing.assert_allclose(weights, 1 / 6, rtol=1e-6)


def test_a_single_key_gets_all_the_weight_without_a_warning():
    with lb.no_warnings():
        weights = mh.masked_softmax(lb.random_array(2, 3, 1))
    np.testing.assert_array_equal(weights, np.ones((2, 3, 1)))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_softmax_survives_large_scores(dtype):
    scores = ops.cast([[3e4, -3e4, 3e4]], dtype)
    weights = mh.masked_softmax(scores, np.array([[True, True, False]]))
    assert keras.backend.standardize_dtype(weights.dtype) == dtype
    np.testing.assert_array_equal(lb.to_numpy(weights), [[1.0, 0.0, 0.0]])


@given(
    shape=st.tuples(*[st.integers(1, 5)] * 3),
    seed=st.integers(0, 99),
    share=st.floats(0, 1),
    scale=st.sampled_from([0.1, 1.0, 30.0]),
)
@settings(max_examples=25, derandomize=True, deadline=None)
def test_any_mask_gives_rows_that_sum_to_one(shape, seed, share, scale):
    generator = np.random.default_rng(seed)
    scores = (scale * generator.normal(size=shape)).astype("float32")
    mask = generator.random(shape) < share
    weights = lb.to_numpy(mh.masked_softmax(scores, mask))
    np.testing.assert_allclose(weights.sum(-1), 1.0, rtol=1e-5)
    some = mask.any(-1, keepdims=True)
    assert (weights[~mask & some] == 0).all()
    assert (weights >= 0).all()


@pytest.mark.parametrize("target, source", [(1, 1), (4, 4), (2, 5), (5, 2)])
def test_causal_mask_is_a_lower_triangle(target, source):
    expected = np.tril(np.ones((target, source), dtype=bool))[None]
    np.testing.assert_array_equal(mh.causal_mask(target, source), expected)

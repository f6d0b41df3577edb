"""Rotary positions: equal to KerasHub's, scores depend on the distance only."""

from functools import partial

import keras_hub
import layer_battery as lb
import numpy as np
import pytest

from course_utils.attention import MultiHeadAttention, scaled_dot_product_attention
from course_utils.attention.rotary import RotaryAttention, rotate
from course_utils.layers import RotaryTransformerEncoder

D, F, H = 8, 16, 2
X = lb.random_array(3, 5, D)


@pytest.mark.parametrize("start, base", [(0, 10_000), (7, 10_000), (0, 100.0)])
def test_equals_kerashub(start, base):
    x = lb.random_array(2, 3, 9, 6)  # (B, H, T, d)
    theirs = keras_hub.layers.RotaryEmbedding(max_wavelength=base, sequence_axis=2)
    lb.assert_close(rotate(x, start, base), theirs(x, start_index=start))


def test_products_depend_on_the_distance_and_lengths_stay():
    query, key = (np.tile(lb.random_array(D, seed=s), (50, 1)) for s in (0, 1))
    queries, keys = lb.to_numpy((rotate(query), rotate(key)))
    for distance in (0, 1, 20):
        diagonal = np.diagonal(queries @ keys.T, distance)
        np.testing.assert_allclose(diagonal, diagonal[0], atol=1e-4)
    assert abs(queries[0] @ keys[1] - queries[1] @ keys[0]) > 0.1  # before, after
    np.testing.assert_allclose((queries**2).sum(-1), (query**2).sum(-1), rtol=1e-4)


def test_queries_and_keys_are_turned_but_not_values():
    weights = 4 * (D * D + D)
    lb.battery(partial(RotaryAttention, D, H), X, X, weights=weights)
    layer = lb.built(partial(RotaryAttention, D, H), (X, X))
    queries = MultiHeadAttention.project_queries(layer, X)
    keys, values = MultiHeadAttention.project_keys_values(layer, X)
    mixed, _ = scaled_dot_product_attention(rotate(queries), rotate(keys), values)
    lb.assert_close(layer(X, X), layer.output_dense(layer.merge_heads(mixed)))
    with pytest.raises(ValueError, match="each head has 3 columns"):
        RotaryAttention(6, 2)


def test_the_block_sees_the_order_and_no_padding():
    make = partial(RotaryTransformerEncoder, D, F, H)
    count = 4 * (D * D + D) + 2 * D * F + F + D + 4 * D
    lb.battery(make, X, weights=count, scores=True)
    block, mask = make(), np.arange(5) < np.array([[3], [5], [1]])
    short = lb.to_numpy(block(X, mask=mask))
    longer = np.pad(X, ((0, 0), (0, 4), (0, 0)), constant_values=3.0)
    long = lb.to_numpy(block(longer, mask=np.pad(mask, ((0, 0), (0, 4)))))[:, :5]
    lb.assert_close(long[mask], short[mask])
    backwards = lb.to_numpy(block(X[:, ::-1]))[:, ::-1]
    assert np.abs(backwards - lb.to_numpy(block(X))).max() > 1e-3

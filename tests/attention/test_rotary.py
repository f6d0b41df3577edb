"""Rotary positions: equal to KerasHub's, scores depend on the distance only."""

import keras_hub
import layer_battery as lb
import numpy as np
import pytest

from course_utils.attention.blocks import TransformerEncoder
from course_utils.attention.multi_head import (
    MultiHeadAttention,
    scaled_dot_product_attention,
)
from course_utils.attention.rotary import (
    RotaryAttention,
    RotaryTransformerEncoder,
    rotate,
)

D, F, H = 8, 16, 2


@pytest.mark.parametrize("start, base", [(0, 10_000), (7, 10_000), (0, 100.0)])
def test_equals_kerashub(start, base):
    x = lb.random_array(2, 3, 9, 6)  # (B, H, T, d)
    theirs = keras_hub.layers.RotaryEmbedding(max_wavelength=base, sequence_axis=2)
    expected = theirs(x, start_index=start)
    np.testing.assert_allclose(rotate(x, start, base), expected, **lb.TOLERANCE)


def test_products_depend_on_the_distance_and_lengths_stay():
    query, key = (np.tile(lb.random_array(D, seed=s), (50, 1)) for s in (0, 1))
    products = lb.to_numpy(rotate(query)) @ lb.to_numpy(rotate(key)).T  # (T, T)
    for distance in (0, 1, 20):
        diagonal = np.diagonal(products, distance)
        np.testing.assert_allclose(diagonal, diagonal[0], atol=1e-4)
    assert abs(products[0, 1] - products[1, 0]) > 0.1  # before is not after
    norms = np.linalg.norm(lb.to_numpy(rotate(query)), axis=-1)
    np.testing.assert_allclose(norms, np.linalg.norm(query, axis=-1), **lb.TOLERANCE)


def test_battery_and_what_attends():
    x = lb.random_array(3, 4, D)
    weights = 4 * (D * D + D)
    lb.battery(lambda **o: RotaryAttention(D, H, **o), x, x, weights=weights)
    layer = RotaryAttention(D, H)
    layer(x, x)
    lb.randomize(layer)
    queries = MultiHeadAttention.project_queries(layer, x)
    keys, values = MultiHeadAttention.project_keys_values(layer, x)
    mixed, _ = scaled_dot_product_attention(rotate(queries), rotate(keys), values)
    expected = layer.output_dense(layer.merge_heads(mixed))
    np.testing.assert_allclose(layer(x, x), expected, **lb.TOLERANCE)


def test_block_battery_and_it_is_not_the_plain_block():
    x, blocks = lb.random_array(3, 4, D), []
    for kind in (RotaryTransformerEncoder, TransformerEncoder):
        blocks.append(kind(D, F, H, norm_first=True))
        blocks[-1](x)
        lb.randomize(blocks[-1])
    rotary, plain = (lb.to_numpy(block(x)) for block in blocks)
    assert np.abs(rotary - plain).max() > 0.01
    count = sum(w.size for w in blocks[1].get_weights())

    def make(**options):
        return RotaryTransformerEncoder(D, F, H, **options)

    lb.battery(make, x, weights=count, scores=True)


def test_padding_changes_nothing_and_order_does():
    x, block = lb.random_array(2, 5, D), RotaryTransformerEncoder(D, F, H)
    mask = np.arange(5) < np.array([[3], [5]])
    short = lb.to_numpy(block(x, mask=mask))
    longer = np.pad(x, ((0, 0), (0, 4), (0, 0)), constant_values=3.0)
    mask = np.pad(mask, ((0, 0), (0, 4)))
    long = lb.to_numpy(block(longer, mask=mask))[:, :5]
    np.testing.assert_allclose(long[mask[:, :5]], short[mask[:, :5]], **lb.TOLERANCE)
    backwards = lb.to_numpy(block(x[:, ::-1]))[:, ::-1]
    assert np.abs(backwards - lb.to_numpy(block(x))).max() > 1e-3


def test_odd_heads_are_refused():
    with pytest.raises(ValueError, match="each head has 3 columns"):
        RotaryAttention(6, 2)

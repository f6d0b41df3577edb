"""An attention mask of any shape that broadcasts means what Keras means by it."""

import re
from functools import partial

import keras
import layer_battery as lb
import numpy as np
import pytest
import reference_weights as rw
from keras import layers

from course_utils.attention import MultiHeadAttention, ScoredAttention

B, H, T, S, D = 3, 2, 4, 6, 8
QUERY = lb.random_array(B, T, D)
VALUE = lb.random_array(B, S, D, seed=1)
SHAPES = [(T, S), (1, S), (T, 1), (B, T, S), (1, T, S), (B, 1, S), (1, 1, S)]
HEAD_SHAPES = [(B, H, T, S), (B, 1, T, S), (1, H, T, S), (1, H, 1, S)]
WRONG_SHAPES = [
    (),
    (S,),
    (S, T),
    (T, S + 1),
    (T + 1, S),
    (B + 1, T, S),
    (H, T, S),
    (B, B, T, S),
    (1, 1, 1, T, S),
]


def random_mask(shape):
    """Return booleans of a shape, with a key for each query."""
    mask = np.random.default_rng(3).random(shape) < 0.5
    if shape:
        mask[..., 0] = True
    return mask


def built_attention():
    return lb.built(partial(MultiHeadAttention, D, H), (QUERY, VALUE))


def keras_attention(layer):
    """Return Keras's own layer with the weights of ours."""
    theirs = layers.MultiHeadAttention(num_heads=H, key_dim=D // H)
    theirs(QUERY, VALUE)
    theirs.set_weights(rw.keras_attention(layer))
    return theirs


@pytest.mark.parametrize("shape", SHAPES + HEAD_SHAPES, ids=str)
def test_multi_head_attention_reads_a_mask_as_keras_does(shape):
    layer = built_attention()
    options = dict(attention_mask=random_mask(shape), return_attention_scores=True)
    expected = keras_attention(layer)(QUERY, VALUE, **options)
    lb.assert_close(layer(QUERY, VALUE, **options), expected)


@pytest.mark.parametrize("shape", SHAPES + HEAD_SHAPES, ids=str)
def test_multi_head_attention_joins_a_mask_with_the_padding_of_the_value(shape):
    layer = built_attention()
    mask = random_mask(shape)
    real = lb.padded_ids([6, 4, 2], total=S) != 0
    _, weights = layer(
        QUERY, VALUE, mask, value_mask=real, return_attention_scores=True
    )
    four_axes = mask.reshape((1,) * (2 - mask.ndim) + mask.shape)
    if mask.ndim == 3:
        four_axes = mask[:, None]
    seen = np.broadcast_to(four_axes & real[:, None, None, :], (B, H, T, S))
    np.testing.assert_array_equal(lb.to_numpy(weights) > 0, seen)


def test_each_head_gets_the_whole_causal_mask_when_there_are_as_many_as_positions():
    x = lb.random_array(1, H, D)
    _, weights = lb.built(partial(MultiHeadAttention, D, H), (x, x))(
        x, x, attention_mask=np.tri(H, dtype=bool), return_attention_scores=True
    )
    expected = np.broadcast_to(np.tri(H, dtype=bool), (1, H, H, H))
    np.testing.assert_array_equal(lb.to_numpy(weights) > 0, expected)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_scored_attention_reads_a_mask_as_keras_does(shape):
    mask = random_mask(shape)
    options = dict(attention_mask=mask, return_attention_scores=True)
    output, weights = ScoredAttention("dot")(QUERY, VALUE, **options)
    scores = QUERY @ VALUE.swapaxes(1, 2)
    scores = np.where(np.broadcast_to(mask, scores.shape), scores, -1e9)
    expected = lb.to_numpy(keras.ops.softmax(scores))
    lb.assert_close(weights, expected)
    lb.assert_close(output, expected @ VALUE)


@pytest.mark.parametrize("shape", WRONG_SHAPES, ids=str)
def test_multi_head_attention_refuses_a_mask_that_does_not_fit(shape):
    layer = built_attention()
    sentence = rf"MultiHeadAttention: attention_mask has shape {re.escape(str(shape))}"
    with pytest.raises(ValueError, match=sentence):
        layer(QUERY, VALUE, attention_mask=random_mask(shape))


@pytest.mark.parametrize("shape", [*WRONG_SHAPES, (B, H, T, S)], ids=str)
def test_scored_attention_refuses_a_mask_that_does_not_fit(shape):
    sentence = rf"ScoredAttention: attention_mask has shape {re.escape(str(shape))}"
    with pytest.raises(ValueError, match=sentence):
        ScoredAttention("dot")(QUERY, VALUE, attention_mask=random_mask(shape))


def test_a_mask_works_in_a_functional_model_of_open_lengths():
    layer = built_attention()
    query = keras.Input((None, D))
    value = keras.Input((None, D))
    mask = keras.Input((None, None), dtype="bool")
    model = keras.Model([query, value, mask], layer(query, value, attention_mask=mask))
    given = random_mask((B, T, S))
    expected = layer(QUERY, VALUE, attention_mask=given)
    lb.assert_close(model([QUERY, VALUE, given]), lb.to_numpy(expected))


@pytest.mark.parametrize(
    "layer",
    [MultiHeadAttention(D, H), ScoredAttention("dot")],
    ids=["multi_head", "scored"],
)
def test_a_mask_of_one_size_works_in_a_functional_model_of_open_lengths(layer):
    mask = random_mask((T, S))
    query = keras.Input((None, D))
    value = keras.Input((None, D))
    outputs = layer(query, value, attention_mask=mask, return_attention_scores=True)
    found = keras.Model([query, value], outputs)([QUERY, VALUE])
    expected = layer(QUERY, VALUE, attention_mask=mask, return_attention_scores=True)
    lb.assert_close(found, lb.to_numpy(expected))

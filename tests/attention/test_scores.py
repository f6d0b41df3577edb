"""Score functions against plain loops and Keras's layers; masks."""

from functools import partial

import keras
import layer_battery as lb
import numpy as np
import pytest
import scored_layers
from keras import layers, ops
from scored_layers import QUERY, REAL, VALUE, B, D, S, T, U, built, loop_attention, make

from course_utils.attention import scores
from course_utils.attention.scored_attention import SELECTIONS, WINDOWS
from course_utils.attention.scores import SCORES
from course_utils.attention.transformer import MultiHeadAttention


@pytest.mark.parametrize(
    "score, window, weights",
    [(score, None, scored_layers.WEIGHTS[score]) for score in SCORES]
    + [("dot", "monotonic", 0), ("dot", "predictive", D * U + U)],
)
def test_battery(score, window, weights):
    some = partial(make, score, window=window)
    lb.battery(some, QUERY[:2], VALUE[:2], weights=weights, scores=True)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("masked", [False, True])
def test_layer_equals_the_loop(score, masked):
    layer, mask = built(QUERY, VALUE, score), REAL if masked else None
    found = layer(QUERY, VALUE, value_mask=mask, return_attention_scores=True)
    seen = np.broadcast_to(REAL[:, None] | (not masked), (B, T, S))
    np.testing.assert_array_equal(lb.to_numpy(found[1]) > 0, seen)
    for row in range(B):
        expected = loop_attention(layer, QUERY[row], VALUE[row], seen[row])
        lb.assert_close([one[row] for one in found], expected)


def test_scores_differ_from_each_other():
    """The loop above would see one score taken for another."""
    found = [lb.to_numpy(built(QUERY, VALUE, score)(QUERY, VALUE)) for score in SCORES]
    for i, one in enumerate(found):
        assert all(np.abs(one - other).max() > 1e-3 for other in found[:i])


@pytest.mark.parametrize("score", ["additive", "location", "general"])
def test_widths_may_differ_where_the_score_allows_it(score):
    value = lb.random_array(B, S, D + 3)
    assert built(QUERY, value, score)(QUERY, value).shape == (B, T, D + 3)


def test_cosine_of_zeros_is_finite_with_its_gradient():
    zeros = keras.Variable(np.zeros((1, 2, D), "float32"))
    found = scores.cosine_score(zeros.value, zeros.value)
    np.testing.assert_array_equal(lb.to_numpy(found), np.zeros((1, 2, 2)))

    def total():
        return ops.sum(scores.cosine_score(zeros.value, zeros.value))

    (gradient,) = lb.gradients(total, [zeros])
    assert np.isfinite(lb.to_numpy(gradient)).all()


@pytest.mark.parametrize("score", ["dot", "scaled_dot", "additive"])
def test_equals_keras_attention(score):
    layer = built(QUERY, VALUE, score)
    if score == "additive":  # Keras's layer has v only: it gets projected inputs
        w = {weight.name: lb.to_numpy(weight) for weight in layer.weights}
        theirs, scale = layers.AdditiveAttention(), w["v"]
        inputs = [QUERY @ w["w_query"], VALUE, VALUE @ w["w_keys"]]
    else:
        theirs, inputs = layers.Attention(use_scale=True), [QUERY, VALUE, VALUE]
        scale = np.array(1.0 if score == "dot" else D**-0.5)
    theirs.build([x.shape for x in inputs])
    theirs.set_weights([scale])
    expected = theirs(inputs, mask=[None, REAL, None], return_attention_scores=True)
    found = layer(QUERY, VALUE, value_mask=REAL, return_attention_scores=True)
    lb.assert_close(found, expected)


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("score", SCORES)
def test_padding_changes_nothing(score, window):
    layer = built(QUERY, VALUE, score, window=window)
    expected = lb.to_numpy(layer(QUERY, VALUE, value_mask=REAL))
    longer = np.concatenate([VALUE, np.full((B, 3, D), 50.0, "float32")], axis=1)
    mask = np.concatenate([REAL, np.zeros((B, 3), bool)], axis=1)
    lb.assert_close(layer(QUERY, longer, value_mask=mask), expected)
    alone = layer(QUERY[1:2], VALUE[1:2, :4])  # without any padding
    lb.assert_close(alone, expected[1:2])


@pytest.mark.parametrize(
    "layer", [make("additive"), MultiHeadAttention(D, 2)], ids=["scored", "multi_head"]
)
def test_mask_of_the_value_arrives_by_itself_and_that_of_the_query_travels_on(layer):
    """As in Keras's own layer; the caller hands over nothing."""
    ids = [lb.padded_ids([3, 2]), lb.padded_ids([1, 5])]
    inputs = [keras.Input((None,), dtype="int64"), keras.Input((5,), dtype="int64")]
    embedding = layers.Embedding(20, D, mask_zero=True)

    def attend(ids):
        return layer(*map(embedding, ids), return_attention_scores=True)

    with lb.no_warnings():
        both = attend(ids), keras.Model(inputs, attend(inputs))(ids)
    for output, weights in both:
        weights = np.moveaxis(lb.to_numpy(weights), 0, -2)  # (..., T, B, S)
        assert ((weights > 0) == (ids[1] != 0)).all()
        travelled = ops.convert_to_numpy(output._keras_mask)
        np.testing.assert_array_equal(travelled, ids[0] != 0)


@pytest.mark.parametrize("targets", [1, 9])
@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("score", SCORES)
def test_rows_sum_to_one_for_any_length(score, window, selection, targets):
    """From nothing but padding, where the output is finite, to all keys real."""
    query, value = lb.random_array(S + 1, targets, D), lb.random_array(S + 1, S, D)
    layer = built(query, value, score, window=window, selection=selection)
    real = np.tri(S + 1, S, -1, dtype=bool)  # row n has n real keys
    options = dict(value_mask=real, return_attention_scores=True)
    output, weights = layer(query, value, **options)
    assert np.isfinite(output).all()
    weights = lb.to_numpy(weights)
    np.testing.assert_allclose(weights.sum(-1), 1.0, rtol=1e-5)
    assert (weights[1:].swapaxes(1, 2)[~real[1:]] == 0).all()

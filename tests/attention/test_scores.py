"""Score functions against plain loops and Keras's layers; masks."""

import keras
import layer_battery as lb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import layers, ops
from scored_layers import WEIGHTS, B, D, S, T, U, built, loop_attention, make

from course_utils.attention import scores
from course_utils.attention.multi_head import MultiHeadAttention
from course_utils.attention.scored_attention import SELECTIONS, WINDOWS
from course_utils.attention.scores import SCORES


@pytest.mark.parametrize(
    "score, window, weights",
    [(score, None, WEIGHTS[score]) for score in SCORES]
    + [("dot", "monotonic", 0), ("dot", "predictive", D * U + U)],
)
def test_battery(score, window, weights):
    lb.battery(
        lambda **options: make(score, window=window, **options),
        lb.random_array(2, T, D),
        lb.random_array(2, S, D, seed=1),
        weights=weights,
        scores=True,
    )


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("masked", [False, True])
def test_layer_equals_the_loop(score, masked, query, value, real):
    layer, mask = built(query, value, score), real if masked else None
    found = layer(query, value, value_mask=mask, return_attention_scores=True)
    seen = np.broadcast_to(real[:, None] | (not masked), (B, T, S))
    np.testing.assert_array_equal(lb.to_numpy(found[1]) > 0, seen)
    for row in range(B):
        expected = loop_attention(layer, query[row], value[row], seen[row])
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one[row], other, **lb.TOLERANCE)


def test_scores_differ_from_each_other(query, value):
    """The loop above would see one score taken for another."""
    found = [lb.to_numpy(built(query, value, score)(query, value)) for score in SCORES]
    for i, one in enumerate(found):
        assert all(np.abs(one - other).max() > 1e-3 for other in found[:i])


@pytest.mark.parametrize("score", ["additive", "location", "general"])
def test_widths_may_differ_where_the_score_allows_it(score, query):
    value = lb.random_array(B, S, D + 3)
    assert built(query, value, score)(query, value).shape == (B, T, D + 3)


def test_cosine_of_zeros_is_finite_with_its_gradient():
    zeros = keras.Variable(np.zeros((1, 2, D), "float32"))
    found = scores.cosine_score(zeros.value, zeros.value)
    np.testing.assert_array_equal(lb.to_numpy(found), np.zeros((1, 2, 2)))

    def total():
        return ops.sum(scores.cosine_score(zeros.value, zeros.value))

    (gradient,) = lb.gradients(total, [zeros])
    assert np.isfinite(lb.to_numpy(gradient)).all()


@pytest.mark.parametrize("score", ["dot", "scaled_dot", "additive"])
def test_equals_keras_attention(score, query, value, real):
    layer = built(query, value, score)
    if score == "additive":  # Keras's layer has v only: it gets projected inputs
        w = {weight.name: lb.to_numpy(weight) for weight in layer.weights}
        theirs, scale = layers.AdditiveAttention(), w["v"]
        inputs = [query @ w["w_query"], value, value @ w["w_keys"]]
    else:
        theirs, inputs = layers.Attention(use_scale=True), [query, value, value]
        scale = np.array(1.0 if score == "dot" else D**-0.5)
    theirs.build([x.shape for x in inputs])
    theirs.set_weights([scale])
    expected = theirs(inputs, mask=[None, real, None], return_attention_scores=True)
    found = layer(query, value, value_mask=real, return_attention_scores=True)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, **lb.TOLERANCE)


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("score", SCORES)
def test_padding_changes_nothing(score, window, query, value, real):
    layer = built(query, value, score, window=window)
    expected = lb.to_numpy(layer(query, value, value_mask=real))
    longer = np.concatenate([value, np.full((B, 3, D), 50.0, "float32")], axis=1)
    mask = np.concatenate([real, np.zeros((B, 3), bool)], axis=1)
    found = lb.to_numpy(layer(query, longer, value_mask=mask))
    np.testing.assert_allclose(found, expected, **lb.TOLERANCE)
    alone = lb.to_numpy(layer(query[1:2], value[1:2, :4]))  # without any padding
    np.testing.assert_allclose(alone[0], expected[1], **lb.TOLERANCE)


@pytest.mark.parametrize(
    "layer", [make("additive"), MultiHeadAttention(D, 2)], ids=["scored", "multi_head"]
)
def test_mask_of_the_value_arrives_by_itself_and_that_of_the_query_travels_on(layer):
    with lb.no_warnings():
        one, other = keras.Input((None,), dtype="int64"), keras.Input((5,))
        embedding = layers.Embedding(20, D, mask_zero=True)
        inputs = embedding(one), embedding(other)
        outputs = layer(*inputs, return_attention_scores=True)
        model = keras.Model([one, other], outputs)
        output, weights = model([lb.padded_ids([3, 2]), lb.padded_ids([1, 5])])
    assert (lb.to_numpy(weights)[0, ..., 1:] == 0).all()
    travelled = ops.convert_to_numpy(output._keras_mask)
    np.testing.assert_array_equal(travelled, lb.padded_ids([3, 2]) != 0)


@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("score", SCORES)
def test_all_padding_is_finite(score, window, selection, query, value):
    layer = built(query, value, score, window=window, selection=selection)
    nothing = np.zeros((B, S), bool)
    output, weights = layer(
        query, value, value_mask=nothing, return_attention_scores=True
    )
    assert np.isfinite(output).all()
    np.testing.assert_allclose(lb.to_numpy(weights).sum(-1), 1.0, rtol=1e-5)


@given(
    score=st.sampled_from(SCORES),
    window=st.sampled_from(WINDOWS),
    selection=st.sampled_from(["soft", "argmax"]),
    lengths=st.lists(st.integers(0, S), min_size=B, max_size=B),
    targets=st.integers(1, 9),
)
@settings(max_examples=25, derandomize=True, deadline=None)
def test_rows_sum_to_one(score, window, selection, lengths, targets):
    query, value = lb.random_array(B, targets, D), lb.random_array(B, S, D, seed=5)
    layer = built(query, value, score, window=window, selection=selection)
    mask = np.arange(S)[None] < np.array(lengths)[:, None]
    _, weights = layer(query, value, value_mask=mask, return_attention_scores=True)
    weights = lb.to_numpy(weights)
    np.testing.assert_allclose(weights.sum(-1), 1.0, rtol=1e-5)
    for row, length in zip(weights, lengths, strict=True):
        assert length == 0 or (row[:, length:] == 0).all()

"""Local windows equal plain loops; a hard choice takes one key."""

import layer_battery as lb
import numpy as np
from scored_layers import B, S, T, built, loop_attention, make

from course_utils.attention.scores import hard_weights


def test_monotonic_window_equals_the_loop(query, value, real):
    layer = built(query, value, "general", window="monotonic", half_width=1)
    output = layer(query, value, value_mask=real)
    for row in range(B):
        places = np.minimum(np.arange(T), real[row].sum() - 1)
        inside = np.abs(np.arange(S)[None] - places[:, None]) <= 1
        expected, _ = loop_attention(layer, query[row], value[row], inside & real[row])
        np.testing.assert_allclose(output[row], expected, **lb.TOLERANCE)


def test_predictive_window_equals_the_loop(query, value, real):
    layer = built(query, value, "dot", window="predictive", half_width=2)
    output = layer(query, value, value_mask=real)
    w = {weight.name: lb.to_numpy(weight) for weight in layer.weights}
    for row in range(B):
        share = 1 / (1 + np.exp(-np.tanh(query[row] @ w["w_place"]) @ w["v_place"]))
        distance = np.arange(S)[None] - (real[row].sum() * share)[:, None]
        allowed = (np.abs(distance) <= 2) & real[row]
        bonus = -(distance**2) / (2 * 1.0**2)
        expected, _ = loop_attention(layer, query[row], value[row], allowed, bonus)
        np.testing.assert_allclose(output[row], expected, **lb.TOLERANCE)


def test_monotonic_window_can_start_anywhere(query, value):
    layer = built(query, value, "dot", window="monotonic", half_width=1)
    whole = lb.to_numpy(layer(query, value))
    for t in range(T):
        step = layer(query[:, t : t + 1], value, positions=np.array([t]))
        np.testing.assert_allclose(step[:, 0], whole[:, t], **lb.TOLERANCE)


def test_window_as_wide_as_the_source_is_global(query, value):
    narrow = make("dot", window="monotonic", half_width=S)(query, value)
    np.testing.assert_allclose(narrow, make("dot")(query, value), **lb.TOLERANCE)


def test_argmax_takes_one_value(query, value):
    _, soft = make("dot")(query, value, return_attention_scores=True)
    layer = make("dot", selection="argmax")
    output, weights = layer(query, value, return_attention_scores=True)
    best = lb.to_numpy(soft).argmax(-1)
    np.testing.assert_array_equal(lb.to_numpy(weights).argmax(-1), best)
    expected = np.take_along_axis(value, best[..., None], axis=1)
    np.testing.assert_allclose(output, expected, **lb.TOLERANCE)


def test_first_of_equal_weights_is_taken():
    found = lb.to_numpy(hard_weights(np.array([[0.4, 0.4, 0.2]], "float32")))
    np.testing.assert_array_equal(found, [[1, 0, 0]])


def test_samples_follow_the_weights():
    weights = np.tile(np.array([[0.0, 0.25, 0.75]], "float32"), (4000, 1))
    found = lb.to_numpy(hard_weights(weights, seed=1))
    np.testing.assert_array_equal(found.sum(-1), 1)
    np.testing.assert_allclose(found.mean(0), weights[0], atol=0.03)
    assert found[:, 0].sum() == 0
    np.testing.assert_array_equal(found, lb.to_numpy(hard_weights(weights, seed=1)))


def test_sampling_layer_has_no_more_weights_and_repeats_with_its_seed(query, value):
    layers = [make("dot", selection="sample", seed=3) for _ in range(2)]
    np.testing.assert_array_equal(*[layer(query, value) for layer in layers])
    layer = layers[0]
    assert layer.count_params() == 0
    assert type(layer).from_config(layer.get_config()).get_config()["seed"] == 3

"""Local windows equal plain loops; a hard choice takes one key."""

import layer_battery as lb
import numpy as np
import pytest
from scored_layers import QUERY, REAL, VALUE, S, T, built, loop_attention, make

from course_utils.attention.scores import hard_weights

LOCAL = [("general", "monotonic", 1), ("dot", "predictive", 2)]


@pytest.mark.parametrize("score, window, half", LOCAL)
def test_a_window_equals_the_loop(score, window, half):
    layer = built(QUERY, VALUE, score, window=window, half_width=half)
    output = layer(QUERY, VALUE, value_mask=REAL)
    w = {weight.name: lb.to_numpy(weight) for weight in layer.weights}
    for row, length in enumerate(REAL.sum(axis=1)):
        place, bonus = np.minimum(np.arange(T), length - 1), None
        if window == "predictive":
            share = np.tanh(QUERY[row] @ w["w_place"]) @ w["v_place"]
            place = length / (1 + np.exp(-share))
        distance = np.arange(S) - place[:, None]
        if window == "predictive":
            bonus = -(distance**2) / (2 * 1.0**2)
        allowed = (np.abs(distance) <= half) & REAL[row]
        expected, _ = loop_attention(layer, QUERY[row], VALUE[row], allowed, bonus)
        lb.assert_close(output[row], expected)


def test_monotonic_window_can_start_anywhere():
    layer = built(QUERY, VALUE, "dot", window="monotonic", half_width=1)
    whole = lb.to_numpy(layer(QUERY, VALUE))
    for t in range(T):
        step = layer(QUERY[:, t : t + 1], VALUE, positions=np.array([t]))
        lb.assert_close(step[:, 0], whole[:, t])


def test_window_as_wide_as_the_source_is_global():
    narrow = make("dot", window="monotonic", half_width=S)(QUERY, VALUE)
    lb.assert_close(narrow, make("dot")(QUERY, VALUE))


def test_argmax_takes_one_value():
    _, soft = make("dot")(QUERY, VALUE, return_attention_scores=True)
    layer = make("dot", selection="argmax")
    output, weights = layer(QUERY, VALUE, return_attention_scores=True)
    best = lb.to_numpy(soft).argmax(-1)
    np.testing.assert_array_equal(lb.to_numpy(weights).argmax(-1), best)
    lb.assert_close(output, np.take_along_axis(VALUE, best[..., None], axis=1))


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


def test_sampling_layer_has_no_more_weights_and_repeats_with_its_seed():
    layers = [make("dot", selection="sample", seed=3) for _ in range(2)]
    np.testing.assert_array_equal(*[layer(QUERY, VALUE) for layer in layers])
    layer = layers[0]
    assert layer.count_params() == 0
    assert type(layer).from_config(layer.get_config()).get_config()["seed"] == 3

"""Exercises of lesson 02: right answers are accepted, likely mistakes rejected."""

from types import SimpleNamespace

import numpy as np
import pytest
from exercise_battery import accepts, agrees, rejects
from keras import ops
from numpy import array, log, zeros

from course_utils.kit.checks import lesson_02 as checks
from course_utils.kit.checks.answers import lesson_02 as answers

# update_bias


def update_bias_straight_line(steps):
    z = 1 - 0.5 / steps  # wrong
    return np.log(z / (1 - z))


def update_bias_no_inverse_sigmoid(steps):
    z = 0.5 ** (1 / steps)
    return z  # wrong


def update_bias_wrong_sign(steps):
    z = 0.5 ** (1 / steps)
    return -np.log(z / (1 - z))  # wrong


@pytest.mark.parametrize(
    "wrong, says",
    [
        (update_bias_straight_line, "ten steps"),
        (update_bias_no_inverse_sigmoid, "which b"),
        (update_bias_wrong_sign, "ten"),
        (lambda steps: np.log(steps / np.log(2)), ""),  # about right, for many steps
    ],
)
def test_update_bias_rejects(wrong, says):
    rejects(checks.update_bias, wrong, says)


def test_update_bias_accepts():
    accepts(checks.update_bias, answers.update_bias)


# ½ after one step is σ(0); after two steps z = √½.
@pytest.mark.parametrize(
    "arguments, value",
    [((1,), 0.0), ((2,), log(0.5**0.5 / (1 - 0.5**0.5)))],
)
def test_update_bias_by_hand(arguments, value):
    agrees(answers.update_bias, arguments, value)


STATES = array([[1.0]]), array([[2.0]])

HALF = array([[1.0]]), STATES, zeros((1, 4)), zeros((1, 4))

# f = σ(log 3) = ¾, the other gates are ½ and g = tanh 1: c becomes ¾ · 2 + ½ tanh 1.
C = 1.5 + 0.5 * np.tanh(1)


# lstm_step


def lstm_step_gates_interleaved(x, states, kernel, recurrent_kernel, bias):
    h, c = states
    sums = x @ kernel + h @ recurrent_kernel + bias  # (B, 4 U)
    i, f, g, o = (sums[:, 4 * n : 4 * n + 4] for n in range(4))  # wrong
    c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
    return ops.sigmoid(o) * ops.tanh(c), c


def lstm_step_forget_gate_first(x, states, kernel, recurrent_kernel, bias):
    h, c = states
    sums = x @ kernel + h @ recurrent_kernel + bias  # (B, 4 U)
    f, i, g, o = ops.split(sums, 4, axis=-1)  # wrong
    c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
    return ops.sigmoid(o) * ops.tanh(c), c


def lstm_step_output_gate_before_candidate(x, states, kernel, recurrent_kernel, bias):
    h, c = states
    sums = x @ kernel + h @ recurrent_kernel + bias  # (B, 4 U)
    i, f, o, g = ops.split(sums, 4, axis=-1)  # wrong
    c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
    return ops.sigmoid(o) * ops.tanh(c), c


def lstm_step_sigmoid_candidate(x, states, kernel, recurrent_kernel, bias):
    h, c = states
    sums = x @ kernel + h @ recurrent_kernel + bias  # (B, 4 U)
    i, f, g, o = ops.split(sums, 4, axis=-1)  # each (B, U)
    c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.sigmoid(g)  # wrong
    return ops.sigmoid(o) * ops.tanh(c), c


def lstm_step_no_last_tanh(x, states, kernel, recurrent_kernel, bias):
    h, c = states
    sums = x @ kernel + h @ recurrent_kernel + bias  # (B, 4 U)
    i, f, g, o = ops.split(sums, 4, axis=-1)  # each (B, U)
    c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
    return ops.sigmoid(o) * c, c  # wrong


def lstm_step_no_recurrent_part(x, states, kernel, recurrent_kernel, bias):
    h, c = states
    sums = x @ kernel + bias  # wrong
    i, f, g, o = ops.split(sums, 4, axis=-1)  # each (B, U)
    c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
    return ops.sigmoid(o) * ops.tanh(c), c


def lstm_step_returns_h_only(x, states, kernel, recurrent_kernel, bias):
    h, c = states
    sums = x @ kernel + h @ recurrent_kernel + bias  # (B, 4 U)
    i, f, g, o = ops.split(sums, 4, axis=-1)  # each (B, U)
    c = ops.sigmoid(f) * c + ops.sigmoid(i) * ops.tanh(g)
    return ops.sigmoid(o) * ops.tanh(c)  # wrong


@pytest.mark.parametrize(
    "wrong, says",
    [
        (lstm_step_gates_interleaved, ""),
        (lstm_step_forget_gate_first, "what stays in c"),
        (lstm_step_output_gate_before_candidate, "and h"),
        (lstm_step_sigmoid_candidate, "o, tanh"),
        (lstm_step_no_last_tanh, ""),
        (lstm_step_no_recurrent_part, "all weights"),
        (lstm_step_returns_h_only, ""),
    ],
)
def test_lstm_step_rejects(wrong, says):
    rejects(checks.lstm_step, wrong, says)


def test_lstm_step_accepts():
    accepts(checks.lstm_step, answers.lstm_step)


@pytest.mark.parametrize(
    "arguments, value",
    [
        ((*HALF, array([0.0, log(3), 1.0, 0.0])), (0.5 * np.tanh([[C]]), [[C]])),
    ],
)
def test_lstm_step_by_hand(arguments, value):
    agrees(answers.lstm_step, arguments, value)


# One unit, no input: z = σ(log 3) = ¾, r = ½, and the candidate is tanh(½ (1 · 1 + 2)).
ONE = array([[0.0]]), array([[1.0]]), zeros((1, 3)), array([[0.0, 0.0, 1.0]])

BIASES = array([[log(3), 0.0, 0.0], [0.0, 0.0, 2.0]])


# mended_step


def mended_step_update_gate_ignores_state(x, h, kernel, recurrent_kernel, bias):
    x_z, x_r, x_c = ops.split(x @ kernel + bias[0], 3, axis=-1)
    h_z, h_r, h_c = ops.split(h @ recurrent_kernel + bias[1], 3, axis=-1)
    z, r = ops.sigmoid(x_z), ops.sigmoid(x_r + h_r)  # wrong
    return z * h + (1 - z) * ops.tanh(x_c + r * h_c)


def mended_step_resets_old_state(x, h, kernel, recurrent_kernel, bias):
    x_z, x_r, x_c = ops.split(x @ kernel + bias[0], 3, axis=-1)
    h_z, h_r, h_c = ops.split(h @ recurrent_kernel + bias[1], 3, axis=-1)
    z, r = ops.sigmoid(x_z + h_z), ops.sigmoid(x_r + h_r)
    return z * r * h + (1 - z) * ops.tanh(x_c + r * h_c)  # wrong


def mended_step_one_bias_for_all(x, h, kernel, recurrent_kernel, bias):
    x_z, x_r, x_c = ops.split(x @ kernel + bias[0] + bias[1], 3, axis=-1)  # wrong
    h_z, h_r, h_c = ops.split(h @ recurrent_kernel, 3, axis=-1)  # wrong
    z, r = ops.sigmoid(x_z + h_z), ops.sigmoid(x_r + h_r)
    return z * h + (1 - z) * ops.tanh(x_c + r * h_c)


def mended_step_reset_gate_first(x, h, kernel, recurrent_kernel, bias):
    x_r, x_z, x_c = ops.split(x @ kernel + bias[0], 3, axis=-1)  # wrong
    h_z, h_r, h_c = ops.split(h @ recurrent_kernel + bias[1], 3, axis=-1)
    z, r = ops.sigmoid(x_z + h_z), ops.sigmoid(x_r + h_r)
    return z * h + (1 - z) * ops.tanh(x_c + r * h_c)


def mended_step_update_gate_reversed(x, h, kernel, recurrent_kernel, bias):
    x_z, x_r, x_c = ops.split(x @ kernel + bias[0], 3, axis=-1)
    h_z, h_r, h_c = ops.split(h @ recurrent_kernel + bias[1], 3, axis=-1)
    z, r = ops.sigmoid(x_z + h_z), ops.sigmoid(x_r + h_r)
    return (1 - z) * h + z * ops.tanh(x_c + r * h_c)  # wrong


def mended_step_no_reset(x, h, kernel, recurrent_kernel, bias):
    x_z, x_r, x_c = ops.split(x @ kernel + bias[0], 3, axis=-1)
    h_z, h_r, h_c = ops.split(h @ recurrent_kernel + bias[1], 3, axis=-1)
    z, r = ops.sigmoid(x_z + h_z), ops.sigmoid(x_r + h_r)
    return z * h + (1 - z) * ops.tanh(x_c + h_c)  # wrong


@pytest.mark.parametrize(
    "wrong, says",
    [
        (mended_step_update_gate_ignores_state, "z and r"),
        (mended_step_resets_old_state, "any state"),
        (mended_step_one_bias_for_all, "what r acts on"),
        (mended_step_reset_gate_first, ""),
        (mended_step_update_gate_reversed, "what z keeps"),
        (mended_step_no_reset, "any state"),
    ],
)
def test_mended_step_rejects(wrong, says):
    rejects(checks.mended_step, wrong, says)


def test_mended_step_accepts():
    accepts(checks.mended_step, answers.mended_step)


@pytest.mark.parametrize(
    "arguments, value",
    [
        ((*ONE, BIASES), [[0.75 + 0.25 * np.tanh(1.5)]]),
    ],
)
def test_mended_step_by_hand(arguments, value):
    agrees(answers.mended_step, arguments, value)


TOKENS, WROTE = array([[2, 5, 6], [2, 7, 0]]), array([[11, 0, 13], [14, 15, 16]])

# Stands in for a generator: 0.9, 0.1, 0.9 in the first row, 0.1, 0.9, 0.1 in the other.
DRAWS = SimpleNamespace(random=lambda shape: np.resize([0.9, 0.1], shape))


# mix_inputs


def mix_inputs_one_draw_a_column(tokens, wrote, rate, rng):
    own = np.concatenate([tokens[:, :1], wrote[:, :-1]], axis=1)  # (B, T)
    replaced = (rng.random(tokens.shape[1]) < rate) & (tokens != 0)  # wrong
    return np.where(replaced, own, tokens)


def mix_inputs_own_generator(tokens, wrote, rate, rng):
    own = np.concatenate([tokens[:, :1], wrote[:, :-1]], axis=1)  # (B, T)
    # wrong:
    replaced = (np.random.default_rng(0).random(tokens.shape) < rate) & (tokens != 0)
    return np.where(replaced, own, tokens)


def mix_inputs_changes_tokens_in_place(tokens, wrote, rate, rng):
    own = np.concatenate([tokens[:, :1], wrote[:, :-1]], axis=1)  # (B, T)
    replaced = (rng.random(tokens.shape) < rate) & (tokens != 0)
    tokens[replaced] = own[replaced]  # wrong
    return tokens  # wrong


def mix_inputs_spares_padding_written(tokens, wrote, rate, rng):
    own = np.concatenate([tokens[:, :1], wrote[:, :-1]], axis=1)  # (B, T)
    replaced = (rng.random(tokens.shape) < rate) & (tokens != 0) & (own != 0)  # wrong
    return np.where(replaced, own, tokens)


def mix_inputs_not_shifted_right(tokens, wrote, rate, rng):
    own = np.concatenate([tokens[:, :1], wrote[:, 1:]], axis=1)  # wrong
    replaced = (rng.random(tokens.shape) < rate) & (tokens != 0)
    return np.where(replaced, own, tokens)


def mix_inputs_not_shifted(tokens, wrote, rate, rng):
    own = np.concatenate([wrote], axis=1)  # wrong
    replaced = (rng.random(tokens.shape) < rate) & (tokens != 0)
    return np.where(replaced, own, tokens)


def mix_inputs_replaces_padding(tokens, wrote, rate, rng):
    own = np.concatenate([tokens[:, :1], wrote[:, :-1]], axis=1)  # (B, T)
    replaced = rng.random(tokens.shape) < rate  # wrong
    return np.where(replaced, own, tokens)


def mix_inputs_replaces_the_rest(tokens, wrote, rate, rng):
    own = np.concatenate([tokens[:, :1], wrote[:, :-1]], axis=1)  # (B, T)
    replaced = (rng.random(tokens.shape) > rate) & (tokens != 0)  # wrong
    return np.where(replaced, own, tokens)


def mix_inputs_one_draw_a_row(tokens, wrote, rate, rng):
    own = np.concatenate([tokens[:, :1], wrote[:, :-1]], axis=1)  # (B, T)
    replaced = (rng.random((len(tokens), 1)) < rate) & (tokens != 0)  # wrong
    return np.where(replaced, own, tokens)


@pytest.mark.parametrize(
    "wrong, says",
    [
        (mix_inputs_one_draw_a_column, "one for each token"),
        (mix_inputs_own_generator, "from rng"),
        (mix_inputs_changes_tokens_in_place, "a new array"),
        (mix_inputs_spares_padding_written, ""),
        (mix_inputs_not_shifted_right, "the shift"),
        (mix_inputs_not_shifted, "[start]"),
        (mix_inputs_replaces_padding, "padding"),
        (mix_inputs_replaces_the_rest, "nothing is replaced"),
        (mix_inputs_one_draw_a_row, "one for each token"),
        (lambda tokens, wrote, rate, rng: tokens if rate < 0.5 else wrote, ""),
    ],
)
def test_mix_inputs_rejects(wrong, says):
    rejects(checks.mix_inputs, wrong, says)


def test_mix_inputs_accepts():
    accepts(checks.mix_inputs, answers.mix_inputs)


@pytest.mark.parametrize(
    "arguments, value",
    [
        ((TOKENS, WROTE, 0.0, np.random.default_rng(0)), TOKENS),
        ((TOKENS, WROTE, 1.0, np.random.default_rng(0)), [[2, 11, 0], [2, 14, 0]]),
        ((TOKENS, WROTE, 0.5, DRAWS), [[2, 11, 6], [2, 7, 0]]),
    ],
)
def test_mix_inputs_by_hand(arguments, value):
    agrees(answers.mix_inputs, arguments, value)

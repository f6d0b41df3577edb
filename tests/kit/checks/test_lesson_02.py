"""Exercises of lesson 02: right answers are accepted, likely mistakes rejected."""

import numpy as np
import pytest
from exercise_battery import accepts, agrees, rejects
from keras import ops
from numpy import array, log, zeros

from course_utils.kit.checks import lesson_02 as checks
from course_utils.kit.checks.answers import lesson_02 as answers
from course_utils.text.vectorizers import START

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


# write_on


def write_on_without_start(model, source, beginning, length):
    state = model.encode(source)
    words = beginning if beginning.shape[1] else np.full((len(source), 1), START)
    written = []
    for _ in range(length):
        logits, state = model.decode(words, state)
        words = np.asarray(logits)[:, -1:].argmax(axis=-1)
        written.append(words)
    return np.concatenate(written, axis=1)


def write_on_first_logits(model, source, beginning, length):
    state = model.encode(source)
    start = np.full((len(source), 1), START)
    words = np.concatenate([start, beginning], axis=1)
    written = []
    for _ in range(length):
        logits, state = model.decode(words, state)
        words = np.asarray(logits)[:, :1].argmax(axis=-1)  # wrong
        written.append(words)
    return np.concatenate(written, axis=1)


def write_on_reads_all_again(model, source, beginning, length):
    state = model.encode(source)
    start = np.full((len(source), 1), START)
    words = np.concatenate([start, beginning], axis=1)
    for _ in range(length):
        logits, state = model.decode(words, state)  # wrong: from the start
        best = np.asarray(logits)[:, -1:].argmax(axis=-1)
        words = np.concatenate([words, best], axis=1)
    return words[:, 1 + beginning.shape[1] :]


def write_on_forgets_the_state(model, source, beginning, length):
    state = model.encode(source)
    start = np.full((len(source), 1), START)
    words = np.concatenate([start, beginning], axis=1)
    written = []
    for _ in range(length):
        logits, _ = model.decode(words, state)  # wrong
        words = np.asarray(logits)[:, -1:].argmax(axis=-1)
        written.append(words)
    return np.concatenate(written, axis=1)


def write_on_returns_the_beginning(model, source, beginning, length):
    return np.concatenate(  # wrong
        [beginning, answers.write_on(model, source, beginning, length)], axis=1
    )


def write_on_reads_all_again_rightly(model, source, beginning, length):
    """Begins anew for each token: slow, and right."""
    state = model.encode(source)
    start = np.full((len(source), 1), START)
    words = np.concatenate([start, beginning], axis=1)
    for _ in range(length):
        logits, _ = model.decode(words, state)
        best = np.asarray(logits)[:, -1:].argmax(axis=-1)
        words = np.concatenate([words, best], axis=1)
    return words[:, 1 + beginning.shape[1] :]


@pytest.mark.parametrize(
    "wrong, says",
    [
        (write_on_without_start, "[start], then"),
        (write_on_first_logits, "four tokens"),
        (write_on_reads_all_again, "the next call reads"),
        (write_on_forgets_the_state, "the state after"),
        (write_on_returns_the_beginning, ""),
    ],
)
def test_write_on_rejects(wrong, says):
    rejects(checks.write_on, wrong, says)


@pytest.mark.parametrize("right", [answers.write_on, write_on_reads_all_again_rightly])
def test_write_on_accepts(right):
    accepts(checks.write_on, right)


class Repeats:
    """Its state is the last id that it read; it writes the next higher id."""

    def encode(self, source):
        return np.zeros((len(source), 1), int)

    def decode(self, target, state):
        logits = np.eye(12)[np.asarray(target) + 1]  # (B, T, V)
        return logits, target[:, -1:]


@pytest.mark.parametrize(
    "arguments, value",
    [((Repeats(), array([[9]]), array([[4, 6]]), 3), [[7, 8, 9]])],
)
def test_write_on_by_hand(arguments, value):
    agrees(answers.write_on, arguments, value)

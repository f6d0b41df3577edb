"""Exercises of "Scaling up": right answers pass, likely mistakes do not."""

import numpy as np
import pytest
from exercise_battery import accepts, agrees, rejects

from course_utils.kit.checks import scaling_up as checks
from course_utils.kit.checks.answers import scaling_up as answers
from course_utils.kit.checks.answers.scaling_up import to_bfloat16

# training_bytes


def training_bytes_no_gradients(weights, slots, policy):
    number_bytes = 2 if policy == "bfloat16" else 4  # mixed_…: variables are float32
    return number_bytes * weights * (1 + slots)  # wrong


def training_bytes_slots_of_two_bytes(weights, slots, policy):
    number_bytes = 2 if policy == "bfloat16" else 4  # mixed_…: variables are float32
    return number_bytes * weights * 2 + number_bytes * slots  # wrong


def training_bytes_always_four(weights, slots, policy):
    number_bytes = 4  # wrong
    return number_bytes * weights * (1 + 1 + slots)


def training_bytes_mixed_is_half(weights, slots, policy):
    number_bytes = 2 if "bfloat16" in policy else 4  # wrong
    return number_bytes * weights * (1 + 1 + slots)


@pytest.mark.parametrize(
    "wrong, says",
    [
        (training_bytes_no_gradients, "gradients"),
        (training_bytes_slots_of_two_bytes, "as large as the weights"),
        (training_bytes_always_four, "without 'mixed'"),
        (training_bytes_mixed_is_half, "keeps weights"),
    ],
)
def test_training_bytes_rejects(wrong, says):
    rejects(checks.training_bytes, wrong, says)


def test_training_bytes_accepts():
    accepts(checks.training_bytes, answers.training_bytes)


@pytest.mark.parametrize(
    "arguments, value",
    [
        (
            (
                10,
                0,
                "float32",
            ),
            80,
        ),
        (
            (
                10,
                2,
                "bfloat16",
            ),
            80,
        ),
    ],
)
def test_training_bytes_by_hand(arguments, value):
    agrees(answers.training_bytes, arguments, value)


# best_checkpoints


def best_checkpoints_groups_rounded_down(blocks, inner, outer):
    peaks = [blocks // k * outer + k * inner for k in range(1, blocks + 1)]  # wrong
    best = int(np.argmin(peaks))
    return best + 1, peaks[best]


def best_checkpoints_inner_only(blocks, inner, outer):
    peaks = [-(-blocks // k) * outer + inner for k in range(1, blocks + 1)]  # wrong
    best = int(np.argmin(peaks))
    return best + 1, peaks[best]


def best_checkpoints_groups_only(blocks, inner, outer):
    peaks = [-(-blocks // k) + k * inner for k in range(1, blocks + 1)]  # wrong
    best = int(np.argmin(peaks))
    return best + 1, peaks[best]


def best_checkpoints_first_is_zero(blocks, inner, outer):
    peaks = [-(-blocks // k) * outer + k * inner for k in range(1, blocks + 1)]
    best = int(np.argmin(peaks))
    return best, peaks[best]  # wrong


def best_checkpoints_no_uneven_groups(blocks, inner, outer):
    # wrong:
    peaks = [
        -(-blocks // k) * outer + k * inner + 1e9 * (blocks % k > 0)
        for k in range(1, blocks + 1)
    ]
    best = int(np.argmin(peaks))
    return best + 1, peaks[best]


@pytest.mark.parametrize(
    "wrong, says",
    [
        (best_checkpoints_groups_rounded_down, ""),
        (best_checkpoints_inner_only, "the sum of both"),
        (best_checkpoints_groups_only, "a single block"),
        (best_checkpoints_first_is_zero, "a single block"),
        (best_checkpoints_no_uneven_groups, ""),
    ],
)
def test_best_checkpoints_rejects(wrong, says):
    rejects(checks.best_checkpoints, wrong, says)


def test_best_checkpoints_accepts():
    accepts(checks.best_checkpoints, answers.best_checkpoints)


# Of 4 blocks two groups: 2 inputs and 2 blocks; of 5 blocks two: 2 · 3 + 3 · 2.
@pytest.mark.parametrize(
    "arguments, value",
    [
        (
            (
                4,
                1,
                1,
            ),
            (2, 4),
        ),
        (
            (
                5,
                2,
                3,
            ),
            (3, 12),
        ),
        (
            (
                3,
                9,
                1,
            ),
            (1, 12),
        ),
    ],
)
def test_best_checkpoints_by_hand(arguments, value):
    agrees(answers.best_checkpoints, arguments, value)


# mended_training


def mended_training_rounds_every_step(weight, gradients, rate):
    weight = np.asarray(weight, "float32")  # what is kept
    for gradient in gradients:
        weight = to_bfloat16(weight - rate * to_bfloat16(gradient))  # wrong
    return to_bfloat16(weight)


def mended_training_gradient_not_rounded(weight, gradients, rate):
    weight = np.asarray(weight, "float32")  # what is kept
    for gradient in gradients:
        weight = weight - rate * gradient  # wrong
    return to_bfloat16(weight)


def mended_training_result_not_rounded(weight, gradients, rate):
    weight = np.asarray(weight, "float32")  # what is kept
    for gradient in gradients:
        weight = weight - rate * to_bfloat16(gradient)
    return weight  # wrong


def mended_training_start_rounded(weight, gradients, rate):
    weight = to_bfloat16(weight)  # wrong
    for gradient in gradients:
        weight = weight - rate * to_bfloat16(gradient)
    return to_bfloat16(weight)


def mended_training_step_rounded(weight, gradients, rate):
    weight = np.asarray(weight, "float32")  # what is kept
    for gradient in gradients:
        weight = weight - to_bfloat16(rate * np.asarray(gradient))  # wrong
    return to_bfloat16(weight)


def mended_training_rate_rounded(weight, gradients, rate):
    weight = np.asarray(weight, "float32")  # what is kept
    for gradient in gradients:
        weight = weight - to_bfloat16(rate) * to_bfloat16(gradient)  # wrong
    return to_bfloat16(weight)


def mended_training_gradients_summed_first(weight, gradients, rate):
    weight = np.asarray(weight, "float32")  # what is kept
    weight = weight - rate * to_bfloat16(np.sum(gradients, axis=0))  # wrong
    return to_bfloat16(weight)


@pytest.mark.parametrize(
    "wrong, says",
    [
        (mended_training_rounds_every_step, "between the steps"),
        (mended_training_gradient_not_rounded, "each is rounded"),
        (mended_training_result_not_rounded, "rounded weights"),
        (mended_training_start_rounded, ""),
        (mended_training_step_rounded, ""),
        (mended_training_rate_rounded, ""),
        (mended_training_gradients_summed_first, ""),
    ],
)
def test_mended_training_rejects(wrong, says):
    rejects(checks.mended_training, wrong, says)


def test_mended_training_accepts():
    accepts(checks.mended_training, answers.mended_training)


# Near 600 the numbers of bfloat16 are 4 apart, below 1 they are 1/256.
@pytest.mark.parametrize(
    "arguments, value",
    [
        (
            (
                np.array([1.003]),
                np.array([[1.003], [2.007], [4.015]]),
                0.3,
            ),
            [-1.09375],
        ),
        (
            (
                np.array([600.0]),
                np.array([[1.0], [1.0], [2.0]]),
                1.0,
            ),
            [596.0],
        ),
        (
            (
                np.array([1.0]),
                np.array([[0.005]]),
                1.0,
            ),
            [0.99609375],
        ),
    ],
)
def test_mended_training_by_hand(arguments, value):
    agrees(answers.mended_training, arguments, value)


# size_for


def size_for_minutes_are_seconds(numbers, weights, seconds_per_byte, minutes):
    floor, a, alpha, b, beta = numbers
    amounts = minutes / np.asarray(seconds_per_byte)  # wrong
    of_size = a * (np.asarray(weights) / 1e5) ** -alpha
    losses = floor + of_size + b * (amounts / 1e6) ** -beta
    return int(np.argmin(losses))


def size_for_other_units(numbers, weights, seconds_per_byte, minutes):
    floor, a, alpha, b, beta = numbers
    # wrong:
    a, b, amounts = (
        a * 1e5**-alpha,
        b * 1e6**-beta,
        60 * minutes / np.asarray(seconds_per_byte),
    )
    of_size = a * (np.asarray(weights) / 1e5) ** -alpha
    losses = floor + of_size + b * (amounts / 1e6) ** -beta
    return int(np.argmin(losses))


def size_for_largest_loss(numbers, weights, seconds_per_byte, minutes):
    floor, a, alpha, b, beta = numbers
    amounts = 60 * minutes / np.asarray(seconds_per_byte)
    of_size = a * (np.asarray(weights) / 1e5) ** -alpha
    losses = floor + of_size + b * (amounts / 1e6) ** -beta
    return int(np.argmax(losses))  # wrong


def size_for_weights_returned(numbers, weights, seconds_per_byte, minutes):
    floor, a, alpha, b, beta = numbers
    amounts = 60 * minutes / np.asarray(seconds_per_byte)
    of_size = a * (np.asarray(weights) / 1e5) ** -alpha
    losses = floor + of_size + b * (amounts / 1e6) ** -beta
    return float(weights[np.argmin(losses)])  # wrong


def size_for_beta_for_alpha(numbers, weights, seconds_per_byte, minutes):
    floor, a, alpha, b, beta = numbers
    amounts = 60 * minutes / np.asarray(seconds_per_byte)
    of_size = a * (np.asarray(weights) / 1e5) ** -alpha
    losses = floor + of_size + b * (amounts / 1e6) ** -alpha  # wrong
    return int(np.argmin(losses))


def size_for_alpha_for_beta(numbers, weights, seconds_per_byte, minutes):
    floor, a, alpha, b, beta = numbers
    amounts = 60 * minutes / np.asarray(seconds_per_byte)
    of_size = a * (np.asarray(weights) / 1e5) ** -beta  # wrong
    losses = floor + of_size + b * (amounts / 1e6) ** -beta
    return int(np.argmin(losses))


@pytest.mark.parametrize(
    "wrong, says",
    [
        (size_for_minutes_are_seconds, ""),
        (size_for_other_units, "the units"),
        (size_for_largest_loss, "each size"),
        (size_for_weights_returned, "each size"),
        (size_for_beta_for_alpha, ""),
        (size_for_alpha_for_beta, ""),
    ],
)
def test_size_for_rejects(wrong, says):
    rejects(checks.size_for, wrong, says)


def test_size_for_accepts():
    accepts(checks.size_for, answers.size_for)


# Nats for being small, or for having read a million bytes or a quarter of that.
@pytest.mark.parametrize(
    "arguments, value",
    [
        (
            (
                np.array([0, 1, 1, 0.2, 2]),
                np.array([100000.0, 1000000.0]),
                np.array([1e-05, 4e-05]),
                0.16666667,
            ),
            0,
        ),
        (
            (
                np.array([1, 1, 1, 0, 1]),
                np.array([100000.0, 1000000.0]),
                np.array([1e-05, 4e-05]),
                3.0,
            ),
            1,
        ),
        (
            (
                np.array([0, 0.1, 1, 1, 1]),
                np.array([100000.0, 1000000.0]),
                np.array([1e-05, 4e-05]),
                0.16666667,
            ),
            0,
        ),
        (
            (
                np.array([0, 0.1, 1, 1, 1]),
                np.array([100000.0, 1000000.0]),
                np.array([1e-05, 4e-05]),
                60.0,
            ),
            1,
        ),
    ],
)
def test_size_for_by_hand(arguments, value):
    agrees(answers.size_for, arguments, value)

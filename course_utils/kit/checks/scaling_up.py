"""Checks of the exercises of the lesson "Scaling up"."""

import numpy as np

from course_utils.kit.checks.answers import scaling_up as answers
from course_utils.kit.checks.compare import Case, compare


def training_bytes(function):
    """Check exercise 1, by hand: bytes of (weights, slots, policy)."""
    cases = [
        Case(
            (
                1000,
                0,
                "float32",
            ),
            hint="the gradients: one number for each weight",
        ),
        Case(
            (
                1000,
                2,
                "float32",
            ),
            hint="the slots: each is as large as the weights",
        ),
        Case(
            (
                1000,
                2,
                "mixed_bfloat16",
            ),
            hint="where mixed precision keeps weights: float32",
        ),
        Case(
            (
                1000,
                2,
                "bfloat16",
            ),
            hint="bfloat16 without 'mixed': every number has 2 bytes",
        ),
        Case(
            (
                124,
                1,
                "bfloat16",
            ),
            hint="the sum: weights, gradients and slots",
        ),
    ]
    return compare(function, answers.training_bytes, cases, "weights, gradients, slots")


def best_checkpoints(function):
    """Check exercise 2, build: the best distance of checkpoints, and its peak."""
    cases = [
        Case(
            (
                1,
                2,
                3,
            ),
            hint="a single block: its input, and itself",
        ),
        Case(
            (
                100,
                1,
                1,
            ),
            hint="the sum of both: inputs that are kept, and one group of blocks",
        ),
        Case(
            (
                12,
                6,
                1,
            ),
            hint="what is computed again: all blocks of a group at once",
        ),
        Case(
            (
                12,
                1,
                9,
            ),
            hint="what is kept: an input for each group",
        ),
        Case(
            (
                10,
                2,
                3,
            ),
            hint="groups that aren't full: an input for each of them, too",
        ),
        Case(
            (
                5,
                2.5,
                3.0,
            ),
            hint="every k, also one that does not divide the number of blocks",
        ),
    ]
    return compare(function, answers.best_checkpoints, cases, "the moment with most")


def mended_training(function):
    """Check exercise 3, diagnose: weights after steps with gradients at a rate."""
    cases = [
        Case(
            (
                np.array([0.5, 2.0]),
                np.array([[1.0, -1.0], [0.5, 0.25]]),
                0.5,
            ),
            hint="the step: weight - rate * gradient",
        ),
        Case(
            (
                np.array([3.0]),
                np.array([[0.011]]),
                1.0,
            ),
            hint="what is returned: rounded weights",
        ),
        Case(
            (
                np.array([256.0]),
                np.array([[0.4], [0.4], [0.4], [0.4], [0.4]]),
                1.0,
            ),
            hint="what is rounded between the steps",
        ),
        Case(
            (
                np.array([16.0]),
                np.array([[4.015], [4.015], [4.015], [4.015]]),
                1.0,
            ),
            hint="the gradients: each is rounded",
        ),
        Case(
            (
                np.array([1.003]),
                np.array([[1.003], [2.007], [4.015]]),
                0.3,
            ),
            hint=(
                "what is rounded: each gradient as it comes, and the result; "
                "not the start, the rate, the step or the sum"
            ),
        ),
    ]
    return compare(
        function, answers.mended_training, cases, "what has 16 bits, and when"
    )


def size_for(function):
    """Check exercise 4, investigate: the best size's index for a law and a budget."""
    cases = [
        Case(
            (
                np.array([1.0, 0.5, 0.4, 0.3, 0.3]),
                np.array([20000.0, 100_000.0, 1_000_000.0]),
                np.array([1e-05, 4e-05, 0.0003]),
                0.1,
            ),
            hint="the loss of each size",
        ),
        Case(
            (
                np.array([1.0, 0.5, 0.4, 0.3, 0.3]),
                np.array([20000.0, 100_000.0, 1_000_000.0]),
                np.array([1e-05, 4e-05, 0.0003]),
                300.0,
            ),
            hint="the bytes: minutes times 60, by seconds for a byte",
        ),
        Case(
            (
                np.array([1.0, 0.5, 0.4, 0.3, 0.3]),
                np.array([1_000_000.0, 100_000.0, 20000.0]),
                np.array([0.0003, 4e-05, 1e-05]),
                20.0,
            ),
            hint="the index: that of the smallest loss",
        ),
        Case(
            (
                np.array([1.0, 0.1, 0.2, 0.6, 0.5]),
                np.array([20000.0, 100_000.0, 1_000_000.0]),
                np.array([1e-05, 4e-05, 0.0003]),
                1.0,
            ),
            hint="the units: 100,000 weights, a million bytes",
        ),
        Case(
            (
                np.array([1.0, 0.8, 0.2, 0.3, 0.5]),
                np.array([20000.0, 100_000.0, 1_000_000.0]),
                np.array([1e-05, 4e-05, 0.0003]),
                1.0,
            ),
            hint="the five numbers: floor, a, alpha, b, beta",
        ),
    ]
    return compare(function, answers.size_for, cases, "what a size reads in the time")

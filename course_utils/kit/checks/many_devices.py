"""Checks of the exercises of the lesson "Many devices"."""

import numpy as np

from course_utils.kit.checks.answers import many_devices as answers
from course_utils.kit.checks.compare import Case, compare


def exchange(function):
    """Check exercise 1, by hand: megabytes that each sends, and milliseconds."""
    hint = "the ring: 2 (W - 1) pieces, each a W-th of the gradients"
    return compare(function, answers.exchange, [Case(())], hint)


def plan(function):
    """Check exercise 2, build: weights, tokens, GPUs and hours for a budget."""
    cases = [
        Case(
            (
                100.0,
                2.0,
                4e14,
                0.4,
                80.0,
            ),
            hint="the operations: euros, hours, seconds, utilisation",
        ),
        Case(
            (
                250_000.0,
                2.0,
                4e14,
                0.4,
                80.0,
            ),
            hint="how many GPUs: half of their memory for 16 bytes a weight",
        ),
        Case(
            (
                100_000.0,
                2.0,
                4e14,
                0.4,
                80.0,
            ),
            hint="how many GPUs: rounded up",
        ),
        Case(
            (
                12000.0,
                2.0,
                4e14,
                0.5,
                64.0,
            ),
            hint="how many GPUs: three fit exactly",
        ),
        Case(
            (
                250_000.0,
                2.0,
                4e14,
                0.4,
                200.0,
            ),
            hint="the hours: all GPUs are paid at the same time",
        ),
        Case(
            (
                700.0,
                3.5,
                1e15,
                0.3,
                24.0,
            ),
            hint="the hours that the money buys: euros by price",
        ),
    ]
    return compare(function, answers.plan, cases, "6 N D operations, with D = 20 N")


def token_weights(function):
    """Check exercise 3, diagnose: the weights (B, T) of the tokens of labels."""
    cases = [
        Case((np.array([[5, 6, 7], [8, 9, 4]]),), hint="the sum of all weights: 1"),
        Case(
            (np.array([[5, 6, 7], [8, 0, 0]]),),
            hint="a token of a short row: it counts as much as any other",
        ),
        Case(
            (np.array([[5, 6, 0], [0, 0, 0]]),),
            hint="a row of padding: nothing in it counts",
        ),
        Case(
            (np.array([[1, 2, 3], [4, 0, 0], [5, 0, 0]]),),
            hint="real tokens: all but 0",
        ),
    ]
    return compare(
        function, answers.token_weights, cases, "the mean over all real tokens"
    )


def noise_scale(function):
    """Check exercise 4, investigate: the noise scale from two squared norms."""
    cases = [
        Case(
            (
                8,
                64,
                5.0,
                1.5,
            ),
            hint="the noise: the difference of both, by that of 1 / rows",
        ),
        Case(
            (
                1,
                2,
                3.0,
                2.0,
            ),
            hint="the signal: what is left without the noise",
        ),
        Case(
            (
                16,
                32,
                2.25,
                2.125,
            ),
            hint="noise by signal, not the other way round",
        ),
    ]
    return compare(function, answers.noise_scale, cases, "the two equations")

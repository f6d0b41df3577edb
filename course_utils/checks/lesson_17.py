"""Checks of the exercises of lesson 17."""

import numpy as np

from course_utils.checks.compare import Case, compare, solution


def patches(function):
    """Check `patches(image, size)`: (H, W, C) -> (S, size · size · C)."""
    counted = np.arange(4 * 4 * 1).reshape(4, 4, 1)
    wide = np.arange(2 * 6 * 3).reshape(2, 6, 3)
    whole = "one patch: the whole image in a row"
    axes = "height and width, which differ here, and the colours, which stay together"
    cases = [
        Case((counted, 2), "a 4 × 4 image, patches of 2"),
        Case((counted, 4), "an image that is one patch", whole),
        Case((wide, 2), "a 2 × 6 image of three colours, patches of 2", axes),
    ]
    hint = "the order: axes (row, row inside, column, column inside, colour) must swap"
    return compare(function, solution("17", "patches"), cases, hint)


def attention_penalty(function):
    """Check `attention_penalty(weights, real)`: (T, S), (T,) -> a number."""
    padded = [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [1.0, 0.0, 0.0]]
    axis = "the axis (first add up over the words) and the end (a sum, no mean)"
    cases = [
        Case((np.array(weights), np.array(real, "float64")), name, hint)
        for name, weights, real, hint in (
            (
                "two words, each attends to its own cell",
                [[1.0, 0.0], [0.0, 1.0]],
                [1, 1],
                "cells with a sum of 1: they cost nothing",
            ),
            ("two words attend to the same cell", [[1.0, 0.0]] * 2, [1, 1], axis),
            (
                "three words, the last one is padding",
                padded,
                [1, 1, 0],
                "padding: its weights don't count",
            ),
            ("one word, four cells", [[0.25] * 4], [1], "the sum over cells, no mean"),
        )
    ]
    return compare(function, solution("17", "attention_penalty"), cases, "the formula")


def reinforce_gradient(function):
    """Check `reinforce_gradient(scores, position, reward, baseline)`: … -> (S,)."""
    sign = "the sign: a good reward makes its position more likely"
    cases = [
        Case((np.array(scores), *rest), f"scores {scores}, then {rest}", hint)
        for scores, rest, hint in (
            ([0.0, 0.0], (0, 1.0, 0.0), sign),
            ([0.0, 0.0], (1, -3.0, -1.0), "the baseline: subtract it from the reward"),
            ([2.0, 0.0, 0.0], (1, 2.0, 0.5), "the probabilities: softmax of scores"),
            ([1.0, 3.0, 2.0], (2, -1.5, -1.5), "reward equal to baseline: no change"),
        )
    ]
    hint = "(reward − baseline) · (1 at the position − probabilities)"
    return compare(function, solution("17", "reinforce_gradient"), cases, hint)

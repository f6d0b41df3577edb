"""Checks of the exercises of lesson 17."""

import numpy as np

from course_utils.checks.compare import Case, compare, rows, solution


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
    cases = [
        Case((np.array(weights), np.array(real, "float64")), name, hint)
        for weights, real, name, hint in rows("17", "attention_penalty")
    ]
    return compare(function, solution("17", "attention_penalty"), cases, "the formula")


def reinforce_gradient(function):
    """Check `reinforce_gradient(scores, position, reward, baseline)`: … -> (S,)."""
    cases = [
        Case((np.array(scores), *rest), f"scores {scores}, then {tuple(rest)}", hint)
        for scores, *rest, hint in rows("17", "reinforce_gradient")
    ]
    hint = "(reward − baseline) · (1 at the position − probabilities)"
    return compare(function, solution("17", "reinforce_gradient"), cases, hint)

"""Checks of the exercises of lesson 03."""

import numpy as np

from course_utils.checks.compare import Case, compare, solution


def cosine_scores(function):
    """Check `cosine_scores(query, keys)`: (T, D), (S, D) -> (T, S)."""
    rng = np.random.default_rng(3)
    query, keys = rng.normal(size=(2, 4)), rng.normal(size=(3, 4))
    right_angle = np.array([[1.0, 0.0], [0.0, 2.0]])
    cases = [
        Case((right_angle, right_angle), "vectors at right angles"),
        Case((query, keys), "two queries, three keys"),
        Case((5 * query, keys), "queries five times as long"),
    ]
    hint = "the lengths: divide by the length of the query and by that of the key"
    return compare(function, solution("03", "cosine_scores"), cases, hint)


def monotonic_window(function):
    """Check `monotonic_window(target_length, source_length, half_width)`: (T, S)."""
    cases = [
        Case(sizes, f"T, S, half_width = {sizes}")
        for sizes in ((3, 3, 1), (2, 5, 1), (5, 3, 1), (4, 6, 2))
    ]
    hint = "both sides of the window, its edges, and queries past the last key"
    return compare(function, solution("03", "monotonic_window"), cases, hint)


def predictive_weights(function):
    """Check `predictive_weights(scores, position, half_width)`: (S,) -> (S,)."""
    scores = np.random.default_rng(4).normal(size=6)
    cases = [
        Case((scores, *window), "position {}, half_width {}".format(*window))
        for window in ((2.0, 10), (2.0, 2), (4.3, 2), (0.4, 1))
    ]
    hint = "σ, which is half_width / 2, and the sum of the weights, which is 1"
    return compare(function, solution("03", "predictive_weights"), cases, hint)

"""Checks of the exercises of lesson 12."""

import numpy as np

from course_utils.checks.compare import Case, compare, solution


def role_weight(function):
    """Check `role_weight(weights, distance)`: (T, S) -> a number."""
    rng = np.random.default_rng(12)
    square, wide = rng.dirichlet(np.ones(4), size=4), rng.dirichlet(np.ones(5), size=3)
    cases = [
        Case((square, distance), f"a map of 4 × 4, distance {distance}")
        for distance in (0, -1, 2)
    ]
    cases.append(Case((wide, 1), "a map of 3 × 5, distance 1"))
    hint = "the rows that count: those whose token at this distance is in the map"
    return compare(function, solution("12", "role_weight"), cases, hint)


def silence(function):
    """Check `silence(kernel, head, num_heads)`: (D, D) -> (D, D)."""
    kernel = np.random.default_rng(13).normal(size=(6, 6))
    cases = [
        Case((kernel, head, num_heads), f"head {head} of {num_heads}, D = 6")
        for head, num_heads in ((0, 3), (2, 3), (1, 2))
    ]

    def own_copy_only(given, head, num_heads):
        result = function(given, head, num_heads)
        if not np.array_equal(given, kernel):
            raise ValueError("the matrix that was given has changed")
        return result

    hint = "the rows of the head (its inputs), and a copy of the matrix"
    return compare(own_copy_only, solution("12", "silence"), cases, hint)


def rollout(function):
    """Check `rollout(maps)`: (L, H, S, S) -> (S, S)."""
    rng = np.random.default_rng(14)
    cases = []
    for blocks, heads in ((1, 1), (1, 3), (3, 2)):
        maps = rng.dirichlet(np.ones(4), size=(blocks, heads, 4))
        cases.append(Case((maps,), f"{blocks} block(s) of {heads} head(s)"))
    hint = "the identity, the half, and which block stands on the left: the later one"
    return compare(function, solution("12", "rollout"), cases, hint)

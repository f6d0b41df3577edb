"""Checks of the exercises of lesson 12."""

import numpy as np

from course_utils.checks.compare import Case, compare


def role_share(function):
    """Check `role_share(weights, distance)`: (T, S) -> a number."""
    rng = np.random.default_rng(12)
    square, wide = rng.dirichlet(np.ones(4), size=4), rng.dirichlet(np.ones(5), size=3)
    cases = []
    for weights, distance in ((square, 0), (square, -1), (square, 2), (wide, 1)):
        shown = f"a map of {weights.shape[0]} × {weights.shape[1]}, distance {distance}"
        expected = np.diagonal(weights, distance).mean()
        cases.append(Case((weights, distance), expected, shown))
    hint = "the rows that count: those whose token at this distance is in the map"
    return compare(function, cases, hint)


def silence(function):
    """Check `silence(kernel, head, num_heads)`: (D, D) -> (D, D)."""
    kernel = np.random.default_rng(13).normal(size=(6, 6))
    before, cases = kernel.copy(), []
    for head, num_heads in ((0, 3), (2, 3), (1, 2)):
        width = 6 // num_heads
        expected = kernel.copy()
        expected[head * width : (head + 1) * width] = 0.0
        label = f"head {head} of {num_heads}, D = 6"
        cases.append(Case((kernel, head, num_heads), expected, label))

    def own_copy_only(given, head, num_heads):
        result = function(given, head, num_heads)
        if not np.array_equal(given, before):
            raise ValueError("the matrix that was given has changed")
        return result

    hint = "the rows of the head (its inputs), and a copy of the matrix"
    return compare(own_copy_only, cases, hint)


def rollout(function):
    """Check `rollout(maps)`: (L, H, S, S) -> (S, S)."""
    rng = np.random.default_rng(14)
    cases = []
    for blocks, heads in ((1, 1), (1, 3), (3, 2)):
        maps = rng.dirichlet(np.ones(4), size=(blocks, heads, 4))
        flow = np.eye(4)
        for block in maps.mean(axis=1):
            flow = (0.5 * block + 0.5 * np.eye(4)) @ flow
        cases.append(Case((maps,), flow, f"{blocks} block(s) of {heads} head(s)"))
    hint = "the identity, the half, and which block stands on the left: the later one"
    return compare(function, cases, hint)

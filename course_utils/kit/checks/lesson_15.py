"""Checks of the exercises of lesson 15: the modern Transformer."""

import numpy as np

from course_utils.kit.checks.compare import Case, compare, rows, solution


def cache_bytes(function):
    """Check exercise 1, by hand: the bytes of all keys and values."""
    cases = [
        Case(tuple(sizes), label, hint)
        for sizes, label, hint in rows("15", "cache_bytes")
    ]
    return compare(function, solution("15", "cache_bytes"), cases, "the factors")


def mixture(function):
    """Check exercise 2, build: a feed-forward network of experts."""
    rng = np.random.default_rng(19)
    x, router = rng.normal(size=(5, 4)), rng.normal(size=(4, 3))
    up, down = rng.normal(size=(3, 4, 6)), rng.normal(size=(3, 6, 4))
    idle, huge, far = up.copy(), up.copy(), down.copy()
    idle[1] = np.nan
    huge[1], far[1] = 1e200 * up[1], 1e200 * down[1]  # their product overflows
    some = x[(x @ router).argmin(axis=1) == 1]  # none of these has it among the first 2
    large = router * 1000
    two = np.array([[1e-200, 0.0], [0.0, 1e200]])  # the first alone uses expert 0
    each = np.array([[1e200, 0.0, 0.0], [0.0, 1e-200, 0.0]])
    grows, shrinks = np.ones((3, 2, 2)), np.ones((3, 2, 2))
    grows[0], shrinks[1] = 1e200, 1e-200
    cases = [
        Case((x, router, up, down, 3), "all experts", "the softmax, and the ReLU"),
        Case((x, router, up, down, 1), "one expert", "its weight: it has no rival"),
        Case((x, router, up, down, 2), "two experts", "the softmax: over these two"),
        Case((some, router, idle, down, 2), "an expert that is not a number", None),
        Case((some, router, huge, far, 2), "an expert of too large numbers", None),
        Case((two, each, grows, shrinks, 1), "an expert of one token only", None),
        Case((x, large, up, down, 2), "large scores", "the largest score of a token"),
    ]
    hint = "the experts that a token doesn't use: they aren't computed for it"

    def called(x, router, up, *others):
        """Also what was computed and then thrown away overflows in that one case."""
        over = "raise" if np.nanmax(up) > 1e99 else "ignore"
        with np.errstate(all="ignore", over=over):
            return function(x, router, up, *others)

    return compare(called, solution("15", "mixture"), cases, hint)


def mended_weights(function):
    """Check exercise 3, diagnose: grouped queries with QK-norm and rotary positions."""
    rng = np.random.default_rng(19)
    cases = []
    for heads, key_heads, start, plain, label, hint in rows("15", "mended_weights"):
        queries, keys = (rng.normal(size=(n, 5, 8)) for n in (heads, key_heads))
        scale = np.ones(8) if plain else rng.uniform(0.5, 2, size=8)
        cases.append(Case((queries, keys, scale, start), label, hint))
    return compare(function, solution("15", "mended_weights"), cases, "the mask")


def useful_rates(function):
    """Check exercise 4, investigate: the rates around the best that are good enough."""
    cases = [
        Case(tuple(inputs), label, hint)
        for *inputs, label, hint in rows("15", "useful_rates")
    ]
    return compare(function, solution("15", "useful_rates"), cases, "the tolerance")

"""Checks of the exercises of lesson 15: the modern Transformer."""

import numpy as np

from course_utils.kit.checks.answers import lesson_15 as answers
from course_utils.kit.checks.compare import Case, compare


def cache_bytes(function):
    """Check exercise 1, by hand: the bytes of all keys and values."""
    cases = [
        Case(
            (
                1,
                1,
                1,
                1,
                1,
                1,
                1,
            ),
            "one position, one column",
            "what is kept: a key and a value, and no query",
        ),
        Case(
            (
                1,
                1,
                3,
                1,
                1,
                1,
                1,
            ),
            "three layers",
            "the layers: each has a cache of its own",
        ),
        Case(
            (
                1,
                1,
                32,
                32,
                8,
                128,
                2,
            ),
            "a position of Llama 3 8B",
            "the heads that count: those of the keys",
        ),
        Case(
            (
                1,
                8192,
                32,
                32,
                8,
                128,
                2,
            ),
            "8,192 positions",
            "the positions: each has its own",
        ),
        Case(
            (
                5,
                10,
                2,
                4,
                4,
                3,
                4,
            ),
            "five texts",
            "the texts, and the bytes of a number",
        ),
    ]
    return compare(function, answers.cache_bytes, cases, "the factors")


def mixture(function):
    """Check exercise 2, build: a feed-forward network of experts."""
    rng = np.random.default_rng(19)
    x = rng.normal(size=(5, 4))
    router = rng.normal(size=(4, 3))
    up = rng.normal(size=(3, 4, 6))
    down = rng.normal(size=(3, 6, 4))
    no_number = up.copy()
    no_number[1] = np.nan
    huge_up = up.copy()
    huge_down = down.copy()
    huge_up[1] *= 1e200
    huge_down[1] *= 1e200  # their product overflows
    others = x[(x @ router).argmin(axis=1) == 1]  # none has expert 1 among the first 2
    two = np.array([[1e-200, 0.0], [0.0, 1e200]])  # the first alone uses expert 0
    two_router = np.array([[1e200, 0.0, 0.0], [0.0, 1e-200, 0.0]])
    grows = np.ones((3, 2, 2))
    grows[0] = 1e200
    shrinks = np.ones((3, 2, 2))
    shrinks[1] = 1e-200
    cases = [
        Case((x, router, up, down, 3), "all experts", "the softmax, and the ReLU"),
        Case((x, router, up, down, 1), "one expert", "its weight: it has no rival"),
        Case((x, router, up, down, 2), "two experts", "the softmax: over these two"),
        Case((others, router, no_number, down, 2), "an expert that is not a number"),
        Case((others, router, huge_up, huge_down, 2), "an expert of too large numbers"),
        Case((two, two_router, grows, shrinks, 1), "an expert of one token only"),
        Case(
            (x, 1000 * router, up, down, 2),
            "large scores",
            "the largest score of a token",
        ),
    ]
    hint = "the experts that a token doesn't use: they aren't computed for it"

    def called(x, router, up, down, k):
        """Also what was computed and then thrown away overflows in that one case."""
        over = "raise" if np.nanmax(up) > 1e99 else "ignore"
        with np.errstate(all="ignore", over=over):
            return function(x, router, up, down, k)

    return compare(called, answers.mixture, cases, hint)


def mended_weights(function):
    """Check exercise 3, diagnose: grouped queries with QK-norm and rotary positions."""
    rng = np.random.default_rng(19)

    def arrays(heads, key_heads, any_scale):
        """Return queries, keys and the scale of their columns."""
        queries = rng.normal(size=(heads, 5, 8))
        keys = rng.normal(size=(key_heads, 5, 8))
        scale = rng.uniform(0.5, 2, size=8) if any_scale else np.ones(8)
        return queries, keys, scale

    cases = [
        Case(
            (*arrays(3, 3, any_scale=False), 0),
            "as many key heads as query heads, and a scale of ones",
            "what was right before",
        ),
        Case(
            (*arrays(4, 2, any_scale=False), 0),
            "four query heads, two key heads",
            "which key head a query head reads: neighbours share one",
        ),
        Case(
            (*arrays(3, 3, any_scale=True), 0),
            "another scale for each column",
            "the order of scale and turn",
        ),
        Case(
            (*arrays(6, 2, any_scale=True), 7),
            "positions that begin at 7",
            "what is turned: both, by the same start",
        ),
    ]
    return compare(function, answers.mended_weights, cases, "the mask")


def useful_rates(function):
    """Check exercise 4, investigate: the rates around the best that are good enough."""
    cases = [
        Case(
            (
                [1, 2, 4, 8],
                [2.5, 2.2, 2.1, 2.3],
                0.15,
            ),
            "two good rates",
        ),
        Case(
            (
                [1, 2, 4, 8],
                [2.15, 2.4, 2.1, 2.2],
                0.15,
            ),
            "a gap",
            "rates beyond a gap: they don't count",
        ),
        Case(
            (
                [1, 2, 4, 8],
                [2.3, 2.1, 2.4, 2.15],
                0.15,
            ),
            "a gap above",
            "rates beyond a gap: they don't count",
        ),
        Case(
            (
                [1, 2, 4, 8],
                [2.1, 2.2, 2.4, float("nan")],
                0.15,
            ),
            "a rate that broke",
            "NaN: it is no bits at all",
        ),
        Case(
            (
                [1, 2, 4],
                [2.0, 2.0, 2.0],
                0.0,
            ),
            "a tolerance of 0",
            "as good as the best is good enough",
        ),
        Case(
            (
                [1, 2, 4],
                [float("nan"), 2.0, 2.5],
                0.1,
            ),
            "one good rate",
            "both ends: they may be the same rate",
        ),
    ]
    return compare(function, answers.useful_rates, cases, "the tolerance")

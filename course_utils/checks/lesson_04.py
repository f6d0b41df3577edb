"""Checks of the exercises of lesson 04."""

import numpy as np

from course_utils.checks.compare import Case, compare, solution
from course_utils.scaling import timing

LONG = 3_000  # an array with LONG × LONG numbers takes 69 MB


def length_where_pairs_dominate(function):
    """Check the smallest n with 2 n² d > 4 n d² multiplications."""
    cases = [Case((d,), f"d = {d}") for d in (1, 16, 64, 300)]
    hint = "the counts, 4 n d² and 2 n² d, just before and just after they are equal"
    return compare(function, solution("04", "length_where_pairs_dominate"), cases, hint)


def window_mask(function):
    """Check a mask (B, T, T) of neighbours that are real tokens."""
    cases = [
        Case((np.array(rows, bool), window), f"real {rows}, window {window}", hint)
        for rows, window, hint in (
            ([[1] * 5], 1, "the distance: both sides count, and so does the word"),
            ([[1] * 4], 0, "window 0, where each word attends to itself only"),
            ([[1] * 4 + [0] * 2, [1] * 2 + [0] * 4], 2, "which axis the padding is on"),
        )
    ]
    hint = "the distance between t and s"
    return compare(function, solution("04", "window_mask"), cases, hint)


def linear_attention(function):
    """Check attention with feature maps, on short inputs and on a long one."""
    rng = np.random.default_rng(4)
    short = tuple(rng.normal(size=size) for size in ((5, 3), (5, 3), (5, 2)))
    other = tuple(3 * rng.normal(size=(3, 7, 4)))
    long = tuple(rng.normal(size=(3, LONG, 2)))
    order = "the order of the products: keys and values first"
    cases = [
        Case(short, "5 tokens, d = 3, e = 2"),
        Case(other, "7 tokens, d = 4, e = 4"),
        Case(long, f"{LONG:,} tokens", order),
    ]

    def limited(*case):
        results = []
        used = timing.numpy_peak_bytes(lambda: results.append(function(*case)))
        if used > 8 * LONG**2 / 2:
            raise MemoryError(f"the call needs {used / 2**20:.0f} MB")
        return results[0]

    hint = "φ of queries and keys, and the sum over all keys that you divide by"
    return compare(limited, solution("04", "linear_attention"), cases, hint)

"""Checks of the exercises of lesson 04."""

import numpy as np

from course_utils.checks.compare import Case, compare
from course_utils.scaling import timing as complexity

LONG = 3_000  # an array with LONG × LONG numbers takes 69 MB


def length_where_pairs_dominate(function):
    """Check the smallest n with 2 n² d > 4 n d² multiplications."""
    cases = []
    for d in (1, 16, 64, 300):
        n = 1
        while 2 * n**2 * d <= 4 * n * d**2:
            n += 1
        cases.append(Case((d,), n, label=f"d = {d}"))
    hint = (
        "the two counts, 4 n d² and 2 n² d, just before and just after they are equal"
    )
    return compare(function, cases, hint)


def window_mask(function):
    """Check a mask (B, T, T) of neighbours that are real tokens."""
    cases = []
    for rows, window, hint in (
        ([[1, 1, 1, 1, 1]], 1, "the distance: both sides count, and so does the word"),
        ([[1, 1, 1, 1]], 0, "window 0, where each word looks at itself only"),
        ([[1, 1, 1, 1, 0, 0], [1, 1, 0, 0, 0, 0]], 2, "which axis the padding is on"),
    ):
        real = np.array(rows, dtype=bool)
        expected = np.zeros((*real.shape, real.shape[1]), dtype=bool)
        for b, t, s in np.ndindex(expected.shape):
            expected[b, t, s] = abs(t - s) <= window and real[b, s]
        label = f"real {rows}, window {window}"
        cases.append(Case((real, window), expected, label=label, hint=hint))
    return compare(function, cases, "the distance between t and s")


def linear_attention(function):
    """Check attention with feature maps, on short inputs and on a long one."""
    rng = np.random.default_rng(4)
    short = [rng.normal(size=size) for size in ((5, 3), (5, 3), (5, 2))]
    other = [3 * rng.normal(size=size) for size in ((7, 4), (7, 4), (7, 4))]
    cases = [
        Case(tuple(short), _by_pairs(*short), "5 tokens, d = 3, e = 2"),
        Case(tuple(other), _by_pairs(*other), "7 tokens, d = 4, e = 4"),
    ]
    once = rng.normal(size=(3, 4, 2))
    tiled = tuple(np.tile(once, (1, LONG // 4, 1)))
    # Keys that all stand equally often change no weighted mean.
    expected = np.tile(_by_pairs(*once), (LONG // 4, 1))
    where = "the order of the products: keys and values first"
    cases.append(Case(tiled, expected, f"{LONG:,} tokens", where))

    def limited(query, key, value):
        if len(query) < LONG:
            return function(query, key, value)
        results = []
        used = complexity.numpy_peak_bytes(
            lambda: results.append(function(query, key, value))
        )
        if used > 8 * LONG**2 / 2:
            raise MemoryError(f"the call needs {used / 2**20:.0f} MB")
        return results[0]

    hint = "φ of queries and keys, and the sum over all keys that you divide by"
    return compare(limited, cases, hint)


def _by_pairs(query, key, value):
    """Compute linear attention the long way, one query and one key at a time."""

    def phi(x):
        return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))

    output = np.zeros((len(query), value.shape[1]))
    for t in range(len(query)):
        weights = np.array([phi(query[t]) @ phi(k) for k in key])
        output[t] = weights @ value / weights.sum()
    return output

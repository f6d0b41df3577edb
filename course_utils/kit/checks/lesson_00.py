"""Checks of the exercises of lesson 00: attention on three words.

Example:
    >>> from course_utils.kit.checks import lesson_00 as checks
    >>> _ = checks.three_weights(lambda: (0.25, 0.25, 0.5))
    correct
"""

import numpy as np

from course_utils.kit.checks.answers import lesson_00 as answers
from course_utils.kit.checks.compare import Case, compare

WORDS = np.array([[1.0, 0.0], [2.0, 0.0], [1.0, 1.0]])  # deep, river, bank


def three_weights(function):
    """Check exercise 1, by hand: the softmax of 0, 0 and log 2."""

    def are_right(weights):
        first, second, third = weights
        if not np.isclose(first + second + third, 1):
            raise ValueError(f"they add up to {first + second + third:.2f}")
        return np.isclose([first, third], [second, 2 * first])

    hint = "how often e to the first score fits into e to the third"
    right = answers.three_weights
    return compare(function, right, [Case((), "your weights")], hint, are_right)


def attend(function):
    """Check exercise 2, build: one query attends to keys and values."""
    rng = np.random.default_rng(0)
    cases = []
    for length, width in ((3, 4), (5, 2)):
        query = rng.normal(size=width)
        keys = rng.normal(size=(length, width))
        values = rng.normal(size=(length, width + 1))
        cases.append(Case((query, keys, values), f"{length} keys of {width} columns"))
    for size, label in ((3000.0, "large scores"), (-3000.0, "scores far below 0")):
        large = np.array([size, 0.0]), WORDS, WORDS
        cases.append(Case(large, label, "the largest score, to be subtracted"))
    hint = "the square root in the score, the power of e, and what is mixed"
    with np.errstate(all="ignore"):
        return compare(function, answers.attend, cases, hint)


def mended_weights(function):
    """Check exercise 3, diagnose: the weights (T, S) of many queries."""
    unequal = np.array([[1.0, 0.0], [3000.0, 0.0], [-3000.0, 0.0]])
    wide = np.random.default_rng(1).normal(size=(2, 4, 3))
    cases = [
        Case((WORDS[:1], WORDS), "one query alone", "what you divide the scores by"),
        Case((WORDS, WORDS), "deep river bank", "the sum of each row, and its axis"),
        Case((unequal, WORDS), "a short and a long query", "what is largest in a row"),
        Case((wide[0, :2], wide[1]), "three columns", "the root of the width"),
    ]
    with np.errstate(all="ignore"):
        return compare(function, answers.mended_weights, cases, "the axes")


def crossings(function):
    """Check exercise 4, investigate: how many pairs of rows of a map cross."""
    crossed = np.array([[0.1, 0.9, 0.0], [0.8, 0.1, 0.1], [0.3, 0.3, 0.4]])
    reversed_order = np.eye(4)[::-1]
    # The last of four pieces looks at the first word, two share the second one.
    shared = np.array(
        [[0.2, 0.8, 0.0], [0.1, 0.9, 0.0], [0.0, 0.0, 1.0], [0.6, 0.4, 0.0]]
    )
    cases = [
        Case((np.eye(3),), "a map in order", "which of two rows comes first"),
        Case((crossed,), "two rows that change places", "the largest weight of a row"),
        Case((shared,), "two rows with one column", "rows with the same column"),
        Case(
            (reversed_order,),
            "four rows in reverse order",
            "rows that aren't neighbours",
        ),
    ]
    hint = "the pairs of rows, and the largest weight of each row"
    return compare(function, answers.crossings, cases, hint)

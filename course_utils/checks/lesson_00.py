"""Checks of the exercises of lesson 00: attention on three words.

Example:
    >>> from course_utils.checks import lesson_00 as checks
    >>> _ = checks.three_weights(lambda: (0.25, 0.25, 0.5))
    correct
"""

import numpy as np

from course_utils.checks.compare import Case, compare, solution

WORDS = np.array([[1.0, 0.0], [2.0, 0.0], [1.0, 1.0]])  # deep, river, bank


def three_weights(function):
    """Check exercise 1, by hand: the softmax of 0, 0 and log 2."""
    hint = "the powers 1, 1 and 2, and their sum"
    return compare(function, solution("00", "three_weights"), [Case(())], hint)


def attend(function):
    """Check exercise 2, build: one query attends to keys and values."""
    rng = np.random.default_rng(0)
    cases = []
    for length, width in ((3, 4), (5, 2)):
        query, keys = rng.normal(size=width), rng.normal(size=(length, width))
        values = rng.normal(size=(length, width))
        cases.append(Case((query, keys, values), f"{length} keys of {width} columns"))
    large = np.array([1000.0, 0.0]), WORDS, WORDS
    cases.append(Case(large, "large scores", "the largest score, to be subtracted"))
    hint = "the square root you divide by, and what is mixed"
    with np.errstate(all="ignore"):
        return compare(function, solution("00", "attend"), cases, hint)


def mended_weights(function):
    """Check exercise 3, diagnose: the weights (T, S) of many queries."""
    rng = np.random.default_rng(1)
    queries, keys = rng.normal(size=(2, 4)), rng.normal(size=(5, 4))
    sums = "the sum of each row, and the axis of your sum"
    cases = [
        Case((WORDS, WORDS), "deep river bank", sums),
        Case((queries, keys), "2 queries and 5 keys", sums),
        Case((queries[:1], keys), "one query alone", "what you divide the scores by"),
    ]
    return compare(function, solution("00", "mended_weights"), cases, sums)


def shortest_length(function):
    """Check exercise 4, investigate: the length from which "river" gets 0.9."""
    hint = "the weights of 'river' at your length, and 0.1 below it"
    return compare(function, solution("00", "shortest_length"), [Case(())], hint)

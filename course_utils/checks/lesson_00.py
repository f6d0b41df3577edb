"""Checks of the exercises of lesson 00: attention on three words.

Example:
    >>> from course_utils.checks import lesson_00 as checks
    >>> _ = checks.query_for_river(lambda: (10, 0))
    correct
"""

import numpy as np

from course_utils.checks.compare import Case, compare


def softmax(function):
    """Check exercise 1 of lesson 00: scores (S,) to weights (S,) that add up to 1."""
    hint = "the power of e, and the sum that you divide by"
    large = "the largest score, which you can subtract first"
    cases = [
        Case((np.array(scores),), _softmax(scores), f"the scores {scores}", where)
        for scores, where in (
            ([1.0, 2.0, 2.0], None),
            ([-3.0, 0.5], None),
            ([1000.0, 1000.0], large),
        )
    ]
    with np.errstate(all="ignore"):
        return compare(function, cases, hint)


def attend(function):
    """Check exercise 2 of lesson 00: one query attends to keys and values."""
    rng = np.random.default_rng(0)
    cases = []
    for length, width in ((3, 4), (5, 2)):
        query, keys = rng.normal(size=width), rng.normal(size=(length, width))
        values = rng.normal(size=(length, width))
        weights = _softmax(keys @ query / width**0.5)
        label = f"{length} keys of {width} columns"
        cases.append(Case((query, keys, values), (weights, weights @ values), label))
    hint = "the square root you divide by, and what is mixed"
    return compare(function, cases, hint)


def query_for_river(function, least=0.9):
    """Check exercise 3 of lesson 00: a query that gives "river" most of the weight."""
    keys = np.array([[1.0, 0.0], [2.0, 0.0], [1.0, 1.0]])  # deep, river, bank

    def asks_for_river():
        query = np.asarray(function(), dtype="float64")
        if query.shape != (2,):
            raise ValueError(f"the query has shape {query.shape}, expected (2,)")
        weight = _softmax(keys @ query / 2**0.5)[1]
        if not weight >= least:
            raise ValueError(f"'river' gets {weight:.3f}, expected {least} or more")
        return True

    hint = "the direction of the query, and its length"
    return compare(asks_for_river, [Case((), True, "your query")], hint)


def _softmax(scores):
    powers = np.exp(np.subtract(scores, np.max(scores)))
    return powers / powers.sum()

"""Checks of the exercises of lesson 00: attention on three words.

Example:
    >>> from course_utils.checks import lesson_00 as checks
    >>> _ = checks.query_for_river(lambda: (10, 0))
    correct
"""

import numpy as np

from course_utils.checks.compare import Case, compare, solution


def softmax(function):
    """Check exercise 1 of lesson 00: scores (S,) to weights (S,) that add up to 1."""
    cases = [
        Case((np.array(scores),), f"the scores {scores}", hint)
        for scores, hint in (
            ([1.0, 2.0, 2.0], None),
            ([-3.0, 0.5], None),
            ([1000.0, 1000.0], "the largest score, which you can subtract first"),
        )
    ]
    hint = "the power of e, and the sum that you divide by"
    with np.errstate(all="ignore"):
        return compare(function, solution("00", "softmax"), cases, hint)


def attend(function):
    """Check exercise 2 of lesson 00: one query attends to keys and values."""
    rng = np.random.default_rng(0)
    cases = []
    for length, width in ((3, 4), (5, 2)):
        query, keys = rng.normal(size=width), rng.normal(size=(length, width))
        values = rng.normal(size=(length, width))
        cases.append(Case((query, keys, values), f"{length} keys of {width} columns"))
    hint = "the square root you divide by, and what is mixed"
    return compare(function, solution("00", "attend"), cases, hint)


def query_for_river(function, least=0.9):
    """Check exercise 3 of lesson 00: a query that gives "river" most of the weight."""
    keys = np.array([[1.0, 0.0], [2.0, 0.0], [1.0, 1.0]])  # deep, river, bank

    def asks_for_river(query):
        query = np.asarray(query, dtype="float64")
        if query.shape != (2,):
            raise ValueError(f"the query has shape {query.shape}, expected (2,)")
        weights, _ = solution("00", "attend")(query, keys, keys)
        if not weights[1] >= least:
            raise ValueError(f"'river' gets {weights[1]:.3f}, expected {least} or more")
        return True

    right, cases = solution("00", "query_for_river"), [Case((), "your query")]
    hint = "the direction of the query, and its length"
    return compare(function, right, cases, hint, asks_for_river)

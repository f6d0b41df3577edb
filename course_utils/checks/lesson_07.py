"""Checks of the exercises of lesson 07."""

import numpy as np

from course_utils.checks.compare import Case, compare, rows, solution


def count_pairs(function):
    """Check a count of pairs of neighbours: a text to a dict from pairs to counts."""
    cases = [Case((text,)) for text in ("a b a b", "not good not bad", "no no no")]
    cases.append(Case(("alone",), "a text of one word"))

    def as_rows(counts):
        return sorted((*pair, int(n)) for pair, n in dict(counts).items() if n)

    hint = "which words stand side by side, and how often"
    return compare(function, solution("07", "count_pairs"), cases, hint, as_rows)


def reviews_needed(function):
    """Check the smallest number of reviews for a wanted standard error."""
    cases = [
        Case(tuple(sizes), hint=hint) for *sizes, hint in rows("07", "reviews_needed")
    ]
    hint = "error² = p (1 − p) / n, solved for n"
    return compare(function, solution("07", "reviews_needed"), cases, hint)


def errors_apart(function):
    """Check how many standard errors two models' answers lie from an even split."""
    cases = []
    for a, b, both, none in ((9, 0, 5, 3), (30, 20, 50, 10), (4, 12, 0, 7)):
        same = [True] * both + [False] * none
        one = np.array([True] * a + [False] * b + same)
        other = np.array([False] * a + [True] * b + same)
        label = f"{a} right with the first only, {b} with the second only, {both} both"
        cases.append(Case((one, other), label))
    same = np.array([True, False, True])
    cases.append(Case((same, same), "two models that never differ"))
    hint = "the reviews that count: those with one model right and the other wrong"
    return compare(function, solution("07", "errors_apart"), cases, hint)

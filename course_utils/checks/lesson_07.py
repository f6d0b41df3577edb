"""Checks of the exercises of lesson 07."""

import numpy as np

from course_utils.checks.compare import Case, compare


def count_pairs(function):
    """Check a count of pairs of neighbours: a text to a dict from pairs to counts."""
    cases = [
        Case(("a b a b",), {("a", "b"): 2, ("b", "a"): 1}),
        Case(("not good not bad",), _counts("not good", "good not", "not bad")),
        Case(("no no no",), {("no", "no"): 2}),
        Case(("alone",), {}, label="a text of one word"),
    ]

    def as_rows(text):
        return sorted((*pair, int(n)) for pair, n in dict(function(text)).items() if n)

    for case in cases:
        case.expected = sorted((*pair, n) for pair, n in case.expected.items())
    return compare(as_rows, cases, "which words stand side by side, and how often")


def _counts(*pairs):
    return {tuple(pair.split()): 1 for pair in pairs}


def reviews_needed(function):
    """Check the smallest number of reviews for a wanted standard error."""
    cases = [
        Case((0.5, 0.05), 100),
        Case((0.9, 0.01), 900),
        Case((0.8, 0.03), 178, hint="the rounding: fewer would give a larger error"),
        Case((0.7, 0.03), 234, hint="the rounding: up, not to the nearest"),
        Case((0.5, 0.25), 4, hint="the rounding: a whole number stays as it is"),
    ]
    hint = "error² = p (1 − p) / n, solved for n"
    return compare(function, cases, hint)


def errors_apart(function):
    """Check how many standard errors two models' answers lie from an even split."""
    cases = []
    for a, b, both, none in ((9, 0, 5, 3), (30, 20, 50, 10), (4, 12, 0, 7)):
        same = [True] * both + [False] * none
        one = np.array([True] * a + [False] * b + same)
        other = np.array([False] * a + [True] * b + same)
        expected = abs(a - b) / np.sqrt(a + b)
        name = f"{a} right with the first only, {b} with the second only, {both} both"
        cases.append(Case((one, other), expected, label=name))
    same = np.array([True, False, True])
    cases.append(Case((same, same), 0.0, label="two models that never differ"))
    hint = "the reviews that count: those with one model right and the other wrong"
    return compare(function, cases, hint)

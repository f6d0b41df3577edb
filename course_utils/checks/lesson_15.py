"""Checks of the exercises of lesson 15: unknown tokens, candidates, groups."""

import numpy as np

from course_utils.checks.compare import Case, compare, rows, solution


def unknown_rate(function):
    """Check `unknown_rate(texts, unknown)`: lists of tokens, and the unknown one."""
    cases = [
        Case(([text.split() for text in texts], "?"), name, hint)
        for texts, name, hint in rows("15", "unknown_rate")
    ]
    hint = "the unknown token, which counts; all other tokens don't"
    return compare(function, solution("15", "unknown_rate"), cases, hint)


def candidate_probabilities(function):
    """Check `candidate_probabilities(logits, candidates)`: (V,), C ids -> (C,)."""
    logits = np.random.default_rng(15).normal(size=7)
    large = np.array([0.0, 1000.0, 1001.0])
    overflow = "subtracting the largest logit before taking powers"
    cases = [
        Case((np.zeros(4), [0, 2]), "two equal logits"),
        Case((logits, [5, 1, 3]), "three of seven"),
        Case((large, [1, 2]), "large logits", overflow),
    ]
    hint = (
        "the softmax, the order of the candidates, and the sum: over the candidates "
        "alone it is 1"
    )
    return compare(function, solution("15", "candidate_probabilities"), cases, hint)


def mean_difference(function):
    """Check `mean_difference(rows)`: (G, V) probabilities -> one number."""
    same = np.tile([0.2, 0.3, 0.5], (3, 1))
    two = np.array([[1.0, 0.0, 0.0], [0.0, 0.5, 0.5]])
    several = np.random.default_rng(16).dirichlet(np.ones(5), size=4)
    half = "the factor 1/2: what one group has less, the other has more"
    pairs = "the pairs: each two different groups once, and no group with itself"
    cases = [
        Case((same,), "three groups with the same probabilities"),
        Case((two,), "two groups without a common word", half),
        Case((several,), "four groups", pairs),
    ]
    hint = "the sum of absolute differences of two groups"
    return compare(function, solution("15", "difference_of_groups"), cases, hint)

"""Checks of the exercises of lesson 15: unknown tokens, candidates, groups."""

import itertools

import numpy as np

from course_utils.checks.compare import Case, compare


def unknown_share(function):
    """Check `unknown_share(texts, unknown)`: lists of tokens, and the unknown one."""
    cases = [
        Case(
            ([["the", "cat"], ["a", "dog"]], "?"), 0.0, "texts without unknown tokens"
        ),
        Case(([["?", "?", "?"]], "?"), 1.0, "a text of unknown tokens only"),
        Case(
            ([["?", "cat"], ["a", "red", "dog", "ran", "to", "me"]], "?"),
            0.125,
            "a short and a long text",
            "what you divide by: the tokens of all texts together",
        ),
        Case(
            ([["?", "?", "b", "c"], ["d", "?", "?", "?"]], "?"),
            0.625,
            "texts with several unknown tokens",
            "what you count: tokens, not texts or different words",
        ),
    ]
    hint = "the unknown token, which counts; all other tokens don't"
    return compare(function, cases, hint)


def candidate_shares(function):
    """Check `candidate_shares(logits, candidates)`: (V,), C ids -> (C,), sum 1."""
    rng = np.random.default_rng(15)
    logits = rng.normal(size=7)
    cases = [
        Case((np.zeros(4), [0, 2]), np.array([0.5, 0.5]), "two equal logits"),
        Case(
            (logits, [5, 1, 3]), _candidate_shares(logits, [5, 1, 3]), "three of seven"
        ),
        Case(
            (np.array([0.0, 1000.0, 1001.0]), [1, 2]),
            _candidate_shares(np.array([0.0, 1.0, 2.0]), [1, 2]),
            "large logits",
            "subtracting the largest logit before taking powers",
        ),
    ]
    hint = (
        "the softmax, the order of the candidates, and the sum: over the candidates "
        "alone it is 1"
    )
    return compare(function, cases, hint)


def _candidate_shares(logits, candidates):
    powers = np.exp(logits[candidates])
    return powers / powers.sum()


def mean_difference(function):
    """Check `mean_difference(rows)`: (G, V) probabilities -> one number."""
    rng = np.random.default_rng(16)
    same = np.tile([0.2, 0.3, 0.5], (3, 1))
    two = np.array([[1.0, 0.0, 0.0], [0.0, 0.5, 0.5]])
    several = rng.dirichlet(np.ones(5), size=4)
    cases = [
        Case((same,), 0.0, "three groups with the same probabilities"),
        Case(
            (two,),
            1.0,
            "two groups without a common word",
            "the factor 1/2: what one group has less, the other has more",
        ),
        Case(
            (several,),
            _mean_difference(several),
            "four groups",
            "the pairs: each two different groups once, and no group with itself",
        ),
    ]
    return compare(function, cases, "the sum of absolute differences of two groups")


def _mean_difference(rows):
    pairs = itertools.combinations(rows, 2)
    return float(np.mean([np.abs(one - other).sum() / 2 for one, other in pairs]))

"""Checks of the exercises of the lesson "What attention sees"."""

import numpy as np

from course_utils.kit.checks.answers import what_attention_sees as answers
from course_utils.kit.checks.compare import Case, compare


def even_roles(function):
    """Check exercise 1, by hand: three roles of an even causal head, four tokens."""
    hint = "the four rows: 1, then two halves, three thirds, four quarters"
    return compare(function, answers.even_roles, [Case(())], hint)


def arriving(function):
    """Check exercise 2, build: lengths (H, T, S) of what heads bring."""
    rng = np.random.default_rng(12)
    weights = rng.dirichlet(np.ones(5), size=(3, 4))
    values = rng.normal(size=(3, 5, 2))
    kernel = rng.normal(size=(6, 6))
    cases = [
        Case((weights[:2], values[:2], kernel[:4, :4]), "two heads", "values, then W"),
        Case((weights, values, np.eye(6)), "W = the identity", "the root of a sum"),
        Case((weights, values, kernel), "three heads", "the rows of W of each head"),
    ]
    return compare(function, answers.arriving, cases, "the axes")


def mended_removal(function):
    """Check exercise 3, diagnose: the output matrix (D, D) without one head."""
    kernel = np.random.default_rng(13).normal(size=(6, 6))
    cases = [
        Case((kernel, head, num_heads), f"head {head} of {num_heads}, D = 6")
        for head, num_heads in ((0, 3), (1, 3), (2, 3), (1, 2))
    ]

    def own_copy_only(given, head, num_heads):
        result = function(given, head, num_heads)
        if not np.array_equal(given, kernel):
            raise ValueError("the matrix that was given has changed")
        return result

    hint = "the rows of this head, which stand together, and a copy of the matrix"
    return compare(own_copy_only, answers.mended_removal, cases, hint)


def end_probability(function):
    """Check exercise 4, investigate: two means of probabilities."""
    logits = np.random.default_rng(14).normal(size=(3, 4, 5))
    end = 3
    whole = np.array([[1, 2, 4, 3]] * 3)
    padded = np.array([[1, 3, 0, 0], [2, 1, 4, 3]])
    far = np.array([0, 1000, -1000])[:, None, None]
    cut = np.array([[1, 4, 0, 0], [2, 3, 1, 2]])
    cases = [
        Case(
            (logits, whole, end), "labels without padding", "the softmax and its axis"
        ),
        Case((logits[:2], padded, end), "labels with padding", "the rows of each mean"),
        Case((logits + far, whole, end), "large logits", "the largest, subtracted"),
        Case((logits[:2], cut, 4), "another end, and a row without", "the end given"),
    ]
    with np.errstate(all="ignore"):
        return compare(function, answers.end_probability, cases, "the means")

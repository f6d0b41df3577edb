"""Checks of the exercises of lesson 03."""

import numpy as np

from course_utils.kit.checks.answers import lesson_03 as answers
from course_utils.kit.checks.compare import Case, compare


def needed_score(function):
    """Check `needed_score(weight, others)`: the score that gives this weight."""
    cases = [
        Case((0.9, 1), "w = 0.9 and one other key", "w / (1 − w) is a power of e"),
        Case((0.5, 1), "w = 0.5 and one other key", "the key that is like the other"),
        Case((0.9, 9), "w = 0.9 and nine other keys", "n powers of e stand below"),
        Case((0.2, 4), "w = 0.2 and four other keys", "all weights are equal here"),
    ]
    return compare(function, answers.needed_score, cases, "w / (1 − w)")


def general_attention(function):
    """Check attention with the score q · (W k), padding included."""
    rng = np.random.default_rng(3)
    query = rng.normal(size=(2, 3, 4)).astype("float32")
    value = rng.normal(size=(2, 5, 2)).astype("float32")
    w = rng.normal(size=(4, 2)).astype("float32")
    real = np.arange(5) < np.array([[5], [3]])
    square = rng.normal(size=(2, 2)).astype("float32")
    shapes = "which side of the product w belongs to"
    padding = "the scores of padding, before the softmax"
    cases = [
        Case((query, value, real | True, w), "sentences without padding", shapes),
        Case((query, value, real, w), "a sentence with padding", padding),
        Case((value, value, real, square), "a square w", "w or its transpose"),
    ]

    def both(result):
        context, weights = result
        return np.array(context), np.array(weights)

    return compare(function, answers.general_attention, cases, "the shapes", both)


def mended_attention(function):
    """Check `mended_attention(query, value, real)`, in which a fault was."""
    rng = np.random.default_rng(5)
    query = rng.normal(size=(4, 3))
    value = rng.normal(size=(5, 3))
    all_real = np.ones(5, bool)
    axis = "the axis of the sum: a row belongs to one query"
    cases = [
        Case((query[:1], value, all_real), "one query alone", axis),
        Case((query, value, all_real), "four queries", axis),
        Case((query, value, np.arange(5) < 3), "padding", "the scores of padding"),
        Case((1e3 * query, value, all_real), "large scores", "a row's largest score"),
    ]
    with np.errstate(all="ignore"):
        return compare(function, answers.mended_attention, cases, axis)


def shifts(function):
    """Check `shifts(weights, links)` by its properties."""
    eye = np.eye(4)
    near = "the nearest gold link, the first of equally near ones"
    sign = "the sign (after the gold word is positive), and words without a link"
    spread = np.array([[0.4, 0.3, 0.3], [0.3, 0.3, 0.4]])
    cases = [
        Case((eye, [(3, 0), (0, 3), (1, 2)]), "three of four words linked", sign),
        Case((eye[[2, 0]], [(0, 0), (3, 0), (1, 1)]), "two gold links", near),
        Case((eye[[1]], [(0, 0), (2, 0)]), "two that are equally near", near),
        Case((eye[[1]], [(2, 0), (0, 0)]), "the later one named first", near),
        Case((spread, [(2, 0), (0, 1)]), "spread weights", "each row's largest weight"),
    ]
    return compare(function, answers.shifts, cases, "each row's largest weight")

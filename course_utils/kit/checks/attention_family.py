"""Checks of the exercises of the lesson "The attention family"."""

import numpy as np

from course_utils.kit.checks.answers import attention_family as answers
from course_utils.kit.checks.compare import Case, compare


def sharpness(function):
    """Check `sharpness(weight, others, cosine)`: the β that gives this weight."""
    some = (0.9, 1, 0.0), (0.5, 1, 0.3), (0.9, 9, -1.0), (0.99, 4, 0.8)
    cases = [Case(one, "w, n, c = {}, {}, {}".format(*one)) for one in some]
    hint = "w / (1 − w): the fitting key's power over those of n other keys"
    return compare(function, answers.sharpness, cases, hint)


def location_aware_scores(function):
    """Check the additive score that sees the weights of the step before."""
    rng = np.random.default_rng(3)
    shapes = (4,), (5, 4), (5,), (4, 3), (4, 3), (3, 3), (3,)
    parts = [rng.normal(size=shape) for shape in shapes]
    only = *parts[:3], 0 * parts[3], 0 * parts[4], *parts[5:]
    ends = "both ends of the source, and which row of F belongs to s − 1"
    cases = [
        Case(only, "w_query and w_keys of zeros", ends),
        Case(tuple(parts), "all parts"),
    ]
    hint = "what query and keys give, added before the tanh"
    return compare(function, answers.location_aware_scores, cases, hint)


def mended_weights(function):
    """Check `mended_weights`, in which two faults were: padding changes nothing."""
    scores = np.array([0.5, 2.0, 1.0, 0.0, 3.0, 9.0])
    real = np.arange(6) < 4
    when = "when the padding is left out: before the sum"
    length = "what share is of"
    cases = [
        Case((scores, 0.0, real, 20), "a wide window over padding", when),
        Case((scores, 0.5, real, 2), "a sentence with padding", length),
        Case((scores[::-1], 0.9, real, 3), "another sentence", length),
        Case((scores, 0.5, real | True, 3), "a sentence without padding", length),
        Case((scores, 0.5, real & (np.arange(6) < 3), 2), "three words", length),
    ]
    return compare(function, answers.mended_weights, cases, when)


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

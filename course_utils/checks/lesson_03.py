"""Checks of the exercises of lesson 03."""

import numpy as np

from course_utils.checks.compare import Case, compare, solution


def sharpness(function):
    """Check `sharpness(weight, others, cosine)`: the β that gives this weight."""
    power, all_others = "the sum of the powers", "that there are n other keys"
    cases = [
        Case((0.9, 1, 0.0), "one other key at a right angle: ln 9", power),
        Case((0.5, 1, 0.3), "the same weight for both", "β = 0: no key is preferred"),
        Case((0.9, 9, 0.0), "nine other keys", all_others),
        Case((0.9, 9, -1.0), "keys that point the other way", "both cosines"),
        Case((0.99, 4, 0.8), "four similar keys", "both cosines"),
    ]
    return compare(function, solution("03", "sharpness"), cases, "the difference")


def location_aware_scores(function):
    """Check the additive score that sees the weights of the step before."""
    rng = np.random.default_rng(3)
    query, keys = rng.normal(size=4), rng.normal(size=(5, 4))
    before = np.array([0.5, 0.0, 0.0, 0.2, 0.3])
    w_query, w_keys = rng.normal(size=(2, 4, 3))
    w_before, v = rng.normal(size=(3, 3)), rng.normal(size=3)
    nothing = np.zeros((4, 3))
    ends = "both ends of the source, and which row of F belongs to s − 1"
    cases = [
        Case((query, keys, 0 * before, w_query, w_keys, w_before, v), "no weights yet"),
        Case(
            (query, keys, before, nothing, nothing, w_before, v), "weights only", ends
        ),
        Case((query, keys, before, w_query, w_keys, w_before, v), "all", "the tanh"),
    ]
    hint = "W q and U k, added before the tanh"
    return compare(function, solution("03", "location_aware_scores"), cases, hint)


def mended_weights(function):
    """Check `mended_weights(scores, share, real, half_width)`: padding changes nothing."""
    scores = np.array([0.5, 2.0, 1.0, 0.0])
    padded, real = np.append(scores, [3.0, 9.0]), np.arange(6) < 4
    when, length = "when the padding is left out: before the sum", "what share is of"
    cases = [
        Case((scores, 0.5, np.ones(4, bool), 2), "a sentence alone", "the Gaussian"),
        Case((padded, 0.0, real, 20), "a wide window over padding", when),
        Case((padded, 0.5, real, 2), "the same sentence with padding", length),
        Case((padded[::-1], 0.9, real, 3), "another sentence", length),
    ]
    return compare(function, solution("03", "mended_weights"), cases, when)


def shifts(function):
    """Check `shifts(weights, links)` by its properties."""
    eye = np.eye(4)
    sign, near = "the sign: after the gold word is positive", "the nearest gold link"
    cases = [
        Case((eye, [(j, j) for j in range(4)]), "all on the gold words"),
        Case((eye[:, [3, 0, 1, 2]], [(j, j) for j in range(3)]), "one after", sign),
        Case((eye, [(3, 0), (0, 3)]), "the two ends exchanged", sign),
        Case((eye[[2, 0]], [(0, 0), (3, 0), (1, 1)]), "two gold links", near),
        Case((eye[[1]], [(0, 0), (2, 0)]), "equally near ones", "which link is first"),
        Case((eye, [(2, 3), (0, 1)]), "words without a link", "whom to leave out"),
    ]
    return compare(
        function, solution("03", "shifts"), cases, "the axes: rows are words"
    )

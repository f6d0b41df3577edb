"""Checks of the exercises of the lesson "Positions, measured"."""

import numpy as np

from course_utils.kit.checks.answers import positions_measured as answers
from course_utils.kit.checks.compare import Case, compare


def clock_products(function):
    """Check exercise 1, by hand: products of a turned query and a turned key."""
    right = answers.clock_products
    hint = "the angle of each hand, 90° times its position after where it began"
    return compare(function, right, [Case((), "your four products")], hint)


def penalised_weights(function):
    """Check exercise 2, build: weights (H, T, T) that fall with the distance."""
    rng = np.random.default_rng(6)
    cases = [Case((np.zeros((1, 3, 2), "float32"),) * 2, "one head, equal scores")]
    cases[0].hint = "the distances, the sign, and the slope 1/256 of a single head"
    for heads, length, width in ((2, 5, 4), (8, 3, 2), (3, 4, 2)):
        arrays = rng.normal(size=(2, heads, length, width)).astype("float32")
        cases.append(Case(tuple(arrays), f"{heads} heads of {width} columns"))
    hint = "the slope of each head, the division by √d, and the softmax's axis"
    return compare(function, answers.penalised_weights, cases, hint)


def mended_attention(function):
    """Check exercise 3, diagnose: rotary attention on (B, H, T, d)."""
    rng = np.random.default_rng(6)
    cases = []
    for shape, label, hint in (
        ((1, 2, 1, 4), "a single token in two heads", "the axis that counts positions"),
        ((1, 1, 5, 4), "five equal values", "what is turned, and what is not"),
        ((1, 1, 5, 4), "five tokens in one head", "what is turned, and by what"),
        ((2, 3, 4, 8), "two rows, three heads", "the axes"),
    ):
        arrays = rng.normal(size=(3, *shape)).astype("float32")
        if label == "five equal values":  # the weights don't matter
            arrays[2] = arrays[2, :, :, :1]
        cases.append(Case(tuple(arrays), label, hint))
    return compare(function, answers.mended_attention, cases, "the axes")


def explained_by_distance(function):
    """Check exercise 4, investigate: answers explained by each distance."""
    symbols = np.random.default_rng(6).integers(1, 21, (50, 12))
    said = np.where(np.arange(12) < 6, np.roll(symbols, 1, axis=1), symbols[:, [0]])
    cases = [
        Case((said, symbols, (5, 0, 1)), "distances 5, 0 and 1"),
        Case((said, symbols, (-3, -1)), "distances below 0", "symbols that come later"),
    ]
    hint = "which answers have a symbol at this distance: the others don't count"
    return compare(function, answers.explained_by_distance, cases, hint)

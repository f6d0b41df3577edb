"""Checks of the exercises of lesson 16."""

import numpy as np

from course_utils.checks.compare import Case, compare, solution


def softened(function):
    """Check `soften(logits, temperature)`: (B, N) -> (B, N) probabilities."""
    usual = np.array([[4.0, 2.0, 0.0], [0.0, 0.0, 3.0]])
    large = np.array([[1000.0, 998.0, 0.0]])
    before = "where T divides: the logits, before the exponential"
    overflow = "the largest logit of a row: subtract it"
    cases = [
        Case((usual, 1.0), "T = 1", "the axis of the sum: classes are axis 1"),
        Case((usual, 2.0), "T = 2", before),
        Case((large, 1.0), "logits near 1000", overflow),
    ]
    return compare(function, solution("16", "soften_batch"), cases, "the formula")


def mixed_loss(function):
    """Check `mixed_loss(labels, teacher, student, temperature, alpha)`: (B,) losses."""
    teacher, student = np.array([3.0, -1.0, 0.5]), np.array([1.0, 2.0, -0.5])
    known, some = np.array([1.0, 0.0, 0.0]), np.array([1.0, -1.0, -1.0])
    cases = [
        Case((labels, teacher, student, temperature, alpha), label, hint)
        for labels, temperature, alpha, label, hint in (
            (known, 1.0, 0.0, "α = 0", "the hard part: the label, at temperature 1"),
            (known, 1.0, 1.0, "α = 1, T = 1", "which part α belongs to: the teacher's"),
            (known, 4.0, 1.0, "α = 1, T = 4", "T: it divides logits, T² multiplies"),
            (known, 2.0, 0.5, "α = 0.5, T = 2", "the hard part: T has no place in it"),
            (some, 2.0, 0.5, "two texts without a label", "label -1: no hard part"),
        )
    ]
    return compare(function, solution("16", "mixed_loss"), cases, "the formula")


def rows_as_int8(function):
    """Check `rows_as_int8(table)`: (V, D) -> int8 (V, D) and step sizes (V,)."""
    plain = np.array([[0.5, -1.27, 0.016], [1.27, 0.2, 0.254]])
    uneven = np.array([[100.0, -50.0], [0.01, 0.002]])
    with_zeros = np.array([[0.0, 0.0], [1.0, -2.0]])
    cases = [
        Case((plain,), "two rows", "the rounding: to the nearest whole number"),
        Case((uneven,), "rows of very different size", "the step: one for each row"),
        Case((with_zeros,), "a row of zeros", "a step of 0: it can't divide"),
    ]

    def with_dtype(result):
        numbers, steps = result
        return numbers, steps, str(np.asarray(numbers).dtype)

    hint = "the step: a row's largest size / 127"
    return compare(function, solution("16", "rows_as_int8"), cases, hint, with_dtype)

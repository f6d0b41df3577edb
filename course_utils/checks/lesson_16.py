"""Checks of the exercises of lesson 16."""

import numpy as np

from course_utils.checks.compare import Case, compare, rows, solution


def softened(function):
    """Check `soften(logits, temperature)`: (B, N) -> (B, N) probabilities."""
    table = rows("16", "softened")
    cases = [Case((np.array(logits), t), *texts) for logits, t, *texts in table]
    return compare(function, solution("16", "soften_batch"), cases, "the formula")


def mixed_loss(function):
    """Check `mixed_loss(labels, teacher, student, temperature, alpha)`: (B,) losses."""
    teacher, student = np.array([3.0, -1.0, 0.5]), np.array([1.0, 2.0, -0.5])
    cases = [
        Case((np.array(labels), teacher, student, temperature, alpha), label, hint)
        for labels, temperature, alpha, label, hint in rows("16", "mixed_loss")
    ]
    return compare(function, solution("16", "mixed_loss"), cases, "the formula")


def rows_as_int8(function):
    """Check `rows_as_int8(table)`: (V, D) -> int8 (V, D) and step sizes (V,)."""
    table = rows("16", "rows_as_int8")
    cases = [Case((np.array(numbers),), *texts) for numbers, *texts in table]

    def with_dtype(result):
        numbers, steps = result
        return numbers, steps, str(np.asarray(numbers).dtype)

    hint = "the step: a row's largest size / 127"
    return compare(function, solution("16", "rows_as_int8"), cases, hint, with_dtype)

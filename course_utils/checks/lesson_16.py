"""Checks of the exercises of lesson 16."""

import numpy as np

from course_utils.checks.compare import Case, compare


def softened(function):
    """Check `soften(logits, temperature)`: (B, N) -> (B, N) probabilities."""
    usual = np.array([[4.0, 2.0, 0.0], [0.0, 0.0, 3.0]])
    large = np.array([[1000.0, 998.0, 0.0]])
    cases = []
    for logits, temperature, label, hint in (
        (usual, 1.0, "T = 1", "the axis of the sum: classes are axis 1"),
        (usual, 2.0, "T = 2", "where T divides: the logits, before the exponential"),
        (large, 1.0, "logits near 1000", "the largest logit of a row: subtract it"),
    ):
        cases.append(
            Case((logits, temperature), _soften(logits, temperature), label, hint)
        )
    return compare(function, cases, "the formula")


def _soften(logits, temperature):
    scores = logits / temperature
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


def mixed_loss(function):
    """Check `mixed_loss(labels, teacher, student, temperature, alpha)`: (B,) losses."""
    teacher, student = np.array([3.0, -1.0, 0.5]), np.array([1.0, 2.0, -0.5])
    known, some = np.array([1.0, 0.0, 0.0]), np.array([1.0, -1.0, -1.0])
    cases = []
    for labels, temperature, alpha, label, hint in (
        (known, 1.0, 0.0, "α = 0", "the hard part: the label, at temperature 1"),
        (known, 1.0, 1.0, "α = 1, T = 1", "which part α belongs to: the teacher's"),
        (
            known,
            4.0,
            1.0,
            "α = 1, T = 4",
            "T: it divides both logits, and T² multiplies the loss",
        ),
        (known, 2.0, 0.5, "α = 0.5, T = 2", "the hard part: T has no place in it"),
        (some, 2.0, 0.5, "two texts without a label", "label -1: no hard part"),
    ):
        expected = _mixed_loss(labels, teacher, student, temperature, alpha)
        arguments = labels, teacher, student, temperature, alpha
        cases.append(Case(arguments, expected, label, hint))
    return compare(function, cases, "the formula")


def _cross_entropy(target, logit):
    return np.log1p(np.exp(logit)) - target * logit


def _mixed_loss(labels, teacher, student, temperature, alpha):
    target = 1 / (1 + np.exp(-teacher / temperature))
    soft = temperature**2 * _cross_entropy(target, student / temperature)
    hard = np.where(labels == -1, 0.0, _cross_entropy(labels, student))
    return (1 - alpha) * hard + alpha * soft


def rows_as_int8(function):
    """Check `rows_as_int8(table)`: (V, D) -> int8 (V, D) and step sizes (V,)."""
    plain = np.array([[0.5, -1.27, 0.016], [1.27, 0.2, 0.254]])
    uneven = np.array([[100.0, -50.0], [0.01, 0.002]])
    with_zeros = np.array([[0.0, 0.0], [1.0, -2.0]])
    cases = [
        _int8_case(plain, "two rows", "the rounding: to the nearest whole number"),
        _int8_case(uneven, "rows of very different size", "the step: one for each row"),
        _int8_case(with_zeros, "a row of zeros", "a step of 0: it can't divide"),
    ]
    return compare(_with_dtype(function), cases, "the step: a row's largest size / 127")


def _with_dtype(function):
    """Return the function with the dtype of its first result as a third one."""

    def answer(table):
        numbers, steps = function(table)
        return numbers, steps, str(np.asarray(numbers).dtype)

    return answer


def _int8_case(table, label, hint):
    largest = np.abs(table).max(axis=1)
    steps = np.where(largest == 0, 1.0, largest / 127)
    numbers = np.round(table / steps[:, None]).astype("int8")
    return Case((table,), (numbers, steps, "int8"), label, hint)

"""Checks of the exercises of the lesson "Distillation"."""

import numpy as np

from course_utils.kit.checks.answers import distillation as answers
from course_utils.kit.checks.compare import Case, compare


def clear_review(function):
    """Check exercise 1, by hand: a softened answer, twice, and a derivative."""
    hint = "the odds 16 : 1, and their roots; the student is too low, so it has to rise"
    return compare(function, answers.clear_review, [Case(())], hint)


def serve_patiently(function):
    """Check exercise 2, build: times (N,) in a server that waits for a full batch."""
    seconds = np.array([0.0, 2.0, 2.5, 3.0, 3.5])

    def case(arrivals, most, patience, label, hint):
        return Case((np.array(arrivals), seconds, most, patience), label, hint)

    # These sums are exact in binary.
    cases = [
        case(
            [0.0, 1.0, 1.5, 1.75, 9.0], 4, 0.0, "no patience", "the server of section 7"
        ),
        case(
            [0.0, 0.5, 8.0, 16.0],
            2,
            1.0,
            "a batch that fills",
            "the arrival that makes it full",
        ),
        case(
            [0.0, 0.5, 0.75, 8.0],
            4,
            1.0,
            "a batch that doesn't fill",
            "the patience of the first one",
        ),
        case(
            [0.0, 0.25, 0.5, 0.75, 1.0],
            2,
            4.0,
            "a busy server",
            "the time at which it is free",
        ),
        case([0.0, 5.0], 1, 3.0, "one at a time", "a batch that is full at once"),
        case(
            [0.0, 1.0, 9.0],
            4,
            1.0,
            "an arrival just when the patience ends",
            ("who is there when a batch begins: also who comes at that moment"),
        ),
        case(
            [0.0, 0.5],
            4,
            2.0,
            "a last batch of two",
            "the end: the server does not know that nobody else comes",
        ),
    ]
    return compare(function, answers.serve_patiently, cases, "when a batch begins")


def mended_loss(function):
    """Check exercise 3, diagnose: the losses (B,) of distillation."""
    teacher = np.array([3.0, -1.0, 0.5])
    student = np.array([1.0, 2.0, -0.5])

    def case(labels, temperature, alpha, label, hint):
        arguments = (np.array(labels), teacher, student, temperature, alpha)
        return Case(arguments, label, hint)

    cases = [
        case(
            [1.0, 0.0, 0.0],
            1.0,
            0.0,
            "α = 0",
            "the hard part: the label, at temperature 1",
        ),
        case(
            [1.0, 0.0, 0.0],
            1.0,
            1.0,
            "α = 1, T = 1",
            "which part α belongs to: the teacher's",
        ),
        case(
            [1.0, 0.0, 0.0],
            4.0,
            1.0,
            "α = 1, T = 4",
            "T: it divides both logits, T² multiplies",
        ),
        case(
            [1.0, 0.0, 0.0],
            2.0,
            0.5,
            "α = 0.5, T = 2",
            "the hard part: T has no place in it",
        ),
        case(
            [1.0, -1.0, -1.0],
            2.0,
            0.5,
            "two reviews without a label",
            "label -1: no hard part",
        ),
    ]
    return compare(function, answers.mended_loss, cases, "the formula")


def lead(function):
    """Check exercise 4, investigate: a lead in points, and its paired interval."""
    rng = np.random.default_rng(16)
    teacher = rng.random(60) < 0.7
    students = rng.random((3, 60)) < 0.75
    draws = rng.integers(60, size=(200, 60))
    cases = [
        Case((teacher, students[:1], draws), "one student", "points, and both ends"),
        Case(
            (teacher, students, draws), "three students", "their mean, review by review"
        ),
        Case(
            (teacher, teacher[None], draws), "the teacher as its own student", "pairs"
        ),
    ]

    def flat(result):  # (lead, (low, high)) is as good
        return tuple(np.hstack(result))

    return compare(function, answers.lead, cases, "the percentiles", flat)

"""Checks of the exercises of the lesson "Distillation"."""

import numpy as np

from course_utils.kit.checks.compare import Case, compare, rows, solution


def clear_review(function):
    """Check exercise 1, by hand: a softened answer, twice, and a derivative."""
    hint = "the odds 16 : 1, and their roots; the student is too low, so it has to rise"
    return compare(function, solution("distillation", "clear_review"), [Case(())], hint)


def serve_patiently(function):
    """Check exercise 2, build: times (N,) in a server that waits for a full batch."""
    seconds = np.array([0.0, 2.0, 2.5, 3.0, 3.5])
    cases = [
        Case((np.array(arrivals), seconds, most, patience), label, hint)
        for arrivals, most, patience, label, hint in rows(
            "distillation", "serve_patiently"
        )
    ]
    right = solution("distillation", "serve_patiently")
    return compare(function, right, cases, "when a batch begins")


def mended_loss(function):
    """Check exercise 3, diagnose: the losses (B,) of distillation."""
    teacher, z = np.array([3.0, -1.0, 0.5]), np.array([1.0, 2.0, -0.5])
    cases = [
        Case((np.array(labels), teacher, z, temperature, alpha), label, hint)
        for labels, temperature, alpha, label, hint in rows(
            "distillation", "mended_loss"
        )
    ]
    return compare(
        function, solution("distillation", "mended_loss"), cases, "the formula"
    )


def lead(function):
    """Check exercise 4, investigate: a lead in points, and its paired interval."""
    rng = np.random.default_rng(16)
    teacher, students = rng.random(60) < 0.7, rng.random((3, 60)) < 0.75
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

    return compare(
        function, solution("distillation", "lead"), cases, "the percentiles", flat
    )

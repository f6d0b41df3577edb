"""Checks of the exercises of lesson 08."""

from course_utils.checks.compare import Case, compare, rows, solution


def tokens_needed(function):
    """Check exercise 1, by hand: the tokens that BLEU asks of a right beginning."""
    cases = [Case((r, b), hint=h or None) for r, b, h in rows("08", "tokens_needed")]
    hint = "e to the power 1 − r/c, solved for c"
    return compare(function, solution("08", "tokens_needed"), cases, hint)


def chrf(function):
    """Check exercise 2, build: chrF of one translation and one reference."""
    cases = [Case((a, b), hint=h or None) for a, b, h in rows("08", "chrf")]
    hint = "the two means, and how F weighs them"
    return compare(function, solution("08", "chrf"), cases, hint)


def honest_counts(function):
    """Check exercise 3, diagnose: the counts of BLEU, in which two faults were."""
    cases = [Case((a, b), hint=h) for a, b, h in rows("08", "honest_counts")]
    return compare(function, solution("08", "honest_counts"), cases, cases[0].hint)


def near_copies(function):
    """Check exercise 4, investigate: which tests are in training but for one word."""
    cases = [Case((a, b), hint=h) for a, b, h in rows("08", "near_copies")]
    return compare(function, solution("08", "near_copies"), cases, cases[0].hint)

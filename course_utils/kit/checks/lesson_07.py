"""Checks of the exercises of lesson 07."""

from course_utils.kit.checks.compare import by_rows


def tokens_needed(function):
    """Check exercise 1, by hand: the tokens that BLEU asks of a right beginning."""
    hint = "e to the power 1 − r/c, solved for c"
    return by_rows(function, "07", "tokens_needed", hint)


def chrf(function):
    """Check exercise 2, build: chrF of one translation and one reference."""
    return by_rows(function, "07", "chrf", "the two means, and how F weighs them")


def honest_counts(function):
    """Check exercise 3, diagnose: the counts of BLEU, in which two faults were."""
    return by_rows(function, "07", "honest_counts", "the smaller of two counts")


def near_copies(function):
    """Check exercise 4, investigate: which tests are in training but for one word."""
    return by_rows(function, "07", "near_copies", "sentences that differ in one word")

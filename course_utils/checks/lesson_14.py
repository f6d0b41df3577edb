"""Checks of the exercises of lesson 14."""

import numpy as np

from course_utils.checks.compare import Case, by_rows, compare, solution


def first_merges(function):
    """Check exercise 1, by hand: two merges of WordPiece, and a score."""
    hint = "how often each piece occurs, and each pair; a piece is given "
    hint += "as WordPiece writes it, with ## where it belongs"
    return compare(function, solution("14", "first_merges"), [Case(())], hint)


def whole_words(function):
    """Check exercise 2, build: `whole_words(pieces, chosen)`, a sorted list."""
    return by_rows(function, "14", "whole_words", "where a new word begins")


def mended_masking(function):
    """Check exercise 3, diagnose: the masking of one text, with two faults mended."""
    text, hint = [2, *range(21, 41), 3, 0], "the labels, and what may be chosen"
    cases = [
        Case((text, 50, np.random.default_rng(seed)), f"the draws of seed {seed}")
        for seed in range(20)
    ]
    return compare(function, solution("14", "mended_masking"), cases, hint)


def around(function):
    """Check exercise 4, investigate: `around(ids, position, reach)`."""
    return by_rows(function, "14", "around", "what is near the gap")

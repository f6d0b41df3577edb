"""Checks of the exercises of lesson 11."""

import numpy as np

from course_utils.kit.checks.compare import Case, by_rows, compare, solution


def first_merges(function):
    """Check exercise 1, by hand: two merges of WordPiece, and a score."""
    hint = "how often each piece occurs, and each pair; a piece is given "
    hint += "as WordPiece writes it, with ## where it belongs"
    return compare(function, solution("11", "first_merges"), [Case(())], hint)


def whole_words(function):
    """Check exercise 2, build: `whole_words(pieces, chosen)`, a sorted list."""
    return by_rows(function, "11", "whole_words", "where a new word begins")


def mended_masking(function):
    """Check exercise 3, diagnose: the masking of one text, with two faults mended."""
    hint = "the labels, what may be chosen, and the text, which has to stay as it was"
    cases = [([2, *range(21, 41), 3, 0], 50, "a text")]
    cases += [([2, *range(5, 16), 3, 0, 0, 0], 1000, "11 tokens and padding")]
    cases += [([2, 7, 8, 3], 1000, "two tokens")]
    cases = [
        Case((text, size, np.random.default_rng(seed)), f"{name}, seed {seed}")
        for text, size, name in cases
        for seed in range(20)
    ]
    right = solution("11", "mended_masking")
    return compare(_and_text(function), _and_text(right), cases, hint)


def _and_text(function):
    """Return the function that gives its result, and the text after the call."""
    return lambda ids, *others: (function(ids, *others), ids)


def around(function):
    """Check exercise 4, investigate: `around(ids, position, reach)`."""
    return by_rows(function, "11", "around", "what is near the gap")

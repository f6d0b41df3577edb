"""Checks of the exercises of lesson 11."""

import numpy as np

from course_utils.kit.checks.answers import lesson_11 as answers
from course_utils.kit.checks.compare import Case, compare


def first_merges(function):
    """Check exercise 1, by hand: two merges of WordPiece, and a score."""
    hint = "how often each piece occurs, and each pair; a piece is given "
    hint += "as WordPiece writes it, with ## where it belongs"
    return compare(function, answers.first_merges, [Case(())], hint)


def whole_words(function):
    """Check exercise 2, build: `whole_words(pieces, chosen)`, a sorted list."""
    cases = [
        Case(
            (
                ["un", "##watch", "films"],
                [2],
            ),
            "a word of one piece",
            "which pieces are added: none here",
        ),
        Case(
            (
                ["[CLS]", "un", "##watch", "##able", "[SEP]"],
                [1],
            ),
            "the first piece of three",
            "the pieces after the chosen one that begin with ##",
        ),
        Case(
            (
                ["[CLS]", "un", "##watch", "##able", "[SEP]"],
                [3],
            ),
            "the last piece of three",
            "the pieces before a chosen ##piece, back to the first",
        ),
        Case(
            (
                ["un", "##watch", "bore", "##d", "me"],
                [1, 2],
            ),
            "two words",
            "several words, each completed",
        ),
        Case(
            (
                ["un", "##watch", "##able", "me"],
                [0, 2],
            ),
            "two pieces of one word",
            "two chosen positions in one word: each position once",
        ),
        Case(
            (
                ["un", "##watch"],
                [],
            ),
            "no position chosen",
            "the empty list: nothing is added",
        ),
        Case(
            (
                ["a", "b", "c", "d", "e", "f", "g", "h", "un", "##watch", "end"],
                [9, 1],
            ),
            "positions in another order",
            "the order: sorted",
        ),
        Case(
            (
                ["the", "#", "1", "film"],
                [1],
            ),
            "the piece #",
            "the pieces that begin with ##, not with #",
        ),
    ]
    return compare(function, answers.whole_words, cases, "where a new word begins")


def mended_masking(function):
    """Check exercise 3, diagnose: the masking of one text, with two faults mended."""
    texts = {
        "a text": ([2, *range(21, 41), 3, 0], 50),
        "11 tokens and padding": ([2, *range(5, 16), 3, 0, 0, 0], 1000),
        "two tokens": ([2, 7, 8, 3], 1000),
    }
    cases = [
        Case((ids, size, np.random.default_rng(seed)), f"{name}, seed {seed}")
        for name, (ids, size) in texts.items()
        for seed in range(20)
    ]

    def and_text(masking):
        """Return the function that gives its result, and the text after the call."""

        def run(ids, vocab_size, rng):
            result = masking(ids, vocab_size, rng)
            return result, ids

        return run

    hint = "the labels, what may be chosen, and the text, which has to stay as it was"
    return compare(and_text(function), and_text(answers.mended_masking), cases, hint)


def around(function):
    """Check exercise 4, investigate: `around(ids, position, reach)`."""
    cases = [
        Case(
            (
                [11, 12, 13, 14, 15, 16, 17],
                3,
                2,
            ),
            "a gap in the middle",
            ("how many pieces stay on each side, and where the gap stands then"),
        ),
        Case(
            (
                [11, 12, 13, 14, 15],
                1,
                3,
            ),
            "a gap near the beginning",
            (
                "the left side: it ends at the text's beginning, and an index"
                " below 0 counts from the end"
            ),
        ),
        Case(
            (
                [11, 12, 13, 14, 15],
                4,
                2,
            ),
            "a gap at the end",
            "the right side: nothing is left there",
        ),
        Case(
            (
                [11, 12, 13],
                1,
                0,
            ),
            "a reach of 0",
            "what stays: [CLS], [MASK] and [SEP]",
        ),
    ]
    return compare(function, answers.around, cases, "what is near the gap")

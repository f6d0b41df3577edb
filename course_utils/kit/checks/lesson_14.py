"""Checks of the exercises of lesson 14."""

import numpy as np

from course_utils.kit.checks.answers import lesson_14 as answers
from course_utils.kit.checks.compare import Case, compare


def calibrated_by_hand(function):
    """Check exercise 1, by hand: accuracies at three thresholds."""
    hint = "which log-odds lie above 0, above 2.5 and above the median"
    return compare(function, answers.calibrated_by_hand, [Case(())], hint)


def rouge_l(function):
    """Check exercise 2, build: the F1 of the longest common subsequence."""

    def case(summary, right, hint):
        name = f"{summary!r} and {right!r}"
        return Case((summary.split(), right.split()), name, hint)

    cases = [
        case("a dull film", "a dull film", "the F1 of two equal texts, 1"),
        case(
            "man bites dog",
            "dog bites man",
            "the order: only words in the same order count",
        ),
        case(
            "the film is not dull",
            "the film was dull",
            "gaps: the words need not stand side by side",
        ),
        case("a a b", "a b b b", "repeated words: each counts once on each side"),
        case(
            "one two three four five six",
            "three six",
            "the F1: twice the words over both lengths",
        ),
        case(
            "b a c", "a b c a", "the larger of the two neighbours, where words differ"
        ),
        case("", "a film", "an empty text"),
        case("", "", "two empty texts, 0"),
        case(
            "oh no a dull film",
            "a very dull long film oh no",
            "the longest one: a word that is taken too soon hides others",
        ),
        case(
            "a very dull long film oh no",
            "oh no a dull film",
            "the longest one: a word that is taken too soon hides others",
        ),
    ]
    return compare(function, answers.rouge_l, cases, "the table")


def own_examples_out(function):
    """Check exercise 3, diagnose: examples among which the review isn't."""
    cases = [
        Case(
            ("A dull film.", [("A dull film.", 0), ("Clever!", 1), ("Weak.", 0)], 1),
            "the review itself in the pool",
            "the review itself among its examples",
        ),
        Case(
            ("A dull film.", [("a  dull film. ", 0), ("Clever!", 1), ("Weak.", 0)], 1),
            "a copy with other spaces",
            "copies: the same words, whatever the case and the spaces",
        ),
        Case(
            (
                "New.",
                [("One.", 1), ("Two.", 1), ("Three.", 0), ("Four.", 1), ("Five.", 0)],
                2,
            ),
            "two of each label",
            "as many of each label, of equally alike ones the first",
        ),
        Case(
            ("New.", [("One.", 0), ("Two.", 1), ("Three.", 0)], 1),
            "the order",
            ("the order: label 0 first; of equally alike ones the first of the pool"),
        ),
        Case(
            ("New film", [("New film", 1), ("New", 1), ("Old", 0)], 1),
            "a part of the review",
            "whole texts: a shared word is no copy",
        ),
        Case(
            ("Man bites dog", [("Dog bites man", 0), ("Man bites dog or not", 1)], 1),
            "other texts of the same words",
            "whole texts, in their order: these are no copies",
        ),
        Case(
            (
                "A dull film.",
                [
                    ("A dull film.", 0),
                    ("a   dull FILM.", 0),
                    ("Weak.", 0),
                    ("Clever!", 1),
                ],
                1,
            ),
            "two copies",
            "every copy, with any number of spaces",
        ),
        Case(
            (
                "A dull, slow film.",
                [
                    ("Fun.", 1),
                    ("A fun film.", 1),
                    ("Old.", 0),
                    ("A new film.", 0),
                    ("A slow film.", 0),
                ],
                2,
            ),
            "words in common",
            "the friend's order: the most alike first",
        ),
    ]

    def as_tuples(pairs):
        return tuple(tuple(pair) for pair in pairs)

    hint = "what may be an example"
    return compare(function, answers.own_examples_out, cases, hint, as_tuples)


def disagreement(function):
    """Check exercise 4, investigate: rate of disagreement, accuracy of the majority."""
    cases = [
        Case(
            (
                np.array([[1, 0, 1]]),
                np.array([1, 1, 1]),
            ),
            "one prompt",
            "a single prompt agrees with itself",
        ),
        Case(
            (
                np.array([[1, 0, 1, 1], [1, 1, 0, 1], [1, 0, 0, 1]]),
                np.array([1, 0, 1, 0]),
            ),
            "three prompts",
        ),
        Case(
            (
                np.array([[1, 0], [0, 0]]),
                np.array([1, 0]),
            ),
            "a tie",
            "a tie: it counts half",
        ),
        Case(
            (
                np.array([[1, 0, 0], [0, 1, 0], [0, 1, 1], [1, 1, 1]]),
                np.array([0, 1, 0]),
            ),
            "four prompts",
            "the majority, and ties",
        ),
    ]
    hint = "the axis: prompts are rows, reviews are columns"
    return compare(function, answers.disagreement, cases, hint)

"""Checks of the exercises of the lesson "Which model, when?"."""

import numpy as np

from course_utils.kit.checks.answers import which_model_when as answers
from course_utils.kit.checks.compare import Case, compare


def rule_by_hand(function):
    """Check exercise 1, by hand: what the rule of thumb says of three data sets."""
    hint = "the mean length: it is what the number of texts is divided by"
    return compare(function, answers.rule_by_hand, [Case(())], hint)


def distant_pairs(function):
    """Check exercise 2, build: `distant_pairs(text, farthest)`, a list of tuples."""
    cases = [
        Case(
            (
                "not very good",
                1,
            ),
            "neighbours",
            "the pairs: with a distance of 1 they are neighbours",
        ),
        Case(
            (
                "not very good",
                2,
            ),
            "three words, distance 2",
            "the distance: up to `farthest`, and not only `farthest`",
        ),
        Case(
            (
                "a b a b",
                3,
            ),
            "words that are repeated",
            "how often a pair occurs: each time counts",
        ),
        Case(
            (
                "b a",
                5,
            ),
            "a distance beyond the end of the text",
            "the order (the earlier word first) and the end of the text",
        ),
        Case(
            (
                "It isn't good",
                1,
            ),
            "capitals and signs",
            "the words: what stands between spaces, as it is",
        ),
        Case(
            (
                "alone",
                2,
            ),
            "a text of one word",
            "a text of one word: it has no pairs",
        ),
    ]
    return compare(
        function, answers.distant_pairs, cases, "the pairs of one word", sorted
    )


def honest_score(function):
    """Check exercise 3, diagnose: `honest_score(texts, labels)` of 80 texts."""

    def case(seed, label, coins):
        """Return 80 texts whose labels one word decides, or a coin."""
        random = np.random.default_rng(seed)
        words = random.integers(40, size=(80, 8))
        if coins:
            labels = random.integers(2, size=80)
        else:
            labels = (words == 7).any(axis=1).astype(int)
        texts = [" ".join(f"word{n}" for n in text) for text in words]
        return Case((texts, labels), label)

    cases = [
        case(0, "labels that a word decides", coins=False),
        case(6, "labels by a coin", coins=True),
        case(8, "labels by a second coin", coins=True),
        case(10, "labels by a third coin", coins=True),
        case(5, "strengths that are equally good", coins=False),
    ]
    hint = "which part chooses features and strength"
    return compare(function, answers.honest_score, cases, hint)


def labels_needed(function):
    """Check exercise 4: `labels_needed(numbers, accuracies, wanted)`."""
    cases = [
        Case(
            (
                [500, 2000],
                [0.5, 0.9],
                0.7,
            ),
            "a straight rise",
            "the axis: a straight line over the logarithm of the number",
        ),
        Case(
            (
                [500, 1000, 4000],
                [0.6, 0.7, 0.8],
                0.8,
            ),
            "a curve that just reaches it at its end",
            "what just reaches `wanted`: it counts",
        ),
        Case(
            (
                [500, 1000, 2000, 4000],
                [0.6, 0.9, 0.7, 0.9],
                0.8,
            ),
            "a curve that falls below it again",
            ("where the curve crosses for the last time: it has to stay above"),
        ),
        Case(
            (
                [500, 1000, 2000],
                [0.9, 0.7, 0.9],
                0.8,
            ),
            "a curve that begins above and falls below",
            ("where the curve crosses for the last time: it has to stay above"),
        ),
        Case(
            (
                [500, 1000, 2000, 4000],
                [0.6, 0.9, 0.7, 0.9],
                0.7,
            ),
            "a curve that comes down to it and rises again",
            "what just reaches `wanted`: it counts",
        ),
        Case(
            (
                [500, 1000, 2000],
                [0.9, 0.8, 0.9],
                0.7,
            ),
            "a curve that is above from its first point on",
            "the first measured number: less was not measured",
        ),
        Case(
            (
                [500, 1000, 2000],
                [0.6, 0.9, 0.7],
                0.8,
            ),
            "a curve that ends below",
            "its last point: below `wanted` the answer is infinite",
        ),
    ]
    hint = "the last piece that rises to `wanted`"
    return compare(function, answers.labels_needed, cases, hint)

"""Checks of the exercises of lesson 13."""

import numpy as np

from course_utils.kit.checks.answers import lesson_13 as answers
from course_utils.kit.checks.compare import Case, compare


def lora_by_hand(function):
    """Check exercise 1, by hand: weights of LoRA, and a percentage."""
    hint = "both thin matrices, (768, 8) and (8, 768), beside two matrices in 12 blocks"
    cases = [Case((), "the count and the percentage", f"{hint}, and per cent")]

    def in_hundredths(pair):  # 0.27 is as good as 0.268
        count, percentage = pair
        return count, np.round(percentage, 2)

    return compare(function, answers.lora_by_hand, cases, hint, in_hundredths)


def contrastive_loss(function):
    """Check exercise 2, build: the loss of vectors that have to find each other."""
    cases = [
        Case(
            (
                np.array([[1.0, 0.0], [0.0, 1.0]]),
                np.array([[1.0, 0.0], [0.0, 1.0]]),
                1.0,
            ),
            "two pairs, scale 1",
            ("the logits, cosines times the scale, and the mean over the texts"),
        ),
        Case(
            (
                np.array([[3.0, 0.0], [0.0, 0.5]]),
                np.array([[2.0, 0.0], [0.0, 7.0]]),
                1.0,
            ),
            "vectors of any length",
            "the cosines, which don't depend on lengths",
        ),
        Case(
            (
                np.array([[1.0, 0.0], [0.6, 0.8]]),
                np.array([[0.8, 0.6], [1.0, 0.1]]),
                5.0,
            ),
            "pairs that are confused",
            "both directions: rows, and columns",
        ),
        Case(
            (
                np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]),
                np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]),
                3.0,
            ),
            "three pairs",
            "the mean over the texts, not the sum",
        ),
        Case(
            (
                np.array([[1.0, 0.0], [0.0, 1.0]]),
                np.array([[1.0, 0.0], [0.0, 1.0]]),
                2000.0,
            ),
            "a large scale",
            "powers of e: take each row's maximum off before",
        ),
        Case(
            (
                np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]]),
                np.array([[0.8, 0.6], [1.0, 0.1], [-1.0, 0.5]]),
                5.0,
            ),
            "three pairs that are confused",
            "both directions, each with the maxima of its own rows",
        ),
        Case(
            (
                np.array([[1.0, 0.0], [0.0, 1.0]]),
                np.array([[1.0, 0.0], [1.0, 0.0]]),
                2000.0,
            ),
            "a large scale, and a pair that is not found",
            (
                "powers of e: take each row's own maximum off, and no "
                "logarithm of a power that is 0"
            ),
        ),
    ]
    return compare(function, answers.contrastive_loss, cases, "the diagonal")


def mended_vectors(function):
    """Check exercise 3, diagnose: one vector for a sentence, whatever its batch."""
    states = np.random.default_rng(15).normal(size=(3, 5, 4)) + 1
    mask = np.array([[1, 1, 0, 0, 0], [1, 1, 1, 1, 1], [1, 0, 0, 0, 0]])
    alone = "the padding, and other rows: neither may change a row"
    cases = [
        Case((states[1:2], mask[1:2]), "a batch of one, no padding", "the length, 1"),
        Case((states[:1, :2], mask[:1, :2]), "a sentence alone", alone),
        Case((states, mask), "the same sentence in a batch", alone),
    ]
    return compare(function, answers.mended_vectors, cases, alone)


def paired_difference(function):
    """Check exercise 4, investigate: a difference of accuracies, and its error."""
    cases = [
        Case(
            (
                np.array([1, 1, 0, 1]),
                np.array([1, 0, 0, 0]),
            ),
            "four questions",
            (
                "the four differences: their mean, and their deviation (N - "
                "1) over the root of N"
            ),
        ),
        Case(
            (
                np.array([1, 1, 0, 0, 1, 0]),
                np.array([0, 0, 1, 1, 1, 0]),
            ),
            "as many wins on both sides",
            "the differences, each -1, 0 or 1: not two separate accuracies",
        ),
        Case(
            (
                np.array([0, 1, 0]),
                np.array([1, 1, 1]),
            ),
            "the other one is better",
            "the sign: the first minus the other",
        ),
        Case(
            (
                np.array([1, 0, 1, 1, 0]),
                np.array([1, 0, 1, 1, 0]),
            ),
            "the same answers",
            "equal answers have no error",
        ),
    ]
    return compare(function, answers.paired_difference, cases, "the differences")

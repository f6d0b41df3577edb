"""Checks of the exercises of lesson 13."""

import numpy as np

from course_utils.kit.checks.compare import Case, by_arrays, compare, solution


def lora_by_hand(function):
    """Check exercise 1, by hand: weights of LoRA, and a percentage."""
    hint = "both thin matrices, (768, 8) and (8, 768), beside two matrices in 12 blocks"
    cases = [Case((), "the count and the percentage", f"{hint}, and per cent")]

    def in_hundredths(pair):  # 0.27 is as good as 0.268
        count, percentage = pair
        return count, np.round(percentage, 2)

    return compare(function, solution("13", "lora_by_hand"), cases, hint, in_hundredths)


def contrastive_loss(function):
    """Check exercise 2, build: the loss of vectors that have to find each other."""
    return by_arrays(function, "13", "contrastive_loss", "the diagonal")


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
    return compare(function, solution("13", "mended_vectors"), cases, alone)


def paired_difference(function):
    """Check exercise 4, investigate: a difference of accuracies, and its error."""
    return by_arrays(function, "13", "paired_difference", "the differences")

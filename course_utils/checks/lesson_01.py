"""Checks of the exercises of lesson 01."""

import numpy as np

from course_utils.checks.compare import Case, compare, solution


def skip_gram_pairs(function):
    """Check the (centre, context) pairs of one sentence, in any order."""
    cases = [
        Case((text.split(), window), f"{text!r}, window {window}")
        for text, window in (
            ("the king fished", 1),
            ("the king saw the queen", 2),
            ("the more the better", 2),
            ("the river", 5),
            ("rain", 3),
        )
    ]

    def in_order(pairs):
        return len(pairs), sorted(f"{centre} {context}" for centre, context in pairs)

    hint = "both ends of the sentence, both sides of a word, and the word itself"
    right = solution("01", "skip_gram_pairs")
    return compare(function, right, cases, hint, in_order)


def negative_sampling_loss(function):
    """Check the loss of one pair of words and its negatives."""
    cases = []
    rng = np.random.default_rng(1)
    for width, number in ((2, 1), (4, 3), (8, 5)):
        centre, context = rng.normal(size=(2, width))
        negatives = rng.normal(size=(number, width))
        label = f"width {width}, number of negatives: {number}"
        cases.append(Case((centre, context, negatives), label))
    zeros = np.zeros(3)
    cases.append(Case((zeros, zeros, np.zeros((2, 3))), "vectors of zeros"))
    hint = "the sign before each score, and that the negatives are added up"
    return compare(function, solution("01", "negative_sampling_loss"), cases, hint)


def nearest_centroid(function):
    """Check which sense's mean vector is the nearest to each new vector."""
    rng = np.random.default_rng(2)
    # The mean of money is (6, 1): the middle lies at 3, not at 2.
    five = np.array([[0.0, 0.0], [0.0, 2.0], [4.0, 0.0], [4.0, 2.0], [10.0, 1.0]])
    senses = np.array(["river", "river", "money", "money", "money"])
    new = np.array([[2.5, 1.0], [3.5, 1.0], [-9.0, 0.0]])
    far = np.array([[9.0, 9.0], [9.5, 9.5], [1.0, 1.0], [1.5, 1.5]])
    days = np.array(["day", "day", "fruit", "fruit"])
    names = np.array(["a", "b", "c"])[np.arange(30) % 3]
    random = rng.normal(size=(30, 4)), names, rng.normal(size=(20, 4))
    cases = [
        Case((five, senses, new), "5 vectors"),
        Case((far, days, np.array([[2.0, 2.0], [8.0, 8.0]])), "vectors of two lengths"),
        Case(random, "three senses"),
    ]
    hint = "the distance to the *mean* of each sense: the smallest one wins"
    return compare(function, solution("01", "nearest_centroid"), cases, hint)

"""Checks of the exercises of lesson 01."""

import numpy as np

from course_utils.checks.compare import Case, compare


def skip_gram_pairs(function):
    """Check the (centre, context) pairs of one sentence, in any order."""
    cases = []
    for text, window in (
        ("the king fished", 1),
        ("the king saw the queen", 2),
        ("the more the better", 2),
        ("the river", 5),
        ("rain", 3),
    ):
        words = text.split()
        pairs = []
        for t, centre in enumerate(words):
            for s in range(len(words)):
                if s != t and abs(s - t) <= window:
                    pairs.append(f"{centre} {words[s]}")
        expected = len(pairs), sorted(pairs)
        cases.append(Case((words, window), expected, f"{text!r}, window {window}"))

    def ordered(words, window):
        pairs = function(list(words), window)
        pairs = sorted(f"{centre} {context}" for centre, context in pairs)
        return len(pairs), pairs

    hint = "both ends of the sentence, both sides of a word, and the word itself"
    return compare(ordered, cases, hint)


def negative_sampling_loss(function):
    """Check the loss of one pair of words and its negatives."""
    cases = []
    rng = np.random.default_rng(1)
    for width, number in ((2, 1), (4, 3), (8, 5)):
        centre, context = rng.normal(size=(2, width))
        negatives = rng.normal(size=(number, width))
        label = f"width {width}, number of negatives: {number}"
        expected = _loss(centre, context, negatives)
        cases.append(Case((centre, context, negatives), expected, label))
    zeros = np.zeros(3)
    cases.append(
        Case((zeros, zeros, np.zeros((2, 3))), 3 * np.log(2), "vectors of zeros")
    )
    hint = "the sign before each score, and that the negatives are added up"
    return compare(function, cases, hint)


def _loss(centre, context, negatives):
    scores = np.concatenate([[centre @ context], -(negatives @ centre)])
    return np.log1p(np.exp(-scores)).sum()


def nearest_centroid(function):
    """Check which sense's mean vector is the nearest to each new vector."""
    cases = []
    rng = np.random.default_rng(2)
    two = np.array([[0.0, 0.0], [0.0, 2.0], [4.0, 0.0], [4.0, 2.0], [10.0, 1.0]])
    senses = np.array(["river", "river", "money", "money", "money"])
    # The mean of money is (6, 1): the middle lies at 3, not at 2.
    new = np.array([[2.5, 1.0], [3.5, 1.0], [-9.0, 0.0]])
    cases.append(
        Case((two, senses, new), np.array(["river", "money", "river"]), "5 vectors")
    )
    far = np.array([[9.0, 9.0], [9.5, 9.5], [1.0, 1.0], [1.5, 1.5]])
    senses = np.array(["day", "day", "fruit", "fruit"])
    new = np.array([[2.0, 2.0], [8.0, 8.0]])
    cases.append(
        Case((far, senses, new), np.array(["fruit", "day"]), "vectors of two lengths")
    )
    vectors = rng.normal(size=(30, 4))
    names = np.array(["a", "b", "c"])[np.arange(30) % 3]
    new = rng.normal(size=(20, 4))
    means = np.stack([vectors[names == name].mean(axis=0) for name in "abc"])
    nearest = np.linalg.norm(new[:, None] - means[None], axis=-1).argmin(axis=1)
    cases.append(
        Case((vectors, names, new), np.array(list("abc"))[nearest], "three senses")
    )
    hint = "the distance to the *mean* of each sense: the smallest one wins"
    return compare(function, cases, hint)

"""Checks of the exercises of lesson 14."""

import numpy as np

from course_utils.checks.compare import Case, compare


def cut_word(function):
    """Check `cut_word(word, vocabulary)`: a list of pieces."""
    vocabulary = {"un", "seen", "##seen", "##s", "##een", "film", "##ed", "u", "##n"}
    cases = []
    for word, pieces, hint in (
        ("film", ["film"], "a word that is a piece as a whole"),
        ("un", ["un"], "the longest match, tried before shorter ones"),
        ("unseen", ["un", "##seen"], "the later pieces: they begin with ##"),
        ("films", ["film", "##s"], "the first piece: the longest known beginning"),
        ("seened", ["seen", "##ed"], None),
        ("unfilm", ["[UNK]"], "a rest that fits no piece: all of the word is [UNK]"),
        ("Ω", ["[UNK]"], "an unknown character: all of the word is [UNK]"),
    ):
        label = f"the word {word!r}"
        cases.append(Case((word, set(vocabulary)), tuple(pieces), label, hint))
    return compare(function, cases, "the longest piece from the left, then the rest")


def masked_loss(function):
    """Check `masked_loss(logits, labels)`: (M, V), (M,) -> a number."""
    even = np.zeros((2, 4))
    logits = np.random.default_rng(0).normal(size=(5, 7))
    labels = np.array([3, 6, 0, 2, 0])
    cases = [
        Case(
            (even, np.array([1, 3])),
            np.log(4),
            "all tokens equally likely",
            "softmax over the V tokens, and the natural logarithm",
        ),
        Case(
            (logits, labels),
            _loss(logits, labels),
            "two unused places",
            "places with the label 0: they count neither in the sum nor in the mean",
        ),
        Case(
            (1000 * logits, labels),
            _loss(1000 * logits, labels),
            "large logits",
            "overflow: subtract the largest logit of each row first",
        ),
    ]
    return compare(function, cases, "−log of the probability of the right token")


def _loss(logits, labels):
    shifted = logits - logits.max(axis=-1, keepdims=True)
    log_probs = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    used = np.flatnonzero(labels)
    return -log_probs[used, labels[used]].mean()


def whole_words(function):
    """Check `whole_words(pieces, chosen)`: a sorted list of places."""
    pieces = ["[CLS]", "un", "##watch", "##able", "films", "bore", "##d", "me", "[SEP]"]
    cases = []
    for chosen, places, hint in (
        ([4], [4], "a word of one piece: nothing is added"),
        ([1], [1, 2, 3], "the pieces after the chosen one that begin with ##"),
        ([3], [1, 2, 3], "the pieces before a chosen ##piece, back to the first"),
        ([2, 5], [1, 2, 3, 5, 6], "several words, each completed"),
        ([1, 3], [1, 2, 3], "two chosen places in one word: each place once"),
        ([], [], "no place chosen"),
    ):
        label = f"chosen places {chosen}"
        cases.append(Case((list(pieces), list(chosen)), tuple(places), label, hint))
    return compare(function, cases, "a new word begins at each piece without ##")

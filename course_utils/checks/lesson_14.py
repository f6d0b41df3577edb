"""Checks of the exercises of lesson 14."""

import numpy as np

from course_utils.checks.compare import Case, compare, rows, solution


def cut_word(function):
    """Check `cut_word(word, vocabulary)`: a list of pieces."""
    vocabulary = {"un", "seen", "##seen", "##s", "##een", "film", "##ed", "u", "##n"}
    cases = [
        Case((word, vocabulary), f"the word {word!r}", hint)
        for word, hint in rows("14", "cut_word")
    ]
    hint = "the longest piece from the left, then the rest"
    return compare(function, solution("14", "cut_word"), cases, hint, tuple)


def masked_loss(function):
    """Check `masked_loss(logits, labels)`: (M, V), (M,) -> a number."""
    even = np.zeros((2, 4)), np.array([1, 3])
    logits = np.random.default_rng(0).normal(size=(5, 7))
    labels = np.array([3, 6, 0, 2, 0])
    natural = "softmax over the V tokens, and the natural logarithm"
    unused = "positions with the label 0: they count neither in the sum nor in the mean"
    overflow = "overflow: subtract the largest logit of each row first"
    cases = [
        Case(even, "all tokens equally likely", natural),
        Case((logits, labels), "two unused positions", unused),
        Case((1000 * logits, labels), "large logits", overflow),
    ]
    hint = "−log of the probability of the right token"
    return compare(function, solution("14", "masked_loss"), cases, hint)


def whole_words(function):
    """Check `whole_words(pieces, chosen)`: a sorted list of positions."""
    pieces = ["[CLS]", "un", "##watch", "##able", "films", "bore", "##d", "me", "[SEP]"]
    cases = [
        Case((pieces, chosen), f"chosen positions {chosen}", hint)
        for chosen, hint in rows("14", "whole_words")
    ]
    hint = "a new word begins at each piece without ##"
    return compare(function, solution("14", "whole_words"), cases, hint)

"""Checks of the exercises of lesson 14."""

import numpy as np

from course_utils.checks.compare import Case, compare, solution


def cut_word(function):
    """Check `cut_word(word, vocabulary)`: a list of pieces."""
    vocabulary = {"un", "seen", "##seen", "##s", "##een", "film", "##ed", "u", "##n"}
    cases = [
        Case((word, vocabulary), f"the word {word!r}", hint)
        for word, hint in (
            ("film", "a word that is a piece as a whole"),
            ("un", "the longest match, tried before shorter ones"),
            ("unseen", "the later pieces: they begin with ##"),
            ("films", "the first piece: the longest known beginning"),
            ("seened", None),
            ("unfilm", "a rest that fits no piece: all of the word is [UNK]"),
            ("Ω", "an unknown character: all of the word is [UNK]"),
        )
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
        for chosen, hint in (
            ([4], "a word of one piece: nothing is added"),
            ([1], "the pieces after the chosen one that begin with ##"),
            ([3], "the pieces before a chosen ##piece, back to the first"),
            ([2, 5], "several words, each completed"),
            ([1, 3], "two chosen positions in one word: each position once"),
            ([], "no position chosen"),
        )
    ]
    hint = "a new word begins at each piece without ##"
    return compare(function, solution("14", "whole_words"), cases, hint)

"""Checks of the exercises of lesson 10."""

import numpy as np

from course_utils.kit.checks.answers import lesson_10 as answers
from course_utils.kit.checks.compare import Case, compare


def bits_of_words(function):
    """Check exercise 1, by hand: bits per character of a perplexity per word."""
    cases = [
        Case(
            (
                64,
                400,
                100,
            ),
            hint="the bits of a word, divided by its characters",
        ),
        Case(
            (
                16,
                10,
                10,
            ),
            hint="the logarithm with base 2",
        ),
        Case(
            (
                2,
                3000,
                500,
            ),
            hint="bits per character: not per word",
        ),
        Case(
            (
                1,
                50,
                7,
            ),
            hint="a model that is always certain and right needs no bits",
        ),
        Case(
            (
                50,
                45,
                10,
            ),
            hint=(
                "neither the logarithm nor characters / words has to be a whole number"
            ),
        ),
    ]
    return compare(function, answers.bits_of_words, cases, "the bits of a word")


def forbidden(function):
    """Check exercise 2, build: what would complete a run of n for the second time."""
    cases = [
        Case(
            (
                [5, 6, 7, 5, 6],
                3,
            ),
            hint="what followed the last n - 1 tokens earlier",
        ),
        Case(
            (
                [5, 6, 7, 5, 6, 8, 5, 6],
                3,
            ),
            hint="every place where they stand, not one only",
        ),
        Case(
            (
                [5, 6, 7],
                3,
            ),
            hint="a run that stands there once only: nothing is forbidden yet",
        ),
        Case(
            (
                [5, 5, 5],
                2,
            ),
            hint="runs that overlap",
        ),
        Case(
            (
                [7, 5, 7, 4],
                1,
            ),
            hint="n = 1: each token that was written, each once, in order",
        ),
        Case(
            (
                [5],
                3,
            ),
            hint="fewer than n - 1 tokens",
        ),
        Case(
            (
                [],
                2,
            ),
            hint="fewer than n - 1 tokens",
        ),
        Case(
            (
                [9, 5, 6, 4, 5, 6],
                4,
            ),
            hint="n - 1 tokens, not fewer",
        ),
        Case(
            (
                [5, 5],
                2,
            ),
            hint="the run that stands at the very end: it counts, too",
        ),
        Case(
            (
                [5, 5, 5, 7, 5, 5],
                3,
            ),
            hint="runs that overlap",
        ),
        Case(
            (
                [5, 6, 8, 5, 6, 7, 5, 6],
                3,
            ),
            hint="the order: sorted",
        ),
        Case(
            (
                [5, 9, 8, 15, 6, 7, 5, 6],
                3,
            ),
            hint="all n - 1 tokens, as numbers",
        ),
    ]
    return compare(function, answers.forbidden, cases, "the last n - 1 tokens")


def peeks(function):
    """Check exercise 3, diagnose: at which positions a model sees later ids."""
    ids = np.random.default_rng(13).integers(4, 12, (2, 7))
    row = np.arange(4, 12).repeat(3)[None]
    cases = [
        Case(
            (_seeing(range(-6, 1)), ids),
            "a causal model",
            "a model that sees only the past: no position peeks",
        ),
        Case(
            (_seeing([0, 1]), ids),
            "a model that sees one position ahead",
            "the position after t, and the last position, which has none",
        ),
        Case(
            (_seeing([-1, 3]), ids),
            "a model that sees three positions ahead",
            "all ids after t, not the next one only",
        ),
        Case(
            (_seeing(range(-6, 7)), ids),
            "a model that sees everything",
            "a copy of the ids for each t",
        ),
        Case(
            (_seeing([]), ids),
            "a model that sees nothing",
            "what changes at t, not at the changed positions",
        ),
        Case(
            (_seeing([0, 1]), row),
            "one row with ids that repeat",
            "the later ids: each gets another",
        ),
    ]
    return compare(function, answers.peeks, cases, "the later ids")


def _seeing(places):
    """Return a model of 12 ids whose logits at t are made of the ids at t + place."""
    table = np.zeros((12, 12))  # the first logit never changes
    table[4:, 1:] = np.random.default_rng(0).normal(size=(8, 11)) / 100

    def model(ids):
        if np.min(ids) < 4 or np.max(ids) > 11:
            raise ValueError("an id that is not from 4 to 11")
        positions = np.arange(np.shape(ids)[1])
        distances = positions - positions[:, None]  # (T, T)
        return np.isin(distances, list(places)) @ table[np.asarray(ids)]  # (B, T, V)

    return model


def contexts(function):
    """Check exercise 4, investigate: the ids before each target."""
    cases = [
        Case(
            (
                np.array([4, 5, 6, 7, 8, 9]),
                2,
                3,
            ),
            hint="the ids before a target, without itself",
        ),
        Case(
            (
                np.array([4, 5, 6, 7, 8, 9]),
                1,
                3,
            ),
            hint="the same targets for every size: all from `first` on",
        ),
        Case(
            (
                np.array([9, 4, 7, 7, 5]),
                3,
                3,
            ),
            hint="the first target, which has only just enough before it",
        ),
        Case(
            (
                np.array([9, 4, 7, 7, 5]),
                4,
                4,
            ),
            hint="the last target, which counts, too",
        ),
    ]
    return compare(function, answers.contexts, cases, "the ids before a target")

"""Checks of the exercises of lesson 10."""

import numpy as np

from course_utils.kit.checks.compare import Case, compare, rows, solution


def bits_of_words(function):
    """Check exercise 1, by hand: bits per character of a perplexity per word."""
    cases = [Case(tuple(given), hint=h) for *given, h in rows("10", "bits_of_words")]
    return compare(function, solution("10", "bits_of_words"), cases, cases[0].hint)


def forbidden(function):
    """Check exercise 2, build: what would complete a run of n for the second time."""
    cases = [Case((ids, n), hint=h) for ids, n, h in rows("10", "forbidden")]
    return compare(function, solution("10", "forbidden"), cases, cases[0].hint)


def peeks(function):
    """Check exercise 3, diagnose: at which positions a model sees later ids."""
    ids = np.random.default_rng(13).integers(4, 12, (2, 7))
    cases = [
        Case((_seeing(places), ids), label, hint)
        for places, label, hint in rows("10", "peeks")
    ]
    row, hint = np.arange(4, 12).repeat(3)[None], "the later ids: each gets another"
    cases.append(Case((_seeing([0, 1]), row), "one row with ids that repeat", hint))
    return compare(function, solution("10", "peeks"), cases, cases[0].hint)


def _seeing(places):
    """Return a model of 12 ids whose logits at t are made of the ids at t + place."""
    table = np.zeros((12, 12))  # the first logit never changes
    table[4:, 1:] = np.random.default_rng(0).normal(size=(8, 11)) / 100

    def model(ids):
        if np.min(ids) < 4 or np.max(ids) > 11:
            raise ValueError("an id that is not from 4 to 11")
        places_apart = np.subtract.outer(*[np.arange(np.shape(ids)[1])] * 2).T
        return np.isin(places_apart, places) @ table[np.asarray(ids)]  # (B, T, V)

    return model


def contexts(function):
    """Check exercise 4, investigate: the ids before each target."""
    cases = [
        Case((np.array(ids), size, first), hint=hint)
        for ids, size, first, hint in rows("10", "contexts")
    ]
    return compare(function, solution("10", "contexts"), cases, cases[0].hint)

"""Checks of the exercises of lesson 10."""

import numpy as np

from course_utils.checks.compare import Case, compare, rows, solution


def by_hand(function):
    """Check exercise 1, by hand: two ways, and two lengths from which it costs more."""
    cases = [Case((), "the four numbers", rows("10", "by_hand")[0])]
    return compare(function, solution("10", "by_hand"), cases, "the counts")


def drawn_gaps(function):
    """Check exercise 2, build: `drawn_gaps(score, one, other, seeds, sentences)`."""
    rng = np.random.default_rng(1)
    one, other = rng.normal(0, [[1.0], [5.0], [9.0]], (2, 3, 40))
    seeds, sentences = rng.integers(3, size=(6, 2, 3)), rng.integers(40, size=(6, 40))
    scores = {"mean": np.mean, "ratio": lambda x: x.sum() / np.abs(x).sum()}
    cases = [
        Case((scores[score], a, b, s, sentences), name, hint)
        for score, a, b, s, (name, hint) in zip(
            ("mean", "mean", "ratio"),
            (one, one, one),
            (one, other, other[:2]),
            (seeds[:, :1].repeat(2, 1), seeds, np.minimum(seeds, 1)),
            rows("10", "drawn_gaps"),
            strict=True,
        )
    ]
    return compare(function, solution("10", "drawn_gaps"), cases, "the draws")


def fair_lead(function):
    """Check exercise 3, diagnose: `fair_lead(one, other, minutes)`."""
    models = {name: _trainings(*about) for name, *about in rows("10", "trainings")}
    cases = [
        Case((models[one], models[other], minutes), name, hint)
        for one, other, minutes, name, hint in rows("10", "fair_lead")
    ]
    return compare(function, solution("10", "fair_lead"), cases, "what is chosen")


def _trainings(minutes, first, gain, epochs):
    """Return three trainings: minutes of their epochs, BLEU at first and its gains."""
    epochs = np.arange(1, epochs + 1)
    bleu = np.array(first)[:, None] + gain * np.sqrt(epochs)
    return {"minutes": np.array(minutes)[:, None] * epochs, "bleu": bleu}


def growth(function):
    """Check exercise 4, investigate: `growth(rows, seconds)`."""
    sizes = np.array([1.0, 4, 16, 64, 256])
    rng = np.random.default_rng(4)
    cases = [
        Case((sizes[:n], 0.01 * sizes[:n] ** p * _noise(rng, kind, n)), name, hint)
        for p, n, kind, name, hint in rows("10", "growth")
    ]
    return compare(function, solution("10", "growth"), cases, "the slope")


def _noise(rng, kind, count):
    """Return factors (5, N): none, one slow measurement, or all different."""
    factors = np.ones((5, count))
    if kind == "slow":
        factors[2, -1] = 50.0
    return factors if kind != "all" else rng.uniform(1, 3, factors.shape)

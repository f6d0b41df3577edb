"""Checks of the exercises of the lesson "RNN or Transformer?"."""

import numpy as np

from course_utils.kit.checks.compare import Case, compare, rows, solution


def by_hand(function):
    """Check exercise 1, by hand: two ways, and two lengths from which it costs more."""
    (hint,) = rows("rnn_or_transformer", "by_hand")
    cases = [Case((), "the four numbers")]
    return compare(function, solution("rnn_or_transformer", "by_hand"), cases, hint)


def drawn_gaps(function):
    """Check exercise 2, build: `drawn_gaps(score, one, other, seeds, sentences)`."""
    rng = np.random.default_rng(1)
    models = rng.normal(0, [[1.0], [5.0], [9.0]], (2, 3, 40))
    draws = rng.integers(3, size=(6, 2, 3)), rng.integers(40, size=(6, 40))
    scores = {"mean": np.mean, "ratio": lambda x: x.sum() / np.abs(x).sum()}
    cases = [
        Case((scores[score], models[0], models[other], *draws), name, hint)
        for score, other, name, hint in rows("rnn_or_transformer", "drawn_gaps")
    ]
    pairs = np.stack([models, models**2], axis=-1)  # (2, R, N, 2)

    def ratio(x):
        return x[:, 0].sum() / x[:, 1].sum()

    name, hint = "two numbers of each sentence", "the axes: R, N and what is known"
    cases.append(Case((ratio, *pairs, *draws), name, hint))
    return compare(
        function, solution("rnn_or_transformer", "drawn_gaps"), cases, "the draws"
    )


def fair_lead(function):
    """Check exercise 3, diagnose: `fair_lead(one, other, minutes)`."""
    models, epochs = {}, np.arange(1, 10)
    for name, minutes, first, gain in rows("rnn_or_transformer", "trainings"):
        bleu = np.add.outer(first, gain * np.sqrt(epochs))
        models[name] = {"minutes": np.outer(minutes, epochs**1.2), "bleu": bleu}
    cases = [
        Case((models[one], models[other], minutes), name, hint)
        for one, other, minutes, name, hint in rows("rnn_or_transformer", "fair_lead")
    ]
    return compare(
        function, solution("rnn_or_transformer", "fair_lead"), cases, "what is chosen"
    )


def growth(function):
    """Check exercise 4, investigate: `growth(rows, seconds)`."""
    cases = [
        Case((np.array(sizes), np.array(seconds)), name, hint)
        for sizes, seconds, name, hint in rows("rnn_or_transformer", "growth")
    ]
    return compare(
        function, solution("rnn_or_transformer", "growth"), cases, "the slope"
    )

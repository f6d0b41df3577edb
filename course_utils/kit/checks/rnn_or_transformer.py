"""Checks of the exercises of the lesson "RNN or Transformer?"."""

import numpy as np

from course_utils.kit.checks.answers import rnn_or_transformer as answers
from course_utils.kit.checks.compare import Case, compare


def by_hand(function):
    """Check exercise 1, by hand: two ways, and two lengths from which it costs more."""
    hint = (
        "how much of the way is in steps; 12 D² a word for the GRU, "
        "8 D² + 4 T D for self-attention; and more is not as many"
    )
    return compare(function, answers.by_hand, [Case((), "the four numbers")], hint)


def drawn_gaps(function):
    """Check exercise 2, build: `drawn_gaps(score, one, other, seeds, sentences)`."""
    rng = np.random.default_rng(1)
    models = rng.normal(0, [[1.0], [5.0], [9.0]], (2, 3, 40))  # (2, R, N)
    seeds = rng.integers(3, size=(6, 2, 3))
    sentences = rng.integers(40, size=(6, 40))
    two_numbers = np.stack([models, models**2], axis=-1)  # (2, R, N, 2)

    def ratio(x):
        return x.sum() / np.abs(x).sum()

    def ratio_of_sums(x):
        return x[:, 0].sum() / x[:, 1].sum()

    one, other = models
    shared = "the draws: each has its own trainings, both have the same sentences"
    order = "the order: score each training, then take the mean"
    axes = "the axes: R, N and what is known"
    cases = [
        Case((np.mean, one, one, seeds, sentences), "a model against itself", shared),
        Case((np.mean, one, other, seeds, sentences), "two models", shared),
        Case((ratio, one, other, seeds, sentences), "a score that isn't a mean", order),
        Case(
            (ratio_of_sums, two_numbers[0], two_numbers[1], seeds, sentences),
            "two numbers of each sentence",
            axes,
        ),
    ]
    return compare(function, answers.drawn_gaps, cases, "the draws")


def fair_lead(function):
    """Check exercise 3, diagnose: `fair_lead(one, other, minutes)`."""

    def trainings(minutes_of_epoch, before, gain):
        """Return minutes and BLEU of three trainings after each of nine epochs."""
        epochs = np.arange(1, 10)
        minutes = np.outer(minutes_of_epoch, epochs**1.2)
        return {"minutes": minutes, "bleu": np.add.outer(before, gain * epochs**0.5)}

    slow = trainings([4.0, 4.2, 4.4], [18.0, 20.0, 21.0], 3.0)
    fast = trainings([1.0, 1.5, 2.5], [17.0, 18.0, 22.0], 3.0)
    falls = trainings([1.0, 1.1, 1.2], [30.0, 31.0, 33.0], -4.0)
    cases = [
        Case(
            (slow, slow, 10),
            "a model against itself",
            "what is chosen after looking: for one model only",
        ),
        Case(
            (slow, fast, 9.1),
            "a fast and a slow model",
            "the budget: minutes, not epochs, for each training",
        ),
        Case(
            (falls, slow, 9.1),
            "a model that gets worse",
            "which epoch: the last one by then, not the best",
        ),
        Case(
            (fast, slow, 3.2),
            "none of one model's epochs has ended",
            "a training without an epoch: it counts 0",
        ),
        Case(
            (fast, slow, 4.2),
            "an epoch that ends just then",
            "the budget: what ends with it has ended by then",
        ),
    ]
    return compare(function, answers.fair_lead, cases, "what is chosen")


def growth(function):
    """Check exercise 4, investigate: `growth(rows, seconds)`."""
    cases = [
        Case(
            (
                np.array([1, 4, 16, 64]),
                np.array([[0.5, 2.0, 8.0, 32.0], [0.5, 2.0, 8.0, 32.0]]),
            ),
            "seconds as many as rows",
            "the slope: seconds upwards, rows to the right",
        ),
        Case(
            (
                np.array([1, 2, 16]),
                np.array([[1.0, 2.0, 16.0]]),
            ),
            "rows at uneven distances",
            "the logarithms",
        ),
        Case(
            (
                np.array([1, 4, 16]),
                np.array([[3.0, 3.0, 3.0], [3.0, 3.0, 3.0]]),
            ),
            "seconds that don't grow",
            "the logarithms",
        ),
        Case(
            (
                np.array([1, 4, 16]),
                np.array([[1.0, 2.0, 4.0], [1.0, 2.0, 90.0], [1.0, 2.0, 4.0]]),
            ),
            "one slow measurement",
            "the rounds: their median, not their mean",
        ),
        Case(
            (
                np.array([1, 4, 16]),
                np.array(
                    [[1.0, 2.5, 4.0], [2.0, 3.0, 9.0], [1.5, 9.0, 4.5], [4.0, 2.0, 5.0]]
                ),
            ),
            "rounds that all differ",
            "the order: first the median, then the logarithm",
        ),
        Case(
            (
                np.array([1, 4, 16, 64, 256]),
                np.array([[3.0, 3.1, 4.0, 9.0, 40.0]]),
            ),
            "a curve",
            "the straight line: through all points, by least squares",
        ),
    ]
    return compare(function, answers.growth, cases, "the slope")

"""Exercises of "RNN or Transformer?": right answers pass, likely mistakes do not."""

import numpy as np
import pytest
from exercise_battery import accepts, agrees, rejects
from numpy import array

from course_utils.kit.checks import rnn_or_transformer as checks
from course_utils.kit.checks.answers import rnn_or_transformer as answers

# by_hand


@pytest.mark.parametrize(
    "wrong, says",
    [
        (lambda: (30, 1, 257, 1), "steps"),
        (lambda: (29, 1, 256, 1), "not as many"),
        (lambda: (29, 29, 257, 1), "steps"),
        (lambda: (29, 1, 257, 0), "more"),
    ],
)
def test_by_hand_rejects(wrong, says):
    rejects(checks.by_hand, wrong, says)


def test_by_hand_accepts():
    accepts(checks.by_hand, answers.by_hand)


@pytest.mark.parametrize(
    "arguments, value",
    [((), (29, 1, 257, 1))],
)
def test_by_hand_by_hand(arguments, value):
    agrees(answers.by_hand, arguments, value)


# Two trainings of three sentences each; a draw takes sentence 0 twice, or 1 and 2.
ONE, OTHER = array([[4.0, 2, 0], [8, 6, 4]]), array([[1.0, 1, 3], [3, 3, 5]])

SEEDS = array([[[0, 0], [1, 1]], [[0, 1], [0, 0]]])

ROWS = array([[0, 0], [1, 2]])

TWO_EACH = [np.stack([x * 0, x], axis=-1) for x in (ONE, OTHER)]


# drawn_gaps


def drawn_gaps_same_seeds_for_other(score, one, other, seeds, sentences):
    gaps = []
    for (ours, theirs), rows in zip(seeds, sentences):
        mean = np.mean([score(one[i][rows]) for i in ours])
        gaps.append(mean - np.mean([score(other[i][rows]) for i in ours]))  # wrong
    return np.array(gaps)


def drawn_gaps_other_sentences_not_drawn(score, one, other, seeds, sentences):
    gaps = []
    for (ours, theirs), rows in zip(seeds, sentences):
        mean = np.mean([score(one[i][rows]) for i in ours])
        gaps.append(mean - np.mean([score(other[i]) for i in theirs]))  # wrong
    return np.array(gaps)


def drawn_gaps_draws_last_axis(score, one, other, seeds, sentences):
    gaps = []
    for (ours, theirs), rows in zip(seeds, sentences):
        mean = np.mean([score(one[i][..., rows]) for i in ours])  # wrong
        gaps.append(mean - np.mean([score(other[i][rows]) for i in theirs]))
    return np.array(gaps)


def drawn_gaps_first_training_only(score, one, other, seeds, sentences):
    gaps = []
    for (ours, theirs), rows in zip(seeds, sentences):
        mean = np.mean([score(one[i][rows]) for i in [0]])  # wrong
        gaps.append(mean - np.mean([score(other[i][rows]) for i in theirs]))
    return np.array(gaps)


def drawn_gaps_joins_trainings(score, one, other, seeds, sentences):
    gaps = []
    for (ours, theirs), rows in zip(seeds, sentences):
        mean = score(np.concatenate([one[i][rows] for i in ours]))  # wrong
        gaps.append(mean - np.mean([score(other[i][rows]) for i in theirs]))
    return np.array(gaps)


@pytest.mark.parametrize(
    "wrong, says",
    [
        (drawn_gaps_same_seeds_for_other, "its own trainings"),
        (drawn_gaps_other_sentences_not_drawn, "the same sentences"),
        (drawn_gaps_draws_last_axis, "the axes"),
        (drawn_gaps_first_training_only, ""),
        (drawn_gaps_joins_trainings, "the order"),
    ],
)
def test_drawn_gaps_rejects(wrong, says):
    rejects(checks.drawn_gaps, wrong, says)


def test_drawn_gaps_accepts():
    accepts(checks.drawn_gaps, answers.drawn_gaps)


@pytest.mark.parametrize(
    "arguments, value",
    [
        ((np.mean, ONE, OTHER, SEEDS, ROWS), [1, 1]),
        ((lambda x: x[:, 1].mean(), *TWO_EACH, SEEDS, ROWS), [1, 1]),
    ],
)
def test_drawn_gaps_by_hand(arguments, value):
    agrees(answers.drawn_gaps, arguments, value)


# By minute 4 the first model has 18, 20, 22 after one epoch, the second 24, 24, 20.
EPOCHS = np.ones((3, 1)) * [1, 2, 3]

SLOW = {"minutes": 4 * EPOCHS, "bleu": 16 + 4 * EPOCHS + [[-2], [0], [2]]}

FAST = {"minutes": EPOCHS * [[1], [1], [2]], "bleu": 12 + 4 * EPOCHS}

NEVER = {"minutes": 9 * EPOCHS, "bleu": 90 * EPOCHS}


def friendly(one, other, minutes):
    """Return what the exercise's script says."""
    epochs = (one["minutes"].mean(axis=0) <= minutes).sum()
    best = one["bleu"][:, :epochs].max()
    return best - other["bleu"][:, epochs - 1].mean()


# fair_lead


def fair_lead_minutes_of_first(one, other, minutes):
    means = []
    for model in (one, other):
        ended = (one["minutes"] <= minutes).sum(axis=1)  # wrong
        scores = np.pad(model["bleu"], ((0, 0), (1, 0)))  # no epoch: 0
        means.append(scores[np.arange(len(ended)), ended].mean())
    return means[0] - means[1]


def fair_lead_fewest_epochs(one, other, minutes):
    means = []
    for model in (one, other):
        # wrong:
        ended = (model["minutes"] <= minutes).sum(axis=1).min() * np.ones(
            3, int
        )  # (R,)
        scores = np.pad(model["bleu"], ((0, 0), (1, 0)))  # no epoch: 0
        means.append(scores[np.arange(len(ended)), ended].mean())
    return means[0] - means[1]


def fair_lead_best_training(one, other, minutes):
    means = []
    for model in (one, other):
        ended = (model["minutes"] <= minutes).sum(axis=1)  # (R,)
        scores = np.pad(model["bleu"], ((0, 0), (1, 0)))  # no epoch: 0
        means.append(scores[np.arange(len(ended)), ended].max())  # wrong
    return means[0] - means[1]


def fair_lead_best_epoch(one, other, minutes):
    means = []
    for model in (one, other):
        ended = (model["minutes"] <= minutes).sum(axis=1)  # (R,)
        scores = np.pad(model["bleu"], ((0, 0), (1, 0)))  # no epoch: 0
        means.append(scores[:, : ended.max() + 1].max(axis=1).mean())  # wrong
    return means[0] - means[1]


def fair_lead_strictly_earlier(one, other, minutes):
    means = []
    for model in (one, other):
        ended = (model["minutes"] < minutes).sum(axis=1)  # wrong
        scores = np.pad(model["bleu"], ((0, 0), (1, 0)))  # no epoch: 0
        means.append(scores[np.arange(len(ended)), ended].mean())
    return means[0] - means[1]


def fair_lead_first_epoch_minutes(one, other, minutes):
    means = []
    for model in (one, other):
        # wrong:
        ended = np.minimum(
            minutes // model["minutes"][:, 0], model["bleu"].shape[1]
        ).astype(int)  # (R,)
        scores = np.pad(model["bleu"], ((0, 0), (1, 0)))  # no epoch: 0
        means.append(scores[np.arange(len(ended)), ended].mean())
    return means[0] - means[1]


def fair_lead_padded_with_first_score(one, other, minutes):
    means = []
    for model in (one, other):
        ended = (model["minutes"] <= minutes).sum(axis=1)  # (R,)
        scores = np.pad(model["bleu"], ((0, 0), (1, 0)), "edge")  # wrong
        means.append(scores[np.arange(len(ended)), ended].mean())
    return means[0] - means[1]


@pytest.mark.parametrize(
    "wrong, says",
    [
        (fair_lead_minutes_of_first, "minutes, not epochs"),
        (fair_lead_fewest_epochs, "for each training"),
        (fair_lead_best_training, ""),
        (fair_lead_best_epoch, ""),
        (fair_lead_strictly_earlier, "what ends with it"),
        (fair_lead_first_epoch_minutes, "minutes, not epochs"),
        (fair_lead_padded_with_first_score, "it counts 0"),
        (friendly, "for one model only"),
    ],
)
def test_fair_lead_rejects(wrong, says):
    rejects(checks.fair_lead, wrong, says)


def test_fair_lead_accepts():
    accepts(checks.fair_lead, answers.fair_lead)


@pytest.mark.parametrize(
    "arguments, value",
    [((SLOW, FAST, 4), -8 / 3), ((FAST, NEVER, 2.5), 56 / 3)],
)
def test_fair_lead_by_hand(arguments, value):
    agrees(answers.fair_lead, arguments, value)


TIMES = array([[1.0, 2, 4], [1, 2, 4], [9, 9, 9]])


# growth


def growth_mean_of_rounds(rows, seconds):
    return np.polyfit(np.log(rows), np.log(np.mean(seconds, axis=0)), 1)[0]  # wrong


def growth_mean_of_logarithms(rows, seconds):
    return np.polyfit(np.log(rows), np.mean(np.log(seconds), axis=0), 1)[0]  # wrong


def growth_rows_without_logarithm(rows, seconds):
    return np.polyfit(rows, np.log(np.median(seconds, axis=0)), 1)[0]  # wrong


def growth_intercept(rows, seconds):
    return np.polyfit(np.log(rows), np.log(np.median(seconds, axis=0)), 1)[1]  # wrong


def growth_ends_only(rows, seconds):
    # wrong:
    return np.log(
        np.median(seconds, axis=0)[-1] / np.median(seconds, axis=0)[0]
    ) / np.log(rows[-1] / rows[0])


@pytest.mark.parametrize(
    "wrong, says",
    [
        (growth_mean_of_rounds, "not their mean"),
        (growth_mean_of_logarithms, ""),
        (growth_rows_without_logarithm, ""),
        (growth_intercept, ""),
        (growth_ends_only, "least squares"),
    ],
)
def test_growth_rejects(wrong, says):
    rejects(checks.growth, wrong, says)


def test_growth_accepts():
    accepts(checks.growth, answers.growth)


@pytest.mark.parametrize(
    "arguments, value",
    [
        ((array([1, 2, 4]), TIMES), 1.0),
        ((array([1, 4, 16]), TIMES), 0.5),
    ],
)
def test_growth_by_hand(arguments, value):
    agrees(answers.growth, arguments, value)

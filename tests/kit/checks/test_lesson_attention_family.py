"""Exercises of "The attention family": right answers pass, likely mistakes do not."""

import numpy as np
import pytest
from exercise_battery import accepts, agrees, rejects
from numpy import array, exp, log, ones, tanh, zeros

from course_utils.kit.checks import attention_family as checks
from course_utils.kit.checks.answers import attention_family as answers

# sharpness


def sharpness_one_other_key(weight, others, cosine):
    return np.log(weight / (1 - weight)) / (1 - cosine)  # wrong


def sharpness_ignores_cosine(weight, others, cosine):
    return np.log(others * weight / (1 - weight))  # wrong


def sharpness_odds_of_one(weight, others, cosine):
    return np.log(others * weight / 1) / (1 - cosine)  # wrong


def sharpness_adds_cosine(weight, others, cosine):
    return np.log(others * weight / (1 - weight)) / (1 + cosine)  # wrong


@pytest.mark.parametrize(
    "wrong, says",
    [
        (sharpness_one_other_key, "n other keys"),
        (sharpness_ignores_cosine, ""),
        (sharpness_odds_of_one, ""),
        (sharpness_adds_cosine, ""),
    ],
)
def test_sharpness_rejects(wrong, says):
    rejects(checks.sharpness, wrong, says)


def test_sharpness_accepts():
    accepts(checks.sharpness, answers.sharpness)


@pytest.mark.parametrize(
    "arguments, value",
    [
        ((0.9, 1, 0.0), log(9)),
        ((0.5, 4, -1.0), log(2)),
        ((0.8, 1, 0.5), log(16)),
    ],
)
def test_sharpness_by_hand(arguments, value):
    agrees(answers.sharpness, arguments, value)


NONE, ONE = zeros((1, 1)), ones((1, 1))

QUERY, KEYS, ROWS = array([1.0]), array([[0.0], [2.0], [0.0]]), array([[1.0], [0], [3]])


# location_aware_scores


def location_aware_scores_rows_reversed(
    query, keys, before, w_query, w_keys, w_before, v
):
    wide = np.pad(before, 1)  # 0 outside of the source
    near = np.stack([wide[2:], wide[1:-1], wide[:-2]], axis=1)  # wrong
    hidden = query @ w_query + keys @ w_keys + near @ w_before  # (S, U)
    return np.tanh(hidden) @ v


def location_aware_scores_source_is_a_ring(
    query, keys, before, w_query, w_keys, w_before, v
):
    wide = np.pad(before, 1, mode="wrap")  # wrong
    near = np.stack([wide[:-2], wide[1:-1], wide[2:]], axis=1)  # (S, 3)
    hidden = query @ w_query + keys @ w_keys + near @ w_before  # (S, U)
    return np.tanh(hidden) @ v


def location_aware_scores_no_tanh(query, keys, before, w_query, w_keys, w_before, v):
    wide = np.pad(before, 1)  # 0 outside of the source
    near = np.stack([wide[:-2], wide[1:-1], wide[2:]], axis=1)  # (S, 3)
    hidden = query @ w_query + keys @ w_keys + near @ w_before  # (S, U)
    return hidden @ v  # wrong


def location_aware_scores_no_keys(query, keys, before, w_query, w_keys, w_before, v):
    wide = np.pad(before, 1)  # 0 outside of the source
    near = np.stack([wide[:-2], wide[1:-1], wide[2:]], axis=1)  # (S, 3)
    hidden = query @ w_query + near @ w_before  # wrong
    return np.tanh(hidden) @ v


@pytest.mark.parametrize(
    "wrong, says",
    [
        (location_aware_scores_rows_reversed, "row of F"),
        (location_aware_scores_source_is_a_ring, "both ends"),
        (location_aware_scores_no_tanh, ""),
        (location_aware_scores_no_keys, ""),
    ],
)
def test_location_aware_scores_rejects(wrong, says):
    rejects(checks.location_aware_scores, wrong, says)


def test_location_aware_scores_accepts():
    accepts(checks.location_aware_scores, answers.location_aware_scores)


@pytest.mark.parametrize(
    "arguments, value",
    [
        ((QUERY, KEYS, array([1.0, 0, 0]), NONE, NONE, ROWS, ONE[0]), [0, tanh(1), 0]),
        ((QUERY, KEYS, array([0, 1.0, 0]), NONE, NONE, ROWS, ONE[0]), tanh([3, 0, 1])),
        ((QUERY, KEYS, zeros(3), ONE, ONE, ROWS, 2 * ONE[0]), 2 * tanh([1, 3, 1])),
    ],
)
def test_location_aware_scores_by_hand(arguments, value):
    agrees(answers.location_aware_scores, arguments, value)


# σ is 1 here: one step from its top a Gaussian is at exp(-1/2), two steps at exp(-2).
GAUSS = array([exp(-2), exp(-0.5), 1.0, exp(-0.5), 0])

NEXT = array([exp(-0.5), 1.0, 0])


# mended_weights


def mended_weights_shortest_is_length(scores, share, real, half_width):
    distance = np.arange(len(scores)) - share * np.argmin(real)  # wrong
    scores = scores - (distance / (half_width / 2)) ** 2 / 2
    powers = np.exp(scores) * (np.abs(distance) <= half_width) * real
    return powers / powers.sum()


def mended_weights_fixed_length(scores, share, real, half_width):
    distance = np.arange(len(scores)) - share * 4  # wrong
    scores = scores - (distance / (half_width / 2)) ** 2 / 2
    powers = np.exp(scores) * (np.abs(distance) <= half_width) * real
    return powers / powers.sum()


def mended_weights_share_of_all(scores, share, real, half_width):
    distance = np.arange(len(scores)) - share * len(scores)  # wrong
    scores = scores - (distance / (half_width / 2)) ** 2 / 2
    powers = np.exp(scores) * (np.abs(distance) <= half_width) * real
    return powers / powers.sum()


def mended_weights_no_padding_mask(scores, share, real, half_width):
    distance = np.arange(len(scores)) - share * real.sum()
    scores = scores - (distance / (half_width / 2)) ** 2 / 2
    powers = np.exp(scores) * (np.abs(distance) <= half_width)  # wrong
    return powers / powers.sum()


def mended_weights_width_not_halved(scores, share, real, half_width):
    distance = np.arange(len(scores)) - share * real.sum()
    scores = scores - (distance / half_width) ** 2 / 2  # wrong
    powers = np.exp(scores) * (np.abs(distance) <= half_width) * real
    return powers / powers.sum()


def mended_weights_no_window(scores, share, real, half_width):
    distance = np.arange(len(scores)) - share * real.sum()
    scores = scores - (distance / (half_width / 2)) ** 2 / 2
    powers = np.exp(scores) * real  # wrong
    return powers / powers.sum()


@pytest.mark.parametrize(
    "wrong, says",
    [
        (mended_weights_shortest_is_length, "what share is of"),
        (mended_weights_fixed_length, ""),
        (mended_weights_share_of_all, "share is of"),
        (mended_weights_no_padding_mask, "the padding"),
        (mended_weights_width_not_halved, ""),
        (mended_weights_no_window, ""),
    ],
)
def test_mended_weights_rejects(wrong, says):
    rejects(checks.mended_weights, wrong, says)


def test_mended_weights_accepts():
    accepts(checks.mended_weights, answers.mended_weights)


@pytest.mark.parametrize(
    "arguments, value",
    [
        ((zeros(5), 0.5, array([1, 1, 1, 1, 0]) > 0, 2), GAUSS / GAUSS.sum()),
        ((zeros(4), 0.5, ones(4) > 0, 2), GAUSS[:4] / GAUSS.sum()),
        ((zeros(3), 0.5, array([1, 1, 0]) > 0, 2), NEXT / NEXT.sum()),
    ],
)
def test_mended_weights_by_hand(arguments, value):
    agrees(answers.mended_weights, arguments, value)


# shifts


def shifts_mean_place(weights, links):
    found = []
    for j, row in enumerate(weights):
        # wrong:
        gaps = [
            int(round(row @ np.arange(len(row)))) - i
            for i, target in links
            if target == j
        ]
        if gaps:
            found.append(min(gaps, key=abs))
    return found


def shifts_sorted_links(weights, links):
    found = []
    for j, row in enumerate(weights):
        # wrong:
        gaps = [int(row.argmax()) - i for i, target in sorted(links) if target == j]
        if gaps:
            found.append(min(gaps, key=abs))
    return found


def shifts_sign_reversed(weights, links):
    found = []
    for j, row in enumerate(weights):
        gaps = [i - int(row.argmax()) for i, target in links if target == j]  # wrong
        if gaps:
            found.append(min(gaps, key=abs))
    return found


def shifts_first_link(weights, links):
    found = []
    for j, row in enumerate(weights):
        gaps = [int(row.argmax()) - i for i, target in links if target == j]
        if gaps:
            found.append(gaps[0])  # wrong
    return found


def shifts_lowest_link(weights, links):
    found = []
    for j, row in enumerate(weights):
        gaps = [int(row.argmax()) - i for i, target in links if target == j]
        if gaps:
            found.append(min(gaps))  # wrong
    return found


def shifts_size_only(weights, links):
    found = []
    for j, row in enumerate(weights):
        gaps = [int(row.argmax()) - i for i, target in links if target == j]
        if gaps:
            found.append(abs(min(gaps, key=abs)))  # wrong
    return found


@pytest.mark.parametrize(
    "wrong, says",
    [
        (shifts_mean_place, "largest weight"),
        (shifts_sorted_links, "the first of equally near"),
        (shifts_sign_reversed, "the sign"),
        (shifts_first_link, "the nearest"),
        (shifts_lowest_link, ""),
        (shifts_size_only, "the sign"),
    ],
)
def test_shifts_rejects(wrong, says):
    rejects(checks.shifts, wrong, says)


def test_shifts_accepts():
    accepts(checks.shifts, answers.shifts)


@pytest.mark.parametrize(
    "arguments, value",
    [
        (
            (
                np.array([[0, 0.1, 0.9], [0.8, 0.2, 0]]),
                np.array([[0, 0], [1, 0], [1, 1]]),
            ),
            [1, -1],
        ),
        (
            (
                np.array([[0.4, 0.3, 0.3], [0.3, 0.3, 0.4]]),
                np.array([[2, 0], [0, 1]]),
            ),
            [-2, 2],
        ),
        (
            (
                np.array([[0.2, 0.6, 0.2]]),
                np.array([[2, 0], [0, 0]]),
            ),
            [-1],
        ),
    ],
)
def test_shifts_by_hand(arguments, value):
    agrees(answers.shifts, arguments, value)

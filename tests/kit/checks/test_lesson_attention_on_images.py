"""Exercises of "Attention on images": right answers pass, likely mistakes do not."""

import numpy as np
import pytest
from exercise_battery import accepts, agrees, rejects
from numpy import array, log

from course_utils.kit.checks import attention_on_images as checks
from course_utils.kit.checks.answers import attention_on_images as answers

# two_cells


@pytest.mark.parametrize(
    "wrong, says",
    [
        (lambda: (-0.25, 2.25, 0.375), "(reward − baseline)"),  # no baseline
        (lambda: (0.125, -1.125, -0.1875), "1 − p"),  # the sign of the other cell
        (lambda: (0.125, 1.125, 0.625), "expected 0.375"),  # not as often as drawn
    ],
)
def test_two_cells_rejects(wrong, says):
    rejects(checks.two_cells, wrong, says)


def test_two_cells_accepts():
    accepts(checks.two_cells, answers.two_cells)


@pytest.mark.parametrize(
    "arguments, value",
    [((), (1 / 8, 9 / 8, 3 / 8))],
)
def test_two_cells_by_hand(arguments, value):
    agrees(answers.two_cells, arguments, value)


# p is 3/4 and 1/4; the advantages are 2 and -2.
TWO = log(array([3.0, 1.0])), array([0, 1]), array([-1.0, -3.0])

# The advantages are 3, -1.5 and -1.5.
THREE = np.zeros(2), array([0, 0, 1]), array([0.0, -3.0, -3.0])


def without_probabilities(scores, drawn, rewards):
    """The advantages have the sum 0, so what is the same for all draws drops out."""
    advantages = (rewards - rewards.mean()) / (len(rewards) - 1)
    return advantages @ np.eye(len(scores))[drawn]


# from_other_draws


def from_other_draws_own_reward_included(scores, drawn, rewards):
    p = np.exp(scores - scores.max())
    p = p / p.sum()
    others = (rewards.sum()) / (len(rewards) - 1)  # wrong
    changes = np.eye(len(scores))[drawn] - p  # (K, S): a row for each draw
    return ((rewards - others)[:, None] * changes).mean(axis=0)


def from_other_draws_mean_of_all(scores, drawn, rewards):
    p = np.exp(scores - scores.max())
    p = p / p.sum()
    others = (rewards.sum() - rewards) / len(rewards)  # wrong
    changes = np.eye(len(scores))[drawn] - p  # (K, S): a row for each draw
    return ((rewards - others)[:, None] * changes).mean(axis=0)


def from_other_draws_sign_reversed(scores, drawn, rewards):
    p = np.exp(scores - scores.max())
    p = p / p.sum()
    others = (rewards.sum() - rewards) / (len(rewards) - 1)  # (K,)
    changes = np.eye(len(scores))[drawn] - p  # (K, S): a row for each draw
    return ((others - rewards)[:, None] * changes).mean(axis=0)  # wrong


def from_other_draws_no_largest_score(scores, drawn, rewards):
    p = np.exp(scores)  # wrong
    p = p / p.sum()
    others = (rewards.sum() - rewards) / (len(rewards) - 1)  # (K,)
    changes = np.eye(len(scores))[drawn] - p  # (K, S): a row for each draw
    return ((rewards - others)[:, None] * changes).mean(axis=0)


def from_other_draws_sum_of_draws(scores, drawn, rewards):
    p = np.exp(scores - scores.max())
    p = p / p.sum()
    others = (rewards.sum() - rewards) / (len(rewards) - 1)  # (K,)
    changes = np.eye(len(scores))[drawn] - p  # (K, S): a row for each draw
    return ((rewards - others)[:, None] * changes).sum(axis=0)  # wrong


@pytest.mark.parametrize(
    "wrong, says",
    [
        (from_other_draws_own_reward_included, "the baseline"),
        (from_other_draws_mean_of_all, "the baseline"),
        (from_other_draws_sign_reversed, "the baseline"),
        (from_other_draws_no_largest_score, "the largest"),
        (from_other_draws_sum_of_draws, "the baseline"),
    ],
)
def test_from_other_draws_rejects(wrong, says):
    rejects(checks.from_other_draws, wrong, says)


@pytest.mark.parametrize(
    "right",
    [
        answers.from_other_draws,
        without_probabilities,
    ],
)
def test_from_other_draws_accepts(right):
    accepts(checks.from_other_draws, right)


@pytest.mark.parametrize(
    "arguments, value",
    [(TWO, [1.0, -1.0]), (THREE, [0.5, -0.5])],
)
def test_from_other_draws_by_hand(arguments, value):
    agrees(answers.from_other_draws, arguments, value)


MASKS = np.zeros((2, 4, 4), bool)

MASKS[0, 3, 3] = MASKS[1, 0, 1] = True  # the last of four cells, and the first


# mended_pointing


def mended_pointing_wrong_axes(weights, masks, about):
    side = int(weights.shape[1] ** 0.5)
    size = masks.shape[-1] // side
    # wrong:
    cells = masks.reshape(2, side, size, side, size).any(axis=(1, 3)).reshape(2, -1)
    steps = [t for t, which in enumerate(about) if which >= 0]
    return np.mean([cells[about[t], weights[t].argmax()] for t in steps])


def mended_pointing_whole_cell(weights, masks, about):
    side = int(weights.shape[1] ** 0.5)
    size = masks.shape[-1] // side
    # wrong:
    cells = masks.reshape(2, side, size, side, size).all(axis=(2, 4)).reshape(2, -1)
    steps = [t for t, which in enumerate(about) if which >= 0]
    return np.mean([cells[about[t], weights[t].argmax()] for t in steps])


def mended_pointing_any_number(weights, masks, about):
    side = int(weights.shape[1] ** 0.5)
    size = masks.shape[-1] // side
    cells = masks.reshape(2, side, size, side, size).any(axis=(2, 4)).reshape(2, -1)
    steps = [t for t, which in enumerate(about) if which]  # wrong
    return np.mean([cells[about[t], weights[t].argmax()] for t in steps])


def mended_pointing_first_object_missing(weights, masks, about):
    side = int(weights.shape[1] ** 0.5)
    size = masks.shape[-1] // side
    cells = masks.reshape(2, side, size, side, size).any(axis=(2, 4)).reshape(2, -1)
    steps = [t for t, which in enumerate(about) if which > 0]  # wrong
    return np.mean([cells[about[t], weights[t].argmax()] for t in steps])


def mended_pointing_weight_instead_of_hit(weights, masks, about):
    side = int(weights.shape[1] ** 0.5)
    size = masks.shape[-1] // side
    cells = masks.reshape(2, side, size, side, size).any(axis=(2, 4)).reshape(2, -1)
    steps = [t for t, which in enumerate(about) if which >= 0]
    return np.mean([cells[about[t]] @ weights[t] for t in steps])  # wrong


@pytest.mark.parametrize(
    "wrong, says",
    [
        (mended_pointing_wrong_axes, ""),
        (mended_pointing_whole_cell, "the cells"),
        (mended_pointing_any_number, "count as a step"),
        (mended_pointing_first_object_missing, ""),
        (mended_pointing_weight_instead_of_hit, ""),
    ],
)
def test_mended_pointing_rejects(wrong, says):
    rejects(checks.mended_pointing, wrong, says)


def test_mended_pointing_accepts():
    accepts(checks.mended_pointing, answers.mended_pointing)


@pytest.mark.parametrize(
    "arguments, value",
    [
        ((np.eye(4)[[3, 0, 1]], MASKS, [0, 1, -1]), 1.0),
        ((np.eye(4)[[3, 3]], MASKS, [0, 1]), 0.5),
    ],
)
def test_mended_pointing_by_hand(arguments, value):
    agrees(answers.mended_pointing, arguments, value)


RESCUED = "np.where(sums > 0, kept / np.maximum(sums, 1e-30), equal)"


# moved


def moved_no_new_sum(weights, cells):
    kept = weights * cells
    sums = kept.sum(axis=1, keepdims=True)
    equal = cells / cells.sum(axis=1, keepdims=True)
    return np.where(sums > 0, kept, equal)  # wrong


def moved_equal_over_rows(weights, cells):
    kept = weights * cells
    sums = kept.sum(axis=1, keepdims=True)
    equal = cells / len(cells)  # wrong
    return np.where(sums > 0, kept / np.maximum(sums, 1e-30), equal)


def moved_small_weight_is_none(weights, cells):
    kept = weights * cells
    sums = kept.sum(axis=1, keepdims=True)
    equal = cells / cells.sum(axis=1, keepdims=True)
    return np.where(sums > 1e-6, kept / np.maximum(sums, 1e-30), equal)  # wrong


def moved_divides_by_zero(weights, cells):
    kept = weights * cells
    sums = kept.sum(axis=1, keepdims=True)
    equal = cells / cells.sum(axis=1, keepdims=True)
    return kept / sums  # wrong


def moved_equal_everywhere(weights, cells):
    kept = weights * cells
    sums = kept.sum(axis=1, keepdims=True)
    equal = cells / cells.sum(axis=1, keepdims=True)
    return equal  # wrong


@pytest.mark.parametrize(
    "wrong, says",
    [
        (moved_no_new_sum, "proportion"),
        (moved_equal_over_rows, ""),
        (moved_small_weight_is_none, ""),
        (moved_divides_by_zero, "is 0"),
        (moved_equal_everywhere, "proportion"),
    ],
)
def test_moved_rejects(wrong, says):
    rejects(checks.moved, wrong, says)


def test_moved_accepts():
    accepts(checks.moved, answers.moved)


@pytest.mark.parametrize(
    "arguments, value",
    [
        (
            (
                np.array([[0.5, 0.1, 0.4]]),
                np.array([[False, True, True]]),
            ),
            [[0, 0.2, 0.8]],
        ),
        (
            (
                np.array([[1.0, 0.0, 0.0]]),
                np.array([[False, True, True]]),
            ),
            [[0, 0.5, 0.5]],
        ),
    ],
)
def test_moved_by_hand(arguments, value):
    agrees(answers.moved, arguments, value)

"""Exercises of "What attention sees": right answers pass, likely mistakes do not."""

import numpy as np
import pytest
from exercise_battery import accepts, agrees, rejects
from numpy import array, log

from course_utils.kit.checks import what_attention_sees as checks
from course_utils.kit.checks.answers import what_attention_sees as answers

# even_roles


@pytest.mark.parametrize(
    "wrong, says",
    [
        (lambda: (25 / 48, 13 / 48, 1 / 16), "expected 0.361111"),  # four rows
        (lambda: (1 / 4, 1 / 4, 1 / 4), "the four rows"),  # no mask
        (lambda: (25 / 48, 13 / 36, 1 / 4), "expected 0.0625"),  # the last row only
    ],
)
def test_even_roles_rejects(wrong, says):
    rejects(checks.even_roles, wrong, says)


def test_even_roles_accepts():
    accepts(checks.even_roles, answers.even_roles)


@pytest.mark.parametrize(
    "arguments, value",
    [((), ((1 + 1 / 2 + 1 / 3 + 1 / 4) / 4, 13 / 36, 1 / 16))],
)
def test_even_roles_by_hand(arguments, value):
    agrees(answers.even_roles, arguments, value)


# arriving


def arriving_rows_transposed(weights, values, kernel):
    rows = kernel.reshape(len(values), -1, kernel.shape[1])  # (H, d, D)
    lengths = np.linalg.norm(values @ rows.transpose(0, 2, 1), axis=-1)  # wrong
    return weights * lengths[:, None]


def arriving_axes_swapped(weights, values, kernel):
    rows = kernel.reshape(-1, len(values), kernel.shape[1])  # wrong
    lengths = np.linalg.norm(values @ rows, axis=-1)  # (H, S)
    return weights * lengths[:, None]


def arriving_no_weights(weights, values, kernel):
    rows = kernel.reshape(len(values), -1, kernel.shape[1])  # (H, d, D)
    lengths = np.linalg.norm(values @ rows, axis=-1)  # (H, S)
    return 0 * weights + lengths[:, None]  # wrong


def arriving_sum_of_sizes(weights, values, kernel):
    rows = kernel.reshape(len(values), -1, kernel.shape[1])  # (H, d, D)
    lengths = np.linalg.norm(values @ rows, axis=-1, ord=1)  # wrong
    return weights * lengths[:, None]


@pytest.mark.parametrize(
    "wrong, says",
    [
        (arriving_rows_transposed, "raises"),
        (arriving_axes_swapped, ""),
        (arriving_no_weights, "values, then W"),
        (arriving_sum_of_sizes, ""),
    ],
)
def test_arriving_rejects(wrong, says):
    rejects(checks.arriving, wrong, says)


def test_arriving_accepts():
    accepts(checks.arriving, answers.arriving)


# Head 1 has the values 1 and 2 and the row (3, 4) of W, head 2 the value 1 and (0, 2).
@pytest.mark.parametrize(
    "arguments, value",
    [
        (
            (
                np.array([[[0.5, 0.5]], [[1.0, 0.0]]]),
                np.array([[[1.0], [2.0]], [[1.0], [1.0]]]),
                np.array([[3.0, 4.0], [0.0, 2.0]]),
            ),
            [[[2.5, 5.0]], [[2.0, 0.0]]],
        )
    ],
)
def test_arriving_by_hand(arguments, value):
    agrees(answers.arriving, arguments, value)


# mended_removal


def mended_removal_removes_columns(kernel, head, num_heads):
    width = len(kernel) // num_heads
    quiet = kernel.copy()
    quiet[:, head * width : (head + 1) * width] = 0.0  # wrong
    return quiet


def mended_removal_changes_matrix(kernel, head, num_heads):
    width = len(kernel) // num_heads
    quiet = kernel  # wrong
    quiet[head * width : (head + 1) * width] = 0.0
    return quiet


def mended_removal_removes_the_rest(kernel, head, num_heads):
    width = len(kernel) // num_heads
    quiet = kernel.copy()
    quiet[head * width : None if head else width] = 0.0  # wrong
    return quiet


def mended_removal_width_is_heads(kernel, head, num_heads):
    width = num_heads  # wrong
    quiet = kernel.copy()
    quiet[head * width : (head + 1) * width] = 0.0
    return quiet


def mended_removal_every_other_row(kernel, head, num_heads):
    width = len(kernel) // num_heads
    quiet = kernel.copy()
    quiet[head::num_heads] = 0.0  # wrong
    return quiet


@pytest.mark.parametrize(
    "wrong, says",
    [
        (mended_removal_removes_columns, "which stand together"),
        (mended_removal_changes_matrix, "has changed"),
        (mended_removal_removes_the_rest, ""),
        (mended_removal_width_is_heads, ""),
        (mended_removal_every_other_row, "which stand together"),
    ],
)
def test_mended_removal_rejects(wrong, says):
    rejects(checks.mended_removal, wrong, says)


def test_mended_removal_accepts():
    accepts(checks.mended_removal, answers.mended_removal)


@pytest.mark.parametrize(
    "arguments, value",
    [
        (
            (
                np.array(
                    [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]
                ),
                1,
                4,
            ),
            [[1, 2, 3, 4], [0, 0, 0, 0], [9, 10, 11, 12], [13, 14, 15, 16]],
        ),
        (
            (
                np.array(
                    [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]
                ),
                0,
                2,
            ),
            [[0, 0, 0, 0], [0, 0, 0, 0], [9, 10, 11, 12], [13, 14, 15, 16]],
        ),
    ],
)
def test_mended_removal_by_hand(arguments, value):
    agrees(answers.mended_removal, arguments, value)


# The end has 3/4 where it is right, the other token 1/4; the second row is padding.
ODDS = log(array([[[1, 1, 2], [1, 3, 12]], [[2, 1, 1], [1, 1, 1]]]))

LABELS = array([[1, 2], [0, 0]])


# end_probability


def end_probability_every_label_is_end(logits, labels, end):
    logits = logits - logits.max(axis=-1, keepdims=True)
    p = np.exp(logits)
    p = p / p.sum(axis=-1, keepdims=True)
    ends = labels >= 0  # wrong
    real = (labels != 0) & ~ends
    right = np.take_along_axis(p, labels[..., None], axis=-1)[..., 0]  # (B, T)
    return right[ends].mean(), right[real].mean()


def end_probability_fixed_end(logits, labels, end):
    logits = logits - logits.max(axis=-1, keepdims=True)
    p = np.exp(logits)
    p = p / p.sum(axis=-1, keepdims=True)
    ends = labels == 3  # wrong
    real = (labels != 0) & ~ends
    right = np.take_along_axis(p, labels[..., None], axis=-1)[..., 0]  # (B, T)
    return right[ends].mean(), right[real].mean()


def end_probability_largest_of_everything(logits, labels, end):
    logits = logits - logits.max()  # wrong
    p = np.exp(logits)
    p = p / p.sum(axis=-1, keepdims=True)
    ends = labels == end
    real = (labels != 0) & ~ends
    right = np.take_along_axis(p, labels[..., None], axis=-1)[..., 0]  # (B, T)
    return right[ends].mean(), right[real].mean()


def end_probability_counts_padding(logits, labels, end):
    logits = logits - logits.max(axis=-1, keepdims=True)
    p = np.exp(logits)
    p = p / p.sum(axis=-1, keepdims=True)
    ends = labels == end
    real = ~ends  # wrong
    right = np.take_along_axis(p, labels[..., None], axis=-1)[..., 0]  # (B, T)
    return right[ends].mean(), right[real].mean()


def end_probability_no_largest_logit(logits, labels, end):
    logits = logits  # wrong
    p = np.exp(logits)
    p = p / p.sum(axis=-1, keepdims=True)
    ends = labels == end
    real = (labels != 0) & ~ends
    right = np.take_along_axis(p, labels[..., None], axis=-1)[..., 0]  # (B, T)
    return right[ends].mean(), right[real].mean()


def end_probability_softmax_over_positions(logits, labels, end):
    logits = logits - logits.max(axis=-1, keepdims=True)
    p = np.exp(logits)
    p = p / p.sum(axis=1, keepdims=True)  # wrong
    ends = labels == end
    real = (labels != 0) & ~ends
    right = np.take_along_axis(p, labels[..., None], axis=-1)[..., 0]  # (B, T)
    return right[ends].mean(), right[real].mean()


@pytest.mark.parametrize(
    "wrong, says",
    [
        (end_probability_every_label_is_end, ""),
        (end_probability_fixed_end, "the end given"),
        (end_probability_largest_of_everything, "subtracted"),
        (end_probability_counts_padding, "the rows of each mean"),
        (end_probability_no_largest_logit, "subtracted"),
        (end_probability_softmax_over_positions, "softmax"),
    ],
)
def test_end_probability_rejects(wrong, says):
    rejects(checks.end_probability, wrong, says)


def test_end_probability_accepts():
    accepts(checks.end_probability, answers.end_probability)


@pytest.mark.parametrize(
    "arguments, value",
    [
        ((ODDS, LABELS, 2), (3 / 4, 1 / 4)),
        ((ODDS + array([[0.0], [1000.0]]), LABELS, 2), (3 / 4, 1 / 4)),
    ],
)
def test_end_probability_by_hand(arguments, value):
    agrees(answers.end_probability, arguments, value)

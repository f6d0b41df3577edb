"""Exercises of lesson 08: right answers are accepted, likely mistakes rejected."""

import numpy as np
import pytest
from exercise_battery import accepts, agrees, rejects
from numpy import array, diag, log

from course_utils.kit.checks import lesson_08 as checks
from course_utils.kit.checks.answers import lesson_08 as answers

# open_cells


@pytest.mark.parametrize(
    "wrong, says",
    [
        (lambda: (25, 10, 20), "got 'too large'"),  # no padding
        (lambda: (9, 3, 6), "padded queries"),
        (lambda: (15, 3, 12), "got 'too small'"),
        (lambda: (15, 7), "ValueError"),
    ],
)
def test_open_cells_rejects(wrong, says):
    rejects(checks.open_cells, wrong, says)


def test_open_cells_accepts():
    accepts(checks.open_cells, answers.open_cells)


@pytest.mark.parametrize(
    "arguments, value",
    [((), (15, 7, 12))],
)
def test_open_cells_by_hand(arguments, value):
    agrees(answers.open_cells, arguments, value)


# orthogonalised


def orthogonalised_divides_by_largest(matrix, steps=5):
    tall = matrix.shape[0] > matrix.shape[1]
    x = matrix.T if tall else matrix
    x = x / abs(x).max()  # wrong
    for _ in range(steps):
        a = x @ x.T
        x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
    return x.T if tall else x


def orthogonalised_two_products(matrix, steps=5):
    tall = matrix.shape[0] > matrix.shape[1]
    x = matrix.T if tall else matrix
    x = x / np.sqrt((x**2).sum())
    for _ in range(steps):
        a = x @ x.T
        x = 3.4445 * x + (-4.7750 * a + 2.0315 * a) @ x  # wrong
    return x.T if tall else x


def orthogonalised_never_turned(matrix, steps=5):
    tall = False  # wrong
    x = matrix.T if tall else matrix
    x = x / np.sqrt((x**2).sum())
    for _ in range(steps):
        a = x @ x.T
        x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
    return x.T if tall else x


def orthogonalised_not_turned_first(matrix, steps=5):
    tall = matrix.shape[0] > matrix.shape[1]
    x = matrix.T if tall else matrix
    x = x / np.sqrt((x**2).sum())
    for _ in range(steps):
        a = x @ x.T
        x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
    return x  # wrong


@pytest.mark.parametrize(
    "wrong, says",
    [
        (orthogonalised_divides_by_largest, "the division"),
        (orthogonalised_two_products, "the three products"),
        (orthogonalised_never_turned, "larger than the matrix: True"),
        (orthogonalised_not_turned_first, "when it is turned"),
    ],
)
def test_orthogonalised_rejects(wrong, says):
    rejects(checks.orthogonalised, wrong, says)


def test_orthogonalised_accepts():
    accepts(checks.orthogonalised, answers.orthogonalised)


# 0.6 becomes 2.0667 - 1.0314 + 0.157969, and 0.8 becomes 2.7556 - 2.4448 + 0.665682.
@pytest.mark.parametrize(
    "arguments, value",
    [
        ((array([[3.0]]), 1), [[0.701]]),
        ((diag([3.0, 4.0]), 1), diag([1.193269, 0.976482])),
        ((array([[3.0], [0.0]]), 1), [[0.701], [0.0]]),
    ],
)
def test_orthogonalised_by_hand(arguments, value):
    agrees(answers.orthogonalised, arguments, value)


PADDED = array([[5, 6, 0]]), array([[2, 7]])


# mended_masks


def mended_masks_sees_later_only(source, target):
    positions = np.arange(target.shape[1])
    source_real = (source != 0)[:, None]  # (B, 1, S)
    earlier = positions[:, None] <= positions  # wrong
    decoder = earlier & (target != 0)[:, None]  # (B, T, T)
    return source_real, decoder, source_real


def mended_masks_hides_itself(source, target):
    positions = np.arange(target.shape[1])
    source_real = (source != 0)[:, None]  # (B, 1, S)
    earlier = positions[:, None] > positions  # wrong
    decoder = earlier & (target != 0)[:, None]  # (B, T, T)
    return source_real, decoder, source_real


def mended_masks_target_padding_in_source(source, target):
    positions = np.arange(target.shape[1])
    source_real = (source != 0)[:, None]  # (B, 1, S)
    earlier = positions[:, None] >= positions  # (T, T)
    decoder = earlier & (target != 0)[:, None]  # (B, T, T)
    return source_real, decoder, (target != 0)[:, None]  # wrong


def mended_masks_either_mask(source, target):
    positions = np.arange(target.shape[1])
    source_real = (source != 0)[:, None]  # (B, 1, S)
    earlier = positions[:, None] >= positions  # (T, T)
    decoder = earlier | (target != 0)[:, None]  # wrong
    return source_real, decoder, source_real


@pytest.mark.parametrize(
    "wrong, says",
    [
        (mended_masks_sees_later_only, "later"),
        (mended_masks_hides_itself, "later"),
        (mended_masks_target_padding_in_source, "whose padding"),
        (mended_masks_either_mask, ""),
    ],
)
def test_mended_masks_rejects(wrong, says):
    rejects(checks.mended_masks, wrong, says)


def test_mended_masks_accepts():
    accepts(checks.mended_masks, answers.mended_masks)


@pytest.mark.parametrize(
    "arguments, value",
    [
        (PADDED, ([[[1, 1, 0]]], [[[1, 0], [1, 1]]], [[[1, 1, 0]]])),
    ],
)
def test_mended_masks_by_hand(arguments, value):
    agrees(answers.mended_masks, arguments, value)


# Probabilities 3/4 and 1/4 at the first position, halves at the second.
TWO = array([[log([3.0, 1.0]), [5.0, 5.0]], [log([1.0, 3.0]), [2.0, 0.0]]])


# loss_by_position


def loss_by_position_divides_by_rows(logits, labels):
    logits = logits - logits.max(axis=-1, keepdims=True)
    log_p = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))  # (B, T, V)
    right = np.take_along_axis(log_p, labels[..., None], axis=-1)[..., 0]  # (B, T)
    real = labels != 0
    return -(right * real).sum(axis=0) / len(labels)  # wrong


def loss_by_position_counts_padding(logits, labels):
    logits = logits - logits.max(axis=-1, keepdims=True)
    log_p = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))  # (B, T, V)
    right = np.take_along_axis(log_p, labels[..., None], axis=-1)[..., 0]  # (B, T)
    real = labels != 0
    return -right.sum(axis=0) / real.sum(axis=0)  # wrong


def loss_by_position_no_largest_logit(logits, labels):
    pass  # wrong
    log_p = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))  # (B, T, V)
    right = np.take_along_axis(log_p, labels[..., None], axis=-1)[..., 0]  # (B, T)
    real = labels != 0
    return -(right * real).sum(axis=0) / real.sum(axis=0)


def loss_by_position_wrong_sign(logits, labels):
    logits = logits - logits.max(axis=-1, keepdims=True)
    log_p = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))  # (B, T, V)
    right = np.take_along_axis(log_p, labels[..., None], axis=-1)[..., 0]  # (B, T)
    real = labels != 0
    return (right * real).sum(axis=0) / real.sum(axis=0)  # wrong


@pytest.mark.parametrize(
    "wrong, says",
    [
        (loss_by_position_divides_by_rows, "the tokens of the mean"),
        (loss_by_position_counts_padding, "the tokens of the mean"),
        (loss_by_position_no_largest_logit, "subtracted"),
        (loss_by_position_wrong_sign, ""),
    ],
)
def test_loss_by_position_rejects(wrong, says):
    rejects(checks.loss_by_position, wrong, says)


def test_loss_by_position_accepts():
    accepts(checks.loss_by_position, answers.loss_by_position)


@pytest.mark.parametrize(
    "arguments, value",
    [
        ((TWO, array([[1, 1], [1, 0]])), [(log(4) + log(4 / 3)) / 2, log(2)]),
    ],
)
def test_loss_by_position_by_hand(arguments, value):
    agrees(answers.loss_by_position, arguments, value)

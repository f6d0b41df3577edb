"""Exercises of lesson 13: right answers are accepted, likely mistakes rejected."""

import numpy as np
import pytest
from exercise_battery import accepts, agrees, rejects
from numpy import array

from course_utils.kit.checks import lesson_13 as checks
from course_utils.kit.checks.answers import lesson_13 as answers

# lora_by_hand


@pytest.mark.parametrize(
    "wrong, says",
    [
        (lambda: (147_456, 0.13), "expected 294912"),  # one of the two thin matrices
        (lambda: (24_576, 0.02), "in 12 blocks"),  # one block
        (lambda: (294_912, 0.0027), "per cent"),
    ],
)
def test_lora_by_hand_rejects(wrong, says):
    rejects(checks.lora_by_hand, wrong, says)


@pytest.mark.parametrize(
    "right",
    [
        answers.lora_by_hand,
        lambda: (294_912, 0.268),
    ],
)
def test_lora_by_hand_accepts(right):
    accepts(checks.lora_by_hand, right)


@pytest.mark.parametrize(
    "arguments, value",
    [((), (294_912, 29_491_200 / 110_000_000))],
)
def test_lora_by_hand_by_hand(arguments, value):
    agrees(answers.lora_by_hand, arguments, value)


ONE, OTHER = array([1.0, 0]), array([0, 1.0])

BOTH, SAME = array([ONE, OTHER]), array([ONE, ONE])

# Rows (4, 0) and (4, 0), columns (4, 4) and (0, 0).
CONFUSED = (np.log1p(np.exp(-4)) + np.log1p(np.exp(4)) + 2 * np.log(2)) / 4


# contrastive_loss


def contrastive_loss_first_not_normalised(first, second, scale=20.0):
    first = np.array(first)  # wrong
    second = second / np.linalg.norm(second, axis=1, keepdims=True)
    losses = []
    for logits in (scale * first @ second.T, scale * second @ first.T):  # (N, N)
        logits = logits - logits.max(axis=1, keepdims=True)
        losses.append(np.log(np.exp(logits).sum(axis=1)) - np.diagonal(logits))
    return np.mean(losses)


def contrastive_loss_one_direction(first, second, scale=20.0):
    first = first / np.linalg.norm(first, axis=1, keepdims=True)
    second = second / np.linalg.norm(second, axis=1, keepdims=True)
    losses = []
    for logits in (scale * first @ second.T, scale * first @ second.T):  # wrong
        logits = logits - logits.max(axis=1, keepdims=True)
        losses.append(np.log(np.exp(logits).sum(axis=1)) - np.diagonal(logits))
    return np.mean(losses)


def contrastive_loss_half_of_sum(first, second, scale=20.0):
    first = first / np.linalg.norm(first, axis=1, keepdims=True)
    second = second / np.linalg.norm(second, axis=1, keepdims=True)
    losses = []
    for logits in (scale * first @ second.T, scale * second @ first.T):  # (N, N)
        logits = logits - logits.max(axis=1, keepdims=True)
        losses.append(np.log(np.exp(logits).sum(axis=1)) - np.diagonal(logits))
    return np.sum(losses) / 2  # wrong


def contrastive_loss_no_largest_logit(first, second, scale=20.0):
    first = first / np.linalg.norm(first, axis=1, keepdims=True)
    second = second / np.linalg.norm(second, axis=1, keepdims=True)
    losses = []
    for logits in (scale * first @ second.T, scale * second @ first.T):  # (N, N)
        logits = logits  # wrong
        losses.append(np.log(np.exp(logits).sum(axis=1)) - np.diagonal(logits))
    return np.mean(losses)


def contrastive_loss_scale_once(first, second, scale=20.0):
    first = first / np.linalg.norm(first, axis=1, keepdims=True)
    second = second / np.linalg.norm(second, axis=1, keepdims=True)
    losses = []
    for logits in (scale * first @ second.T, second @ first.T):  # wrong
        logits = logits - logits.max(axis=1, keepdims=True)
        losses.append(np.log(np.exp(logits).sum(axis=1)) - np.diagonal(logits))
    return np.mean(losses)


def contrastive_loss_largest_is_right(first, second, scale=20.0):
    first = first / np.linalg.norm(first, axis=1, keepdims=True)
    second = second / np.linalg.norm(second, axis=1, keepdims=True)
    losses = []
    for logits in (scale * first @ second.T, scale * second @ first.T):  # (N, N)
        logits = logits - logits.max(axis=1, keepdims=True)
        losses.append(np.log(np.exp(logits).sum(axis=1)) - logits.max(axis=1))  # wrong
    return np.mean(losses)


def contrastive_loss_largest_of_everything(first, second, scale=20.0):
    first = first / np.linalg.norm(first, axis=1, keepdims=True)
    second = second / np.linalg.norm(second, axis=1, keepdims=True)
    losses = []
    for logits in (scale * first @ second.T, scale * second @ first.T):  # (N, N)
        logits = logits - logits.max()  # wrong
        losses.append(np.log(np.exp(logits).sum(axis=1)) - np.diagonal(logits))
    return np.mean(losses)


def contrastive_loss_largest_of_column(first, second, scale=20.0):
    first = first / np.linalg.norm(first, axis=1, keepdims=True)
    second = second / np.linalg.norm(second, axis=1, keepdims=True)
    losses = []
    for logits in (scale * first @ second.T, scale * second @ first.T):  # (N, N)
        logits = logits - logits.max(axis=0)  # wrong
        losses.append(np.log(np.exp(logits).sum(axis=1)) - np.diagonal(logits))
    return np.mean(losses)


def contrastive_loss_logarithm_with_epsilon(first, second, scale=20.0):
    first = first / np.linalg.norm(first, axis=1, keepdims=True)
    second = second / np.linalg.norm(second, axis=1, keepdims=True)
    losses = []
    for logits in (scale * first @ second.T, scale * second @ first.T):  # (N, N)
        logits = logits - logits.max(axis=1, keepdims=True)
        # wrong:
        losses.append(
            -np.log(1e-9 + np.diagonal(np.exp(logits)) / np.exp(logits).sum(axis=1))
        )
    return np.mean(losses)


@pytest.mark.parametrize(
    "wrong, says",
    [
        (contrastive_loss_first_not_normalised, "cosines"),
        (contrastive_loss_one_direction, "both directions"),
        (contrastive_loss_half_of_sum, "the mean"),
        (contrastive_loss_no_largest_logit, "take each row's maximum off"),
        (contrastive_loss_scale_once, ""),
        (contrastive_loss_largest_is_right, ""),
        (contrastive_loss_largest_of_everything, ""),
        (contrastive_loss_largest_of_column, ""),
        (contrastive_loss_logarithm_with_epsilon, ""),
    ],
)
def test_contrastive_loss_rejects(wrong, says):
    rejects(checks.contrastive_loss, wrong, says)


def test_contrastive_loss_accepts():
    accepts(checks.contrastive_loss, answers.contrastive_loss)


@pytest.mark.parametrize(
    "arguments, value",
    [
        ((2 * BOTH, 3 * BOTH, 1.0), np.log(1 + np.exp(-1))),
        ((array([5 * ONE]), array([OTHER]), 20.0), 0.0),
        ((SAME, BOTH, 4.0), CONFUSED),
        ((BOTH, BOTH, 900.0), 0.0),
        ((BOTH, SAME, 2000.0), (2000 + 2 * np.log(2)) / 4),
    ],
)
def test_contrastive_loss_by_hand(arguments, value):
    agrees(answers.contrastive_loss, arguments, value)


# mended_vectors


def mended_vectors_centred(states, mask):
    summed = (states * mask[..., None]).sum(axis=1)  # (B, D)
    mean = summed / mask.sum(axis=1, keepdims=True)
    mean = mean - mean.mean(axis=0)  # wrong
    return mean / np.linalg.norm(mean, axis=-1, keepdims=True)


def mended_vectors_counts_padding(states, mask):
    summed = (states).sum(axis=1)  # wrong
    mean = summed / mask.sum(axis=1, keepdims=True)
    return mean / np.linalg.norm(mean, axis=-1, keepdims=True)


def mended_vectors_no_length(states, mask):
    summed = (states * mask[..., None]).sum(axis=1)  # (B, D)
    mean = summed / mask.sum(axis=1, keepdims=True)
    return mean  # wrong


def mended_vectors_norm_of_batch(states, mask):
    summed = (states * mask[..., None]).sum(axis=1)  # (B, D)
    mean = summed / mask.sum(axis=1, keepdims=True)
    return mean / np.linalg.norm(mean)  # wrong


def mended_vectors_norm_of_all(states, mask):
    summed = (states * mask[..., None]).sum(axis=1)  # (B, D)
    mean = summed / mask.sum(axis=1, keepdims=True)
    return mean / np.linalg.norm(mean, keepdims=True)  # wrong


@pytest.mark.parametrize(
    "wrong, says",
    [
        (mended_vectors_centred, ""),
        (mended_vectors_counts_padding, "the padding"),
        (mended_vectors_no_length, "the length, 1"),
        (mended_vectors_norm_of_batch, "other rows"),
        (mended_vectors_norm_of_all, "neither may change"),
    ],
)
def test_mended_vectors_rejects(wrong, says):
    rejects(checks.mended_vectors, wrong, says)


def test_mended_vectors_accepts():
    accepts(checks.mended_vectors, answers.mended_vectors)


# Means of the real pieces: (3, 4) and (0, 2).
@pytest.mark.parametrize(
    "arguments, value",
    [
        (
            (
                np.array([[[2.0, 3], [4, 5], [9, 9]], [[0, 2], [7, 7], [7, 7]]]),
                np.array([[1, 1, 0], [1, 0, 0]]),
            ),
            [[0.6, 0.8], [0.0, 1.0]],
        )
    ],
)
def test_mended_vectors_by_hand(arguments, value):
    agrees(answers.mended_vectors, arguments, value)


# paired_difference


def paired_difference_population_deviation(right, other):
    apart = np.asarray(right, dtype=float) - other
    return apart.mean(), apart.std() / len(apart) ** 0.5  # wrong


def paired_difference_deviation_not_of_mean(right, other):
    apart = np.asarray(right, dtype=float) - other
    return apart.mean(), apart.std(ddof=1)  # wrong


def paired_difference_sign_reversed(right, other):
    apart = other - np.asarray(right, dtype=float)  # wrong
    return apart.mean(), apart.std(ddof=1) / len(apart) ** 0.5


def paired_difference_unpaired(right, other):
    apart = np.asarray(right, dtype=float) - other
    # wrong:
    return apart.mean(), (np.var(right, ddof=1) + np.var(other, ddof=1)) ** 0.5 / len(
        apart
    ) ** 0.5


@pytest.mark.parametrize(
    "wrong, says",
    [
        (paired_difference_population_deviation, ""),
        (paired_difference_deviation_not_of_mean, ""),
        (paired_difference_sign_reversed, ""),
        (paired_difference_unpaired, "deviation"),
    ],
)
def test_paired_difference_rejects(wrong, says):
    rejects(checks.paired_difference, wrong, says)


def test_paired_difference_accepts():
    accepts(checks.paired_difference, answers.paired_difference)


# The differences are 1, 0, 0 and -1, then 1, 1 and 0: √(2/3) / 2 and 1/3.
@pytest.mark.parametrize(
    "arguments, value",
    [
        (
            (
                np.array([1, 1, 0, 0]),
                np.array([0, 1, 0, 1]),
            ),
            (0.0, 0.40824829),
        ),
        (
            (
                np.array([1, 1, 1]),
                np.array([0, 0, 1]),
            ),
            (0.66666667, 0.33333333),
        ),
    ],
)
def test_paired_difference_by_hand(arguments, value):
    agrees(answers.paired_difference, arguments, value)

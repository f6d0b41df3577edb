"""Exercises of lesson 05: right answers are accepted, likely mistakes rejected."""

import numpy as np
import pytest
from exercise_battery import accepts, agrees, rejects
from numpy import array, flipud, log, ones, tile, zeros

from course_utils.kit.checks import lesson_05 as checks
from course_utils.kit.checks.answers import lesson_05 as answers
from course_utils.kit.checks.answers.lesson_05 import token_difference

# parameter_count


def parameter_count_no_normalisation(embed_dim, dense_dim):
    attention = 4 * (embed_dim * embed_dim + embed_dim)
    feed_forward = 2 * embed_dim * dense_dim + dense_dim + embed_dim
    return attention + feed_forward  # wrong


def parameter_count_two_matrices_each(embed_dim, dense_dim):
    attention = 4 * (2 * embed_dim * embed_dim + embed_dim)  # wrong
    feed_forward = 2 * embed_dim * dense_dim + dense_dim + embed_dim
    return attention + feed_forward + 2 * 2 * embed_dim


@pytest.mark.parametrize(
    "wrong, says",
    [
        (parameter_count_no_normalisation, ""),
        (parameter_count_two_matrices_each, ""),
        (lambda d, f: 4 * d * d + 2 * d * f + 4 * d, ""),  # no biases
    ],
)
def test_parameter_count_rejects(wrong, says):
    rejects(checks.parameter_count, wrong, says)


def test_parameter_count_accepts():
    accepts(checks.parameter_count, answers.count_parameters)


# 4 (2·2 + 2) + (2·3 + 3) + (3·2 + 2) + 2 (2 + 2)
@pytest.mark.parametrize(
    "arguments, value",
    [((2, 3), 24 + 9 + 8 + 8)],
)
def test_parameter_count_by_hand(arguments, value):
    agrees(answers.count_parameters, arguments, value)


X, MASK = array([[[1.0, 4.0], [0.0, 8.0], [9.0, 9.0]]]), array([[True, True, False]])


# attention_pool


def attention_pool_divides_twice(x, mask, query, num_heads):
    heads = []
    columns = np.split(x, num_heads, axis=-1)  # H arrays (B, T, d)
    for own, q in zip(columns, np.split(query, num_heads), strict=True):
        scores = own @ q / len(q) ** 0.5  # wrong
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        weights = powers / powers.sum(axis=1, keepdims=True)
        heads.append((weights[..., None] * own).sum(axis=1))  # (B, d)
    return np.concatenate(heads, axis=-1)


def attention_pool_root_of_all_columns(x, mask, query, num_heads):
    heads = []
    columns = np.split(x, num_heads, axis=-1)  # H arrays (B, T, d)
    for own, q in zip(columns, np.split(query, num_heads), strict=True):
        scores = np.where(mask, own @ q / np.sqrt(len(query)), -1e9)  # wrong
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        weights = powers / powers.sum(axis=1, keepdims=True)
        heads.append((weights[..., None] * own).sum(axis=1))  # (B, d)
    return np.concatenate(heads, axis=-1)


def attention_pool_no_root(x, mask, query, num_heads):
    heads = []
    columns = np.split(x, num_heads, axis=-1)  # H arrays (B, T, d)
    for own, q in zip(columns, np.split(query, num_heads), strict=True):
        scores = np.where(mask, own @ q / 1, -1e9)  # wrong
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        weights = powers / powers.sum(axis=1, keepdims=True)
        heads.append((weights[..., None] * own).sum(axis=1))  # (B, d)
    return np.concatenate(heads, axis=-1)


def attention_pool_no_largest_score(x, mask, query, num_heads):
    heads = []
    columns = np.split(x, num_heads, axis=-1)  # H arrays (B, T, d)
    for own, q in zip(columns, np.split(query, num_heads), strict=True):
        scores = np.where(mask, own @ q / np.sqrt(len(q)), -1e9)  # (B, T)
        powers = np.exp(scores)  # wrong
        weights = powers / powers.sum(axis=1, keepdims=True)
        heads.append((weights[..., None] * own).sum(axis=1))  # (B, d)
    return np.concatenate(heads, axis=-1)


@pytest.mark.parametrize(
    "wrong, says",
    [
        (attention_pool_divides_twice, ""),
        (attention_pool_root_of_all_columns, "the root of a head"),
        (attention_pool_no_root, "the root under them"),
        (attention_pool_no_largest_score, "the largest score"),
        (lambda x, mask, query, heads: x.mean(axis=1), "the scores"),
    ],
)
def test_attention_pool_rejects(wrong, says):
    rejects(checks.attention_pool, wrong, says)


def test_attention_pool_accepts():
    accepts(checks.attention_pool, answers.attention_pool)


@pytest.mark.parametrize(
    "arguments, value",
    [
        ((X, MASK, zeros(2), 1), [[0.5, 6.0]]),
        ((X, MASK, array([log(3), 0.0]), 2), [[0.75, 6.0]]),
        ((X, MASK, array([2000.0, 2000.0]), 2), [[1.0, 8.0]]),
    ],
)
def test_attention_pool_by_hand(arguments, value):
    agrees(answers.attention_pool, arguments, value)


ONE = array([[[0.0, log(3) ** 0.5], [log(3) ** 0.5, 0.0]]])  # in each head, 1 and 0


# mended_attention


def mended_attention_heads_cut_rows(x, mask, num_heads):
    batch, length, width = x.shape
    heads = x.reshape(batch, num_heads, length, -1)  # wrong
    scores = heads @ heads.swapaxes(-1, -2) / np.sqrt(heads.shape[-1])  # (B, H, T, T)
    scores = np.where(mask[:, None, None, :], scores, -1e9)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    mixed = powers / powers.sum(axis=-1, keepdims=True) @ heads
    return mixed.transpose(0, 2, 1, 3).reshape(batch, length, width)


def mended_attention_heads_not_joined(x, mask, num_heads):
    batch, length, width = x.shape
    heads = x.reshape(batch, length, num_heads, -1).transpose(0, 2, 1, 3)
    scores = heads @ heads.swapaxes(-1, -2) / np.sqrt(heads.shape[-1])  # (B, H, T, T)
    scores = np.where(mask[:, None, None, :], scores, -1e9)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    mixed = powers / powers.sum(axis=-1, keepdims=True) @ heads
    return mixed.reshape(batch, length, width)  # wrong


def mended_attention_hides_queries(x, mask, num_heads):
    batch, length, width = x.shape
    heads = x.reshape(batch, length, num_heads, -1).transpose(0, 2, 1, 3)
    scores = heads @ heads.swapaxes(-1, -2) / np.sqrt(heads.shape[-1])  # (B, H, T, T)
    scores = np.where(mask[:, None, :, None], scores, -1e9)  # wrong
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    mixed = powers / powers.sum(axis=-1, keepdims=True) @ heads
    return mixed.transpose(0, 2, 1, 3).reshape(batch, length, width)


def mended_attention_no_mask(x, mask, num_heads):
    batch, length, width = x.shape
    heads = x.reshape(batch, length, num_heads, -1).transpose(0, 2, 1, 3)
    scores = heads @ heads.swapaxes(-1, -2) / np.sqrt(heads.shape[-1])  # (B, H, T, T)
    scores = scores  # wrong
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    mixed = powers / powers.sum(axis=-1, keepdims=True) @ heads
    return mixed.transpose(0, 2, 1, 3).reshape(batch, length, width)


@pytest.mark.parametrize(
    "wrong, says",
    [
        (mended_attention_heads_cut_rows, "a head"),
        (mended_attention_heads_not_joined, "and gives"),
        (mended_attention_hides_queries, "the axis that the mask is on"),
        (mended_attention_no_mask, "the mask"),
    ],
)
def test_mended_attention_rejects(wrong, says):
    rejects(checks.mended_attention, wrong, says)


def test_mended_attention_accepts():
    accepts(checks.mended_attention, answers.mended_attention)


@pytest.mark.parametrize(
    "arguments, value",
    [
        # √log 3 attends to itself with 3 of 4 parts, 0 to both alike.
        ((ONE, ones((1, 2), bool), 2), ONE.max() * array([[[0.5, 0.75], [0.75, 0.5]]])),
        ((ONE, array([[True, False]]), 2), tile(ONE[:, :1], (1, 2, 1))),
    ],
)
def test_mended_attention_by_hand(arguments, value):
    agrees(answers.mended_attention, arguments, value)


EYE, HALF = array([[1.0, 0.0], [0.0, 1.0]]), lambda x: x * 0 + 0.5

DEPTHS = (HALF, 1.0, 0.4), (HALF, 0.0, 0.0), (flipud, 2.0, 0.2)  # (2, 1) and (1, 2)


# difference_by_depth


def difference_by_depth_adds_mean(x, update, depth, factor):
    measured = [token_difference(x)]
    for _ in range(depth):
        x = factor * x + x.mean(axis=0)  # wrong
        measured.append(token_difference(x))
    return measured


def difference_by_depth_updates_mean(x, update, depth, factor):
    measured = [token_difference(x)]
    for _ in range(depth):
        x = factor * x + update(np.tile(x.mean(axis=0), (len(x), 1)))  # wrong
        measured.append(token_difference(x))
    return measured


def difference_by_depth_updates_twice(x, update, depth, factor):
    measured = [token_difference(x)]
    for _ in range(depth):
        x = factor * x + update(update(x))  # wrong
        measured.append(token_difference(x))
    return measured


def difference_by_depth_factor_at_most_one(x, update, depth, factor):
    measured = [token_difference(x)]
    for _ in range(depth):
        x = min(factor, 1) * x + update(x)  # wrong
        measured.append(token_difference(x))
    return measured


def difference_by_depth_scales_update(x, update, depth, factor):
    measured = [token_difference(x)]
    for _ in range(depth):
        x = x + factor * update(x)  # wrong
        measured.append(token_difference(x))
    return measured


def difference_by_depth_scales_both(x, update, depth, factor):
    measured = [token_difference(x)]
    for _ in range(depth):
        x = factor * (x + update(x))  # wrong
        measured.append(token_difference(x))
    return measured


def difference_by_depth_pairs_with_itself(x, update, depth, factor):
    def token_difference(x):
        unit = x / np.linalg.norm(x, axis=1, keepdims=True)
        return 1 - (unit @ unit.T)[np.triu_indices(len(x), k=0)].mean()  # wrong

    measured = [token_difference(x)]
    for _ in range(depth):
        x = factor * x + update(x)
        measured.append(token_difference(x))
    return measured


def difference_by_depth_starts_after_first(x, update, depth, factor):
    measured = []  # wrong
    for _ in range(depth):
        x = factor * x + update(x)
        measured.append(token_difference(x))
    return measured


@pytest.mark.parametrize(
    "wrong, says",
    [
        (difference_by_depth_adds_mean, ""),
        (difference_by_depth_updates_mean, ""),
        (difference_by_depth_updates_twice, ""),
        (difference_by_depth_factor_at_most_one, "the factor 2"),
        (difference_by_depth_scales_update, "multiplied by the factor"),
        (difference_by_depth_scales_both, "multiplied"),
        (difference_by_depth_pairs_with_itself, "none with itself"),
        (difference_by_depth_starts_after_first, ""),
    ],
)
def test_difference_by_depth_rejects(wrong, says):
    rejects(checks.difference_by_depth, wrong, says)


def test_difference_by_depth_accepts():
    accepts(checks.difference_by_depth, answers.difference_by_depth)


@pytest.mark.parametrize(
    "arguments, value",
    [((EYE, block, 1, scale), [1.0, left]) for block, scale, left in DEPTHS],
)
def test_difference_by_depth_by_hand(arguments, value):
    agrees(answers.difference_by_depth, arguments, value)

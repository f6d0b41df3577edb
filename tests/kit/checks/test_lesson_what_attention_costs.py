"""Exercises of "What attention costs": right answers pass, likely mistakes do not."""

import numpy as np
import pytest
from exercise_battery import accepts, agrees, rejects
from numpy import array, exp, eye, log, ones, tri, where

from course_utils.kit.checks import what_attention_costs as checks
from course_utils.kit.checks.answers import what_attention_costs as answers


def full_table(query, key, value, window):
    """Attend in a window, but make all scores."""
    scores = query @ key.T / query.shape[1] ** 0.5
    near = tri(*scores.shape, k=window) * tri(*scores.shape, k=window).T
    scores = where(near, scores, -1e9)
    weights = exp(scores - scores.max(axis=1, keepdims=True))
    return weights @ value / weights.sum(axis=1, keepdims=True)


TO_NOUN, TO_ADJECTIVE = [0, 0, 20], [0, 20, 0]

BY_HAND = array([TO_NOUN, TO_NOUN, TO_ADJECTIVE]), eye(3)


# noun_finder


def noun_finder_not_sharp():
    to_noun, to_adjective = [0, 0, 1], [0, 1, 0]
    w_q = 3 * np.array([to_noun, to_noun, to_adjective])  # wrong
    return w_q, np.eye(3)


def noun_finder_article_finds_adjective():
    to_noun, to_adjective = [0, 0, 1], [0, 1, 0]
    w_q = 20 * np.array([to_noun, to_adjective, to_noun])  # wrong
    return w_q, np.eye(3)


def noun_finder_article_and_adjective_swapped():
    to_noun, to_adjective = [0, 0, 1], [0, 1, 0]
    w_q = 20 * np.array([to_adjective, to_adjective, to_noun])  # wrong
    return w_q, np.eye(3)


@pytest.mark.parametrize(
    "wrong, says",
    [
        (noun_finder_not_sharp, ""),
        (noun_finder_article_finds_adjective, ""),
        (noun_finder_article_and_adjective_swapped, ""),
        (lambda: (20 * eye(3), eye(3)), ""),  # each kind looks for itself
    ],
)
def test_noun_finder_rejects(wrong, says):
    rejects(checks.noun_finder, wrong, says)


@pytest.mark.parametrize(
    "right",
    [
        answers.noun_finder,
        lambda: (array([[20], [20], [-20]]), array([[0], [-1], [1]])),
    ],
)
def test_noun_finder_accepts(right):
    accepts(checks.noun_finder, right)


@pytest.mark.parametrize(
    "arguments, value",
    [((), BY_HAND)],
)
def test_noun_finder_by_hand(arguments, value):
    agrees(answers.noun_finder, arguments, value)


# The scores are 0 or 4 (log 3 / 2) / √4 = log 3, so a weight is 1 or 3.
QUERY, KEY = ones((3, 4)), array([[0] * 4, [log(3) / 2] * 4, [0] * 4])

VALUE = array([[8.0], [0], [4]])


# window_attention


def window_attention_no_largest_score(query, key, value, window):
    length, width = query.shape
    near = np.arange(length)[:, None] + np.arange(-window, window + 1)  # (T, 2w + 1)
    exists = (near >= 0) & (near < length)
    near = np.clip(near, 0, length - 1)
    scores = (query[:, None] * key[near]).sum(axis=-1) / np.sqrt(width)
    scores = np.where(exists, scores, -1e9)
    powers = np.exp(scores)  # wrong
    weights = powers / powers.sum(axis=1, keepdims=True)  # (T, 2w + 1)
    return (weights[..., None] * value[near]).sum(axis=1)


def window_attention_ends_not_low_enough(query, key, value, window):
    length, width = query.shape
    near = np.arange(length)[:, None] + np.arange(-window, window + 1)  # (T, 2w + 1)
    exists = (near >= 0) & (near < length)
    near = np.clip(near, 0, length - 1)
    scores = (query[:, None] * key[near]).sum(axis=-1) / np.sqrt(width)
    scores = np.where(exists, scores, -100)  # wrong
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = powers / powers.sum(axis=1, keepdims=True)  # (T, 2w + 1)
    return (weights[..., None] * value[near]).sum(axis=1)


def window_attention_sees_left_only(query, key, value, window):
    length, width = query.shape
    near = np.arange(length)[:, None] + np.arange(-window, 1)  # wrong
    exists = (near >= 0) & (near < length)
    near = np.clip(near, 0, length - 1)
    scores = (query[:, None] * key[near]).sum(axis=-1) / np.sqrt(width)
    scores = np.where(exists, scores, -1e9)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = powers / powers.sum(axis=1, keepdims=True)  # (T, 2w + 1)
    return (weights[..., None] * value[near]).sum(axis=1)


def window_attention_ends_score_zero(query, key, value, window):
    length, width = query.shape
    near = np.arange(length)[:, None] + np.arange(-window, window + 1)  # (T, 2w + 1)
    exists = (near >= 0) & (near < length)
    near = np.clip(near, 0, length - 1)
    scores = (query[:, None] * key[near]).sum(axis=-1) / np.sqrt(width)
    scores = scores * exists  # wrong
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = powers / powers.sum(axis=1, keepdims=True)  # (T, 2w + 1)
    return (weights[..., None] * value[near]).sum(axis=1)


def window_attention_no_root(query, key, value, window):
    length, width = query.shape
    near = np.arange(length)[:, None] + np.arange(-window, window + 1)  # (T, 2w + 1)
    exists = (near >= 0) & (near < length)
    near = np.clip(near, 0, length - 1)
    scores = (query[:, None] * key[near]).sum(axis=-1)  # wrong
    scores = np.where(exists, scores, -1e9)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = powers / powers.sum(axis=1, keepdims=True)  # (T, 2w + 1)
    return (weights[..., None] * value[near]).sum(axis=1)


def window_attention_too_sharp(query, key, value, window):
    length, width = query.shape
    near = np.arange(length)[:, None] + np.arange(-window, window + 1)  # (T, 2w + 1)
    exists = (near >= 0) & (near < length)
    near = np.clip(near, 0, length - 1)
    scores = (query[:, None] * key[near]).sum(axis=-1) / np.sqrt(width)
    scores = np.where(exists, scores, -1e9)
    powers = np.exp(scores * 10)  # wrong
    weights = powers / powers.sum(axis=1, keepdims=True)  # (T, 2w + 1)
    return (weights[..., None] * value[near]).sum(axis=1)


@pytest.mark.parametrize(
    "wrong, says",
    [
        (window_attention_no_largest_score, "the largest score"),
        (window_attention_ends_not_low_enough, "the largest score"),
        (window_attention_sees_left_only, ""),
        (window_attention_ends_score_zero, "the ends"),
        (window_attention_no_root, "the root"),
        (window_attention_too_sharp, ""),
        (full_table, "MB"),  # the same numbers
    ],
)
def test_window_attention_rejects(wrong, says):
    rejects(checks.window_attention, wrong, says)


def test_window_attention_accepts():
    accepts(checks.window_attention, answers.window_attention)


@pytest.mark.parametrize(
    "arguments, value",
    [
        ((QUERY, KEY, VALUE, 1), [[2], [12 / 5], [1]]),
        ((QUERY, KEY, VALUE, 0), VALUE),
        ((-999 * QUERY, ones((3, 4)), VALUE, 1), [[4], [4], [2]]),
    ],
)
def test_window_attention_by_hand(arguments, value):
    agrees(answers.window_attention, arguments, value)


ONES, TWO = ones((2, 1)), array([[0], [log(3)]])


# mended_attention


def mended_attention_root_of_values_width(query, key, value):
    scores = query @ key.T / np.sqrt(value.shape[1])  # wrong
    powers = np.exp(scores)
    weights = powers / powers.sum(axis=1, keepdims=True)
    return weights @ value


def mended_attention_root_of_four(query, key, value):
    scores = query @ key.T / 2  # wrong
    powers = np.exp(scores)
    weights = powers / powers.sum(axis=1, keepdims=True)
    return weights @ value


def mended_attention_sum_of_columns(query, key, value):
    scores = query @ key.T / np.sqrt(key.shape[1])  # (T, S)
    powers = np.exp(scores)
    weights = powers / powers.sum(axis=0)  # wrong
    return weights @ value


def mended_attention_sum_of_everything(query, key, value):
    scores = query @ key.T / np.sqrt(key.shape[1])  # (T, S)
    powers = np.exp(scores)
    weights = powers / powers.sum()  # wrong
    return weights @ value


def mended_attention_root_of_length(query, key, value):
    scores = query @ key.T / np.sqrt(len(key))  # wrong
    powers = np.exp(scores)
    weights = powers / powers.sum(axis=1, keepdims=True)
    return weights @ value


def mended_attention_no_root(query, key, value):
    scores = query @ key.T / 1  # wrong
    powers = np.exp(scores)
    weights = powers / powers.sum(axis=1, keepdims=True)
    return weights @ value


@pytest.mark.parametrize(
    "wrong, says",
    [
        (mended_attention_root_of_values_width, "under the root"),
        (mended_attention_root_of_four, "under the root"),
        (mended_attention_sum_of_columns, "the axis"),
        (mended_attention_sum_of_everything, "the axis"),
        (mended_attention_root_of_length, "under the root"),
        (mended_attention_no_root, ""),
    ],
)
def test_mended_attention_rejects(wrong, says):
    rejects(checks.mended_attention, wrong, says)


def test_mended_attention_accepts():
    accepts(checks.mended_attention, answers.mended_attention)


@pytest.mark.parametrize(
    "arguments, value",
    [
        ((ONES, TWO, array([[8.0], [4.0]])), [[5], [5]]),
        ((ONES[:1], TWO, eye(2)), [[0.25, 0.75]]),
    ],
)
def test_mended_attention_by_hand(arguments, value):
    agrees(answers.mended_attention, arguments, value)


# attended_words


def attended_words_logarithm_of_zero(weights):
    logarithms = np.log(weights)  # wrong
    return np.exp(-(weights * logarithms).sum(axis=-1))


def attended_words_other_logarithm(weights):
    logarithms = np.log2(np.where(weights > 0, weights, 1.0))  # wrong
    return np.exp(-(weights * logarithms).sum(axis=-1))


def attended_words_sign_reversed(weights):
    logarithms = np.log(np.where(weights > 0, weights, 1.0))
    return np.exp((weights * logarithms).sum(axis=-1))  # wrong


def attended_words_weights_do_not_count(weights):
    logarithms = np.log(np.where(weights > 0, weights, 1.0))
    return -logarithms.sum(axis=-1)  # wrong


def attended_words_other_axis(weights):
    logarithms = np.log(np.where(weights > 0, weights, 1.0))
    return np.exp(-(weights * logarithms).sum(axis=0))  # wrong


@pytest.mark.parametrize(
    "wrong, says",
    [
        (attended_words_logarithm_of_zero, "the weights of 0"),
        (attended_words_other_logarithm, "the sign, and the e"),
        (attended_words_sign_reversed, ""),
        (attended_words_weights_do_not_count, ""),
        (attended_words_other_axis, ""),
        (lambda weights: 1 / (weights**2).sum(axis=-1), ""),  # another number of words
    ],
)
def test_attended_words_rejects(wrong, says):
    rejects(checks.attended_words, wrong, says)


def test_attended_words_accepts():
    accepts(checks.attended_words, answers.attended_words)


@pytest.mark.parametrize(
    "arguments, value",
    [
        ((array([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]]),), [2, 1]),
        ((array([[0.25, 0.75]]),), [4 / 3**0.75]),
    ],
)
def test_attended_words_by_hand(arguments, value):
    agrees(answers.attended_words, arguments, value)

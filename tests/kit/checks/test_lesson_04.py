"""Exercises of lesson 04: right answers are accepted, likely mistakes rejected."""

import numpy as np
import pytest
from exercise_battery import accepts, agrees, rejects
from numpy import array, eye, log, ones

from course_utils.kit.checks import lesson_04 as checks
from course_utils.kit.checks.answers import lesson_04 as answers

TO_NOUN = [0, 0, 20]
TO_ADJECTIVE = [0, 20, 0]

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


# batch_self_attention


def attend_in_batch(x, w_q, w_k, w_v, mask, root=None, largest=True):
    """Attend in each text where a mask is True."""
    queries = x @ w_q
    keys = x @ w_k
    scores = queries @ keys.swapaxes(1, 2) / (root or np.sqrt(keys.shape[-1]))
    scores = np.where(mask, scores, -1e9)
    if largest:
        scores = scores - scores.max(axis=-1, keepdims=True)
    powers = np.exp(scores)
    return powers / powers.sum(axis=-1, keepdims=True) @ (x @ w_v)


def masks(x, lengths, causal):
    """Return the mask of the padding and the causal one, each (B, T, T)."""
    batch, length, _ = x.shape
    real = np.arange(length) < np.array(lengths)[:, None]
    of_padding = np.repeat(real[:, None], length, axis=1)
    earlier = np.tri(length, dtype=bool) if causal else np.ones((length, length), bool)
    return of_padding, np.repeat(earlier[None], batch, axis=0)


def forgets_padding(*arguments):
    *parts, lengths, causal = arguments
    _, earlier = masks(parts[0], lengths, causal)
    return attend_in_batch(*parts, earlier)


def forgets_the_causal_mask(*arguments):
    *parts, lengths, causal = arguments
    of_padding, _ = masks(parts[0], lengths, causal)
    return attend_in_batch(*parts, of_padding)


def masks_rows(*arguments):
    *parts, lengths, causal = arguments
    of_padding, earlier = masks(parts[0], lengths, causal)
    return attend_in_batch(*parts, of_padding.swapaxes(1, 2) & earlier)


def root_of_the_words_width(*arguments):
    *parts, lengths, causal = arguments
    of_padding, earlier = masks(parts[0], lengths, causal)
    return attend_in_batch(*parts, of_padding & earlier, root=2)


def no_largest_score_in_batch(*arguments):
    *parts, lengths, causal = arguments
    of_padding, earlier = masks(parts[0], lengths, causal)
    return attend_in_batch(*parts, of_padding & earlier, largest=False)


@pytest.mark.parametrize(
    "wrong, says",
    [
        (forgets_padding, "the mask of the padding"),
        (forgets_the_causal_mask, "the causal mask"),
        (masks_rows, "the mask of the padding"),
        (root_of_the_words_width, "the root"),
        (no_largest_score_in_batch, "the largest score"),
        (lambda x, *others: x, ""),  # another shape
    ],
)
def test_batch_self_attention_rejects(wrong, says):
    rejects(checks.batch_self_attention, wrong, says)


def test_batch_self_attention_accepts():
    accepts(checks.batch_self_attention, answers.batch_self_attention)


# A word is (a, v): a is its query and its key, v its value. The score of the second
# word for itself is log 3, all others are 0, so it weighs 3 to 1.
WORDS = array([[[0, 8.0], [log(3) ** 0.5, 4.0]]])
FIRST = array([[1.0], [0.0]])
SECOND = array([[0.0], [1.0]])


@pytest.mark.parametrize(
    "arguments, value",
    [
        ((WORDS, FIRST, FIRST, SECOND, [2], False), [[[6], [5]]]),
        ((WORDS, FIRST, FIRST, SECOND, [2], True), [[[8], [5]]]),
    ],
)
def test_batch_self_attention_by_hand(arguments, value):
    agrees(answers.batch_self_attention, arguments, value)


# mended_causal_attention


def causal_weights(query, key, root=None):
    """Return the weights of causal attention, with another root if asked."""
    scores = query @ key.T / (root or np.sqrt(key.shape[1]))
    scores = np.where(np.tri(len(query), dtype=bool), scores, -1e9)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def weights_turned(query, key, value):
    return causal_weights(query, key).T @ value


def no_mask(query, key, value):
    powers = np.exp(query @ key.T / np.sqrt(key.shape[1]))
    return powers / powers.sum(axis=1, keepdims=True) @ value


def mask_turned(query, key, value):
    scores = query @ key.T / np.sqrt(key.shape[1])
    scores = np.where(np.tri(len(query), dtype=bool).T, scores, -1e9)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True) @ value


def no_largest_score(query, key, value):
    scores = query @ key.T / np.sqrt(key.shape[1])
    scores = np.where(np.tri(len(query), dtype=bool), scores, -1e9)
    powers = np.exp(scores)
    return powers / powers.sum(axis=1, keepdims=True) @ value


@pytest.mark.parametrize(
    "wrong, says",
    [
        (weights_turned, "the last product"),
        (no_mask, ""),
        (mask_turned, ""),
        (lambda q, k, v: causal_weights(q, k, root=2) @ v, "the root"),
        (no_largest_score, "the largest score"),
    ],
)
def test_mended_causal_attention_rejects(wrong, says):
    rejects(checks.mended_causal_attention, wrong, says)


def test_mended_causal_attention_accepts():
    accepts(checks.mended_causal_attention, answers.mended_causal_attention)


# The score of the second word for itself is log 3, for the first one 0: 1 to 3.
ONES = ones((2, 1))
TWO = array([[0], [log(3)]])


@pytest.mark.parametrize(
    "arguments, value",
    [
        ((ONES, TWO, array([[8.0], [4.0]])), [[8], [5]]),
        ((ONES[:1], TWO[1:], array([[7.0]])), [[7]]),
    ],
)
def test_mended_causal_attention_by_hand(arguments, value):
    agrees(answers.mended_causal_attention, arguments, value)


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

"""Exercises of lesson 03: right answers are accepted, likely mistakes rejected."""

import numpy as np
import pytest
from exercise_battery import accepts, agrees, rejects
from keras import ops
from numpy import array, exp, log

from course_utils.attention.transformer import masked_softmax
from course_utils.kit.checks import lesson_03 as checks
from course_utils.kit.checks.answers import lesson_03 as answers
from course_utils.seq2seq.gru_translator import dot_attention

# needed_score


def needed_score_one_other_key(weight, others):
    return np.log(weight / (1 - weight))  # wrong


def needed_score_of_the_odds(weight, others):
    return others * weight / (1 - weight)  # wrong


def needed_score_turned(weight, others):
    return np.log(others * (1 - weight) / weight)  # wrong


def needed_score_others_divide(weight, others):
    return np.log(weight / (1 - weight) / others)  # wrong


@pytest.mark.parametrize(
    "wrong, says",
    [
        (needed_score_one_other_key, "n powers of e"),
        (needed_score_of_the_odds, "power of e"),
        (needed_score_turned, "power of e"),
        (needed_score_others_divide, "n powers of e"),
    ],
)
def test_needed_score_rejects(wrong, says):
    rejects(checks.needed_score, wrong, says)


def test_needed_score_accepts():
    accepts(checks.needed_score, answers.needed_score)


@pytest.mark.parametrize(
    "arguments, value",
    [((0.9, 1), log(9)), ((0.5, 3), log(3)), ((0.25, 3), 0.0), ((0.2, 1), -log(4))],
)
def test_needed_score_by_hand(arguments, value):
    agrees(answers.needed_score, arguments, value)


# general_attention


def general_attention_ignores_the_mask(query, value, mask, w):
    return dot_attention(ops.matmul(query, w), value, mask | True)  # wrong


def general_attention_transposes(query, value, mask, w):
    w = np.transpose(w) if w.shape[0] == w.shape[1] else w  # wrong for a square w
    return dot_attention(ops.matmul(query, w), value, mask)


def general_attention_scales(query, value, mask, w):
    query = ops.matmul(query, w) / w.shape[1] ** 0.5  # wrong
    return dot_attention(query, value, mask)


def general_attention_swaps_the_results(query, value, mask, w):
    context, weights = dot_attention(ops.matmul(query, w), value, mask)
    return weights, context  # wrong


def general_attention_masks_afterwards(query, value, mask, w):
    query = ops.matmul(query, w)
    weights = ops.softmax(ops.matmul(query, ops.swapaxes(value, 1, 2)))
    weights = weights * ops.cast(mask[:, None], "float32")  # wrong
    return ops.matmul(weights, value), weights


@pytest.mark.parametrize(
    "wrong, says",
    [
        (general_attention_ignores_the_mask, "scores of padding"),
        (general_attention_transposes, "transpose"),
        (general_attention_scales, ""),
        (general_attention_swaps_the_results, ""),
        (general_attention_masks_afterwards, "before the softmax"),
    ],
)
def test_general_attention_rejects(wrong, says):
    rejects(checks.general_attention, wrong, says)


def general_attention_through_the_keys(query, value, mask, w):
    keys = ops.matmul(value, ops.swapaxes(w, 0, 1))  # (B, S, Q)
    scores = ops.matmul(query, ops.swapaxes(keys, 1, 2))
    weights = masked_softmax(scores, mask[:, None])
    return ops.matmul(weights, value), weights


@pytest.mark.parametrize(
    "right", [answers.general_attention, general_attention_through_the_keys]
)
def test_general_attention_accepts(right):
    accepts(checks.general_attention, right)


def test_general_attention_by_hand():
    query = array([[[1.0]]])
    value = array([[[0.0, 1.0], [1.0, 0.0], [5.0, 5.0]]])
    mask = array([[True, True, False]])
    w = array([[0.0, log(3)]])  # the second number of a key counts, times ln 3
    context, weights = answers.general_attention(query, value, mask, w)
    np.testing.assert_allclose(weights, [[[0.75, 0.25, 0]]], atol=1e-6)
    np.testing.assert_allclose(context, [[[0.25, 0.75]]], atol=1e-6)


# mended_attention


def mended_attention_still_over_the_queries(query, value, real):
    scores = np.where(real, query @ value.T, -1e9)
    powers = np.exp(scores - scores.max(axis=0))  # wrong
    return powers / powers.sum(axis=0) @ value


def mended_attention_over_all(query, value, real):
    scores = np.where(real, query @ value.T, -1e9)
    powers = np.exp(scores - scores.max())
    return powers / powers.sum() @ value  # wrong


def mended_attention_forgets_the_padding(query, value, real):
    scores = query @ value.T  # wrong
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True) @ value


def mended_attention_overflows(query, value, real):
    powers = np.exp(query @ value.T) * real  # wrong
    return powers / powers.sum(axis=1, keepdims=True) @ value


@pytest.mark.parametrize(
    "wrong, says",
    [
        (mended_attention_still_over_the_queries, "axis of the sum"),
        (mended_attention_over_all, "axis of the sum"),
        (mended_attention_forgets_the_padding, "scores of padding"),
        (mended_attention_overflows, "largest score"),
    ],
)
def test_mended_attention_rejects(wrong, says):
    rejects(checks.mended_attention, wrong, says)


def test_mended_attention_accepts():
    accepts(checks.mended_attention, answers.mended_attention)


def test_mended_attention_by_hand():
    query = array([[2.0, 0.0], [0.0, 0.0]])
    value = array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    total = 2 + exp(2)
    expected = [[exp(2) / total, 1 / total], [1 / 3, 1 / 3]]
    agrees(answers.mended_attention, (query, value, array([True] * 3)), expected)


# shifts


def shifts_mean_place(weights, links):
    found = []
    for j, row in enumerate(weights):
        place = int(round(row @ np.arange(len(row))))  # wrong
        gaps = [place - i for i, target in links if target == j]
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
    "weights, links, value",
    [
        ([[0, 0.1, 0.9], [0.8, 0.2, 0]], [[0, 0], [1, 0], [1, 1]], [1, -1]),
        ([[0.4, 0.3, 0.3], [0.3, 0.3, 0.4]], [[2, 0], [0, 1]], [-2, 2]),
        ([[0.2, 0.6, 0.2]], [[2, 0], [0, 0]], [-1]),
    ],
)
def test_shifts_by_hand(weights, links, value):
    agrees(answers.shifts, (array(weights), array(links)), value)

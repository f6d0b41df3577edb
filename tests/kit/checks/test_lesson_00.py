"""Exercises of lesson 00: right answers are accepted, likely mistakes rejected."""

import numpy as np
import pytest
from exercise_battery import accepts, agrees, rejects
from numpy import array, eye, log

from course_utils.kit.checks import lesson_00 as checks
from course_utils.kit.checks.answers import lesson_00 as answers

# three_weights


@pytest.mark.parametrize(
    "wrong, says",
    [
        (lambda: [1 / 3] * 3, "how often"),
        (lambda: [0.0, 0.0, 1.0], "how often"),
        (lambda: [1, 1, 2], "they add up to 4.00"),
        (lambda: [0.25, 0.75], "ValueError"),
    ],
)
def test_three_weights_rejects(wrong, says):
    rejects(checks.three_weights, wrong, says)


def test_three_weights_accepts():
    accepts(checks.three_weights, answers.three_weights)


@pytest.mark.parametrize(
    "arguments, value",
    [((), [0.25, 0.25, 0.5])],
)
def test_three_weights_by_hand(arguments, value):
    agrees(answers.three_weights, arguments, value)


# A score of √2 · log 3 becomes log 3: the first key gets 3 of 4 parts.
TWO = array([2**0.5 * log(3), 0.0]), eye(2), array([[4.0, 0.0], [0.0, 8.0]])

ONE = log([3.0]), array([[1.0], [0.0]]), array([[4.0], [8.0]])

LARGE = array([2000.0]), array([[1.0], [0.0]]), array([[4.0], [8.0]])


# attend


def attend_subtracts_smallest(query, keys, values):
    scores = keys @ query / np.sqrt(len(query))  # (S,)
    powers = np.exp(scores - scores.min())  # wrong
    weights = powers / powers.sum()
    return weights, weights @ values  # (S,), (D,)


def attend_subtracts_largest_size(query, keys, values):
    scores = keys @ query / np.sqrt(len(query))  # (S,)
    powers = np.exp(scores - np.abs(scores).max())  # wrong
    weights = powers / powers.sum()
    return weights, weights @ values  # (S,), (D,)


def attend_divides_by_width(query, keys, values):
    scores = keys @ query / len(query)  # wrong
    powers = np.exp(scores - scores.max())
    weights = powers / powers.sum()
    return weights, weights @ values  # (S,), (D,)


def attend_no_root(query, keys, values):
    scores = keys @ query / 1  # wrong
    powers = np.exp(scores - scores.max())
    weights = powers / powers.sum()
    return weights, weights @ values  # (S,), (D,)


def attend_root_of_two(query, keys, values):
    scores = keys @ query / np.sqrt(2)  # wrong
    powers = np.exp(scores - scores.max())
    weights = powers / powers.sum()
    return weights, weights @ values  # (S,), (D,)


def attend_root_of_values(query, keys, values):
    scores = keys @ query / np.sqrt(values.shape[1])  # wrong
    powers = np.exp(scores - scores.max())
    weights = powers / powers.sum()
    return weights, weights @ values  # (S,), (D,)


def attend_mixes_keys(query, keys, values):
    scores = keys @ query / np.sqrt(len(query))  # (S,)
    powers = np.exp(scores - scores.max())
    weights = powers / powers.sum()
    return weights, weights @ keys  # wrong


def attend_returns_weights_only(query, keys, values):
    scores = keys @ query / np.sqrt(len(query))  # (S,)
    powers = np.exp(scores - scores.max())
    weights = powers / powers.sum()
    return weights  # wrong


def attend_no_largest_score(query, keys, values):
    scores = keys @ query / np.sqrt(len(query))  # (S,)
    powers = np.exp(scores)  # wrong
    weights = powers / powers.sum()
    return weights, weights @ values  # (S,), (D,)


@pytest.mark.parametrize(
    "wrong, says",
    [
        (attend_subtracts_smallest, "largest"),
        (attend_subtracts_largest_size, "largest"),
        (attend_divides_by_width, "the square root"),
        (attend_no_root, "the square root"),
        (attend_root_of_two, "the square root"),
        (attend_root_of_values, "the square root"),
        (attend_mixes_keys, "what is mixed"),
        (attend_returns_weights_only, "expected 2 values"),
        (attend_no_largest_score, "largest"),
    ],
)
def test_attend_rejects(wrong, says):
    rejects(checks.attend, wrong, says)


def test_attend_accepts():
    accepts(checks.attend, answers.attend)


@pytest.mark.parametrize(
    "arguments, value",
    [
        (TWO, ([0.75, 0.25], [3.0, 2.0])),
        (ONE, ([0.75, 0.25], [5])),
        (LARGE, ([1.0, 0.0], [4.0])),
    ],
)
def test_attend_by_hand(arguments, value):
    agrees(answers.attend, arguments, value)


TWO_QUERIES = array([[2**0.5 * log(3), 0.0], [0.0, 0.0]]), eye(2)


# mended_weights


def mended_weights_subtracts_mean(queries, keys):
    scores = queries @ keys.T / np.sqrt(keys.shape[1])  # (T, S)
    powers = np.exp(scores - scores.mean(axis=-1, keepdims=True))  # wrong
    return powers / powers.sum(axis=-1, keepdims=True)


def mended_weights_root_of_two(queries, keys):
    scores = queries @ keys.T / np.sqrt(2)  # wrong
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def mended_weights_sum_of_everything(queries, keys):
    scores = queries @ keys.T / np.sqrt(keys.shape[1])  # (T, S)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum()  # wrong


def mended_weights_sum_of_columns(queries, keys):
    scores = queries @ keys.T / np.sqrt(keys.shape[1])  # (T, S)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=0)  # wrong


def mended_weights_no_root(queries, keys):
    scores = queries @ keys.T / 1  # wrong
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def mended_weights_largest_of_everything(queries, keys):
    scores = queries @ keys.T / np.sqrt(keys.shape[1])  # (T, S)
    powers = np.exp(scores - scores.max())  # wrong
    return powers / powers.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize(
    "wrong, says",
    [
        (mended_weights_subtracts_mean, "what is largest in a row"),
        (mended_weights_root_of_two, "the root"),
        (mended_weights_sum_of_everything, "the sum of each row"),
        (mended_weights_sum_of_columns, "what you divide"),
        (mended_weights_no_root, "what you divide the scores by"),
        (mended_weights_largest_of_everything, "what is largest in a row"),
    ],
)
def test_mended_weights_rejects(wrong, says):
    rejects(checks.mended_weights, wrong, says)


def test_mended_weights_accepts():
    accepts(checks.mended_weights, answers.mended_weights)


@pytest.mark.parametrize(
    "arguments, value",
    [
        (TWO_QUERIES, [[0.75, 0.25], [0.5, 0.5]]),
        ((array([[0.0, 0.0], [3000.0, 0.0]]), eye(2)), [[0.5, 0.5], [1.0, 0.0]]),
    ],
)
def test_mended_weights_by_hand(arguments, value):
    agrees(answers.mended_weights, arguments, value)


# crossings


def crossings_of_neighbours(weights):
    columns = np.argmax(weights, axis=1)
    return int((columns[:-1] > columns[1:]).sum())  # wrong


def crossings_counts_equal_columns(weights):
    columns = np.argmax(weights, axis=1)
    count = 0
    for row in range(len(columns)):
        count += (columns[row] >= columns[row + 1 :]).sum()  # wrong
    return int(count)


def crossings_counts_pairs_in_order(weights):
    columns = np.argmax(weights, axis=1)
    count = 0
    for row in range(len(columns)):
        count += (columns[row] < columns[row + 1 :]).sum()  # wrong
    return int(count)


def crossings_counts_pairs_twice(weights):
    columns = np.argmax(weights, axis=1)
    count = 0
    for row in range(len(columns)):
        count += (columns[:row] > columns[row]).sum()
        count += (columns[row + 1 :] < columns[row]).sum()  # wrong
    return int(count)


def crossings_smallest_weight(weights):
    return answers.crossings(-np.asarray(weights))  # wrong


@pytest.mark.parametrize(
    "wrong, says",
    [
        (crossings_of_neighbours, "rows"),
        (crossings_counts_equal_columns, "the same column"),
        (crossings_counts_pairs_in_order, "which of two rows comes first"),
        (crossings_counts_pairs_twice, "the largest weight"),
        (crossings_smallest_weight, ""),
    ],
)
def test_crossings_rejects(wrong, says):
    rejects(checks.crossings, wrong, says)


def test_crossings_accepts():
    accepts(checks.crossings, answers.crossings)


@pytest.mark.parametrize(
    "arguments, value",
    [
        ((array([[0.1, 0.9], [0.8, 0.2]]),), 1),
        ((array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]),), 3),
        ((eye(5),), 0),
    ],
)
def test_crossings_by_hand(arguments, value):
    agrees(answers.crossings, arguments, value)

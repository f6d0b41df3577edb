"""Exercises of lesson 01: right answers are accepted, likely mistakes rejected."""

import numpy as np
import pytest
from exercise_battery import accepts, agrees, rejects
from numpy import arange, array, log, ones, zeros

from course_utils.kit.checks import lesson_01 as checks
from course_utils.kit.checks.answers import lesson_01 as answers
from course_utils.kit.checks.lesson_01 import _counting, _growing
from course_utils.kit.checks.lesson_01 import _nearest as nearest

# negative_probabilities


def negative_probabilities_no_power(counts):
    powers = np.asarray(counts, dtype=float) ** 1  # wrong
    return powers / powers.sum()


def negative_probabilities_times_instead_of_power(counts):
    powers = np.asarray(counts, dtype=float) * 0.75  # wrong
    return powers / powers.sum()


def negative_probabilities_divides_by_counts(counts):
    powers = np.asarray(counts, dtype=float) ** 0.75
    return powers / np.sum(counts)  # wrong


@pytest.mark.parametrize(
    "wrong, says",
    [
        (negative_probabilities_no_power, "the power"),
        (negative_probabilities_times_instead_of_power, ""),
        (negative_probabilities_divides_by_counts, "divided by"),
    ],
)
def test_negative_probabilities_rejects(wrong, says):
    rejects(checks.negative_probabilities, wrong, says)


def test_negative_probabilities_accepts():
    accepts(checks.negative_probabilities, answers.negative_probabilities)


@pytest.mark.parametrize(
    "arguments, value",
    [
        (([81, 16, 1],), [0.75, 2 / 9, 1 / 36]),
        (([4, 4],), [0.5, 0.5]),
    ],
)
def test_negative_probabilities_by_hand(arguments, value):
    agrees(answers.negative_probabilities, arguments, value)


# Three words with equal queries and keys; the values are 1, 2 and 4.
X, V = zeros((3, 1)), array([[1.0], [2.0], [4.0]])

ONE_TWO_ONE = array([[1.0], [2], [1]])

KEYS = array([[0.0], [log(3) / 3], [0]]) * ones(9)  # a score is 9 (log 3 / 3) / √9


# head_with_distance


def head_with_distance_own_score_not_low_enough(queries, keys, values, slope):
    positions = np.arange(len(queries))
    scores = queries @ keys.T / np.sqrt(queries.shape[1])  # (T, T)
    scores = scores - slope * np.abs(positions - positions[:, None])
    np.fill_diagonal(scores, -100)  # wrong
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True) @ values


def head_with_distance_own_word_dropped_after_softmax(queries, keys, values, slope):
    positions = np.arange(len(queries))
    scores = queries @ keys.T / np.sqrt(queries.shape[1])  # (T, T)
    scores = scores - slope * np.abs(positions - positions[:, None])
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    np.fill_diagonal(powers, 0)  # wrong
    return powers / powers.sum(axis=1, keepdims=True) @ values


def head_with_distance_root_of_four(queries, keys, values, slope):
    positions = np.arange(len(queries))
    scores = queries @ keys.T / 2  # wrong
    scores = scores - slope * np.abs(positions - positions[:, None])
    np.fill_diagonal(scores, -np.inf)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True) @ values


def head_with_distance_sees_itself(queries, keys, values, slope):
    positions = np.arange(len(queries))
    scores = queries @ keys.T / np.sqrt(queries.shape[1])  # (T, T)
    scores = scores - slope * np.abs(positions - positions[:, None])
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True) @ values


def head_with_distance_no_root(queries, keys, values, slope):
    positions = np.arange(len(queries))
    scores = queries @ keys.T / 1  # wrong
    scores = scores - slope * np.abs(positions - positions[:, None])
    np.fill_diagonal(scores, -np.inf)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True) @ values


def head_with_distance_attracts_far_words(queries, keys, values, slope):
    positions = np.arange(len(queries))
    scores = queries @ keys.T / np.sqrt(queries.shape[1])  # (T, T)
    scores = scores + slope * np.abs(positions - positions[:, None])  # wrong
    np.fill_diagonal(scores, -np.inf)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True) @ values


def head_with_distance_squared_distance(queries, keys, values, slope):
    positions = np.arange(len(queries))
    scores = queries @ keys.T / np.sqrt(queries.shape[1])  # (T, T)
    scores = scores - slope * (positions - positions[:, None]) ** 2  # wrong
    np.fill_diagonal(scores, -np.inf)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True) @ values


def head_with_distance_no_largest_score(queries, keys, values, slope):
    positions = np.arange(len(queries))
    scores = queries @ keys.T / np.sqrt(queries.shape[1])  # (T, T)
    scores = scores - slope * np.abs(positions - positions[:, None])
    np.fill_diagonal(scores, -np.inf)
    powers = np.exp(scores)  # wrong
    return powers / powers.sum(axis=1, keepdims=True) @ values


@pytest.mark.parametrize(
    "wrong, says",
    [
        (head_with_distance_own_score_not_low_enough, "the largest score"),
        (head_with_distance_own_word_dropped_after_softmax, "*other*"),
        (head_with_distance_root_of_four, "the root"),
        (head_with_distance_sees_itself, "who may be looked at"),
        (head_with_distance_no_root, "the root"),
        (head_with_distance_attracts_far_words, "its sign"),
        (head_with_distance_squared_distance, ""),
        (head_with_distance_no_largest_score, "the largest score"),
    ],
)
def test_head_with_distance_rejects(wrong, says):
    rejects(checks.head_with_distance, wrong, says)


def test_head_with_distance_accepts():
    accepts(checks.head_with_distance, answers.head_with_distance)


@pytest.mark.parametrize(
    "arguments, value",
    [
        # Without a slope the mean of the others; with log 3 a neighbour weighs
        # three times.
        ((X, X, V, 0.0), [[3.0], [2.5], [1.5]]),
        ((X, X, V, log(3)), [[2.5], [2.5], [1.75]]),
        (
            (array([[999.0], [0], [0]]), array([[0], [1], [0]]), V, 0.0),
            [[2], [2.5], [1.5]],
        ),
        ((array([[-999.0], [999], [0]]), ONE_TWO_ONE, V, 0.0), [[4], [2.5], [1.5]]),
        ((ones((3, 9)), KEYS, V, 0.0), [[2.5], [2.5], [1.75]]),
    ],
)
def test_head_with_distance_by_hand(arguments, value):
    agrees(answers.head_with_distance, arguments, value)


ONES = ones((3, 1)) * log(3) ** 0.5  # σ(log 3) is ¾, so the pair misses ¼

UP, DOWN = array([[1.25], [1.0], [1.0]]), array([[1.0], [1.25], [0.25]])

CENTRE = array([[0.25], [1.25], [1.0]])


# mended_step


def mended_step_drops_context_once(u, c, centre, context, negatives, rate):
    new_u, new_c = u.copy(), c.copy()
    kept = np.asarray(negatives, dtype=int)
    kept = np.delete(kept, np.flatnonzero(kept == context)[:1])  # wrong
    missing = 1 / (1 + np.exp(u[centre] @ c[context]))
    wrong = 1 / (1 + np.exp(-(c[kept] @ u[centre])))  # (N,)
    new_u[centre] += rate * (missing * c[context] - wrong @ c[kept])
    new_c[context] += rate * missing * u[centre]
    np.subtract.at(new_c, kept, rate * wrong[:, None] * u[centre])
    return new_u, new_c


def mended_step_drops_centre(u, c, centre, context, negatives, rate):
    new_u, new_c = u.copy(), c.copy()
    kept = np.asarray(negatives, dtype=int)
    kept = kept[(kept != context) & (kept != centre)]  # wrong
    missing = 1 / (1 + np.exp(u[centre] @ c[context]))
    wrong = 1 / (1 + np.exp(-(c[kept] @ u[centre])))  # (N,)
    new_u[centre] += rate * (missing * c[context] - wrong @ c[kept])
    new_c[context] += rate * missing * u[centre]
    np.subtract.at(new_c, kept, rate * wrong[:, None] * u[centre])
    return new_u, new_c


def mended_step_fixed_rate(u, c, centre, context, negatives, rate):
    new_u, new_c = u.copy(), c.copy()
    kept = np.asarray(negatives, dtype=int)
    kept = kept[kept != context]
    rate, missing = 0.5, 1 / (1 + np.exp(u[centre] @ c[context]))  # wrong
    wrong = 1 / (1 + np.exp(-(c[kept] @ u[centre])))  # (N,)
    new_u[centre] += rate * (missing * c[context] - wrong @ c[kept])
    new_c[context] += rate * missing * u[centre]
    np.subtract.at(new_c, kept, rate * wrong[:, None] * u[centre])
    return new_u, new_c


def mended_step_negatives_into_centres(u, c, centre, context, negatives, rate):
    new_u, new_c = u.copy(), c.copy()
    kept = np.asarray(negatives, dtype=int)
    kept = kept[kept != context]
    missing = 1 / (1 + np.exp(u[centre] @ c[context]))
    wrong = 1 / (1 + np.exp(-(c[kept] @ u[centre])))  # (N,)
    new_u[centre] += rate * (missing * c[context] - wrong @ c[kept])
    new_c[context] += rate * missing * u[centre]
    np.subtract.at(new_u, kept, rate * wrong[:, None] * u[centre])  # wrong
    return new_u, new_c


def mended_step_keeps_context(u, c, centre, context, negatives, rate):
    new_u, new_c = u.copy(), c.copy()
    kept = np.asarray(negatives, dtype=int)
    pass  # wrong
    missing = 1 / (1 + np.exp(u[centre] @ c[context]))
    wrong = 1 / (1 + np.exp(-(c[kept] @ u[centre])))  # (N,)
    new_u[centre] += rate * (missing * c[context] - wrong @ c[kept])
    new_c[context] += rate * missing * u[centre]
    np.subtract.at(new_c, kept, rate * wrong[:, None] * u[centre])
    return new_u, new_c


def mended_step_no_repeated_negatives(u, c, centre, context, negatives, rate):
    new_u, new_c = u.copy(), c.copy()
    kept = np.asarray(negatives, dtype=int)
    kept = kept[kept != context]
    missing = 1 / (1 + np.exp(u[centre] @ c[context]))
    wrong = 1 / (1 + np.exp(-(c[kept] @ u[centre])))  # (N,)
    new_u[centre] += rate * (missing * c[context] - wrong @ c[kept])
    new_c[context] += rate * missing * u[centre]
    new_c[kept] -= rate * wrong[:, None] * u[centre]  # wrong
    return new_u, new_c


def mended_step_uses_new_centre(u, c, centre, context, negatives, rate):
    new_u, new_c = u.copy(), c.copy()
    kept = np.asarray(negatives, dtype=int)
    kept = kept[kept != context]
    missing = 1 / (1 + np.exp(u[centre] @ c[context]))
    wrong = 1 / (1 + np.exp(-(c[kept] @ u[centre])))  # (N,)
    new_u[centre] += rate * (missing * c[context] - wrong @ c[kept])
    new_c[context] += rate * missing * new_u[centre]  # wrong
    np.subtract.at(new_c, kept, rate * wrong[:, None] * u[centre])
    return new_u, new_c


def mended_step_away_from_context(u, c, centre, context, negatives, rate):
    new_u, new_c = u.copy(), c.copy()
    kept = np.asarray(negatives, dtype=int)
    kept = kept[kept != context]
    missing = 1 / (1 + np.exp(u[centre] @ c[context]))
    wrong = 1 / (1 + np.exp(-(c[kept] @ u[centre])))  # (N,)
    new_u[centre] += rate * (missing * c[context] - wrong @ c[kept])
    new_c[context] -= rate * missing * u[centre]  # wrong
    np.subtract.at(new_c, kept, rate * wrong[:, None] * u[centre])
    return new_u, new_c


@pytest.mark.parametrize(
    "wrong, says",
    [
        (mended_step_drops_context_once, "drawn twice"),
        (mended_step_drops_centre, "the centre"),
        (mended_step_fixed_rate, "rate"),
        (mended_step_negatives_into_centres, "gradient belongs to"),
        (mended_step_keeps_context, "the true context"),
        (mended_step_no_repeated_negatives, "drawn twice"),
        (mended_step_uses_new_centre, "as they were before"),
        (mended_step_away_from_context, "the pair alone"),
    ],
)
def test_mended_step_rejects(wrong, says):
    rejects(checks.mended_step, wrong, says)


def test_mended_step_accepts():
    accepts(checks.mended_step, answers.mended_step)


@pytest.mark.parametrize(
    "arguments, value",
    [
        ((ONES, ONES, 0, 1, [], 1.0), (ONES * UP, ONES * [[1.0], [1.25], [1.0]])),
        ((ONES, ONES, 0, 1, [1, 2, 1], 1.0), (ONES * [[0.5], [1], [1]], ONES * DOWN)),
        ((ONES, ONES, 0, 1, [0], 1.0), (ONES * [[0.5], [1], [1]], ONES * CENTRE)),
    ],
)
def test_mended_step_by_hand(arguments, value):
    agrees(answers.mended_step, arguments, value)


LINE = array([[0.0], [4.0], [8.0]]), array(["river", "money", "money"])

NEW = array([[1.9], [2.1]])

THREE = LINE[0], array(["fig", "date", "bank"])

SIXTY = arange(60.0)[:, None], array(["a", "b", "c"]).repeat(20)

TEN = zeros((10, 1)), ones(10) > 0


# accuracy_by_labels


def accuracy_by_labels_one_too_many(reader, known, new, sizes, seed):
    (vectors, labels), (new_vectors, truth) = known, new
    order, found = np.random.default_rng(seed).permutation(len(labels)), []
    for size in sizes:
        # wrong:
        rows = [order[labels[order] == name][: size + 1] for name in np.unique(labels)]
        rows = np.concatenate(rows)  # the first ones of each sense
        found.append(np.mean(reader(vectors[rows], labels[rows], new_vectors) == truth))
    return found


def accuracy_by_labels_other_shuffle_for_each_size(reader, known, new, sizes, seed):
    (vectors, labels), (new_vectors, truth) = known, new
    order, found = np.random.default_rng(seed).permutation(len(labels)), []
    for size in sizes:
        # wrong:
        rows = [
            np.random.default_rng(seed + size).permutation(
                np.flatnonzero(labels == name)
            )[:size]
            for name in np.unique(labels)
        ]
        rows = np.concatenate(rows)  # the first ones of each sense
        found.append(np.mean(reader(vectors[rows], labels[rows], new_vectors) == truth))
    return found


def accuracy_by_labels_fixed_names(reader, known, new, sizes, seed):
    (vectors, labels), (new_vectors, truth) = known, new
    order, found = np.random.default_rng(seed).permutation(len(labels)), []
    for size in sizes:
        # wrong:
        rows = [order[labels[order] == name][:size] for name in ("money", "river")]
        rows = np.concatenate(rows)  # the first ones of each sense
        found.append(np.mean(reader(vectors[rows], labels[rows], new_vectors) == truth))
    return found


def accuracy_by_labels_first_rows_of_all(reader, known, new, sizes, seed):
    (vectors, labels), (new_vectors, truth) = known, new
    order, found = np.random.default_rng(seed).permutation(len(labels)), []
    for size in sizes:
        rows = [order[:size] for name in np.unique(labels)]  # wrong
        rows = np.concatenate(rows)  # the first ones of each sense
        found.append(np.mean(reader(vectors[rows], labels[rows], new_vectors) == truth))
    return found


def accuracy_by_labels_fixed_seed(reader, known, new, sizes, seed):
    (vectors, labels), (new_vectors, truth) = known, new
    order, found = np.random.default_rng(0).permutation(len(labels)), []  # wrong
    for size in sizes:
        rows = [order[labels[order] == name][:size] for name in np.unique(labels)]
        rows = np.concatenate(rows)  # the first ones of each sense
        found.append(np.mean(reader(vectors[rows], labels[rows], new_vectors) == truth))
    return found


def accuracy_by_labels_counts_wrong_ones(reader, known, new, sizes, seed):
    (vectors, labels), (new_vectors, truth) = known, new
    order, found = np.random.default_rng(seed).permutation(len(labels)), []
    for size in sizes:
        rows = [order[labels[order] == name][:size] for name in np.unique(labels)]
        rows = np.concatenate(rows)  # the first ones of each sense
        # wrong:
        found.append(np.mean(reader(vectors[rows], labels[rows], new_vectors) != truth))
    return found


def accuracy_by_labels_always_one(reader, known, new, sizes, seed):
    (vectors, labels), (new_vectors, truth) = known, new
    order, found = np.random.default_rng(seed).permutation(len(labels)), []
    for size in sizes:
        rows = [order[labels[order] == name][:1] for name in np.unique(labels)]  # wrong
        rows = np.concatenate(rows)  # the first ones of each sense
        found.append(np.mean(reader(vectors[rows], labels[rows], new_vectors) == truth))
    return found


@pytest.mark.parametrize(
    "wrong, says",
    [
        (accuracy_by_labels_one_too_many, "first n of each"),
        (accuracy_by_labels_other_shuffle_for_each_size, "one shuffle"),
        (accuracy_by_labels_fixed_names, "first n of each"),
        (accuracy_by_labels_first_rows_of_all, ""),
        (accuracy_by_labels_fixed_seed, "the draw"),
        (accuracy_by_labels_counts_wrong_ones, ""),
        (accuracy_by_labels_always_one, "what `decide` gets"),
    ],
)
def test_accuracy_by_labels_rejects(wrong, says):
    rejects(checks.accuracy_by_labels, wrong, says)


def test_accuracy_by_labels_accepts():
    accepts(checks.accuracy_by_labels, answers.accuracy_by_labels)


@pytest.mark.parametrize(
    "arguments, value",
    [
        ((nearest, LINE, (array([[-1.0], [9]]), LINE[1][:2]), (1, 9), 0), [1.0, 1.0]),
        ((nearest, LINE, (NEW, LINE[1][:2]), (2, 9), 0), [1.0, 1.0]),
        ((nearest, LINE, (NEW, LINE[1][1:]), (2,), 5), [0.5]),
        ((_counting, LINE, TEN, (1, 2), 0), [0.2, 0.3]),
        ((_counting, THREE, TEN, (1,), 0), [0.3]),
        ((_growing, SIXTY, TEN, (1, 2, 3), 0), [1.0, 1.0, 1.0]),
    ],
)
def test_accuracy_by_labels_by_hand(arguments, value):
    agrees(answers.accuracy_by_labels, arguments, value)

"""Exercises of "Positions, measured": right answers pass, likely mistakes do not."""

import numpy as np
import pytest
from exercise_battery import accepts, agrees, rejects
from numpy import array, cos, exp, ones, zeros

from course_utils.kit.checks import positions_measured as checks
from course_utils.kit.checks.answers import positions_measured as answers
from course_utils.kit.checks.answers.positions_measured import turned

# clock_products


@pytest.mark.parametrize(
    "wrong, says",
    [
        (lambda: (1, 1, 1, 0), ""),
        (lambda: (1, -1, 0, 0), ""),
        (lambda: (1, -1, 1), ""),
    ],
)
def test_clock_products_rejects(wrong, says):
    rejects(checks.clock_products, wrong, says)


@pytest.mark.parametrize(
    "right",
    [
        answers.clock_products,
        lambda: array([1, -1, 1, 0]),
    ],
)
def test_clock_products_accepts(right):
    accepts(checks.clock_products, right)


@pytest.mark.parametrize(
    "arguments, value",
    [((), [1, -1, 1, 0])],
)
def test_clock_products_by_hand(arguments, value):
    agrees(answers.clock_products, arguments, value)


SLOPES = array([[[2.0**-4]], [[2.0**-8]]])  # of two heads

NEAR = 1 / (1 + exp(-SLOPES))  # the weight of the word itself, of two

OF_3 = 1 / (1 + exp(-(2.0 ** -array([[[8 / 3]], [[16 / 3]], [[8]]]))))

SAME = zeros((2, 2, 3))


# penalised_weights


def penalised_weights_slopes_rounded(queries, keys):
    heads, length, width = queries.shape
    slopes = 2.0 ** (-(8 // heads) * np.arange(1, heads + 1))  # wrong
    positions = np.arange(length)
    distances = np.abs(positions[:, None] - positions)  # (T, T)
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(width)  # (H, T, T)
    scores = scores - slopes[:, None, None] * distances
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def penalised_weights_attracts_far_words(queries, keys):
    heads, length, width = queries.shape
    slopes = 2.0 ** (-8 * np.arange(1, heads + 1) / heads)  # (H,)
    positions = np.arange(length)
    distances = np.abs(positions[:, None] - positions)  # (T, T)
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(width)  # (H, T, T)
    scores = scores + slopes[:, None, None] * distances  # wrong
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def penalised_weights_no_root(queries, keys):
    heads, length, width = queries.shape
    slopes = 2.0 ** (-8 * np.arange(1, heads + 1) / heads)  # (H,)
    positions = np.arange(length)
    distances = np.abs(positions[:, None] - positions)  # (T, T)
    scores = queries @ np.swapaxes(keys, -1, -2)  # wrong
    scores = scores - slopes[:, None, None] * distances
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def penalised_weights_other_slopes(queries, keys):
    heads, length, width = queries.shape
    slopes = 2.0 ** (-np.arange(1.0, heads + 1))  # wrong
    positions = np.arange(length)
    distances = np.abs(positions[:, None] - positions)  # (T, T)
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(width)  # (H, T, T)
    scores = scores - slopes[:, None, None] * distances
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def penalised_weights_sign_of_distance(queries, keys):
    heads, length, width = queries.shape
    slopes = 2.0 ** (-8 * np.arange(1, heads + 1) / heads)  # (H,)
    positions = np.arange(length)
    distances = positions[:, None] - positions  # wrong
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(width)  # (H, T, T)
    scores = scores - slopes[:, None, None] * distances
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize(
    "wrong, says",
    [
        (penalised_weights_slopes_rounded, "the slope of each head"),
        (penalised_weights_attracts_far_words, "the sign"),
        (penalised_weights_no_root, "the division"),
        (penalised_weights_other_slopes, "1/256"),
        (penalised_weights_sign_of_distance, ""),
        (lambda queries, keys: ones((len(queries), *[queries.shape[1]] * 2)), ""),
    ],
)
def test_penalised_weights_rejects(wrong, says):
    rejects(checks.penalised_weights, wrong, says)


def test_penalised_weights_accepts():
    accepts(checks.penalised_weights, answers.penalised_weights)


@pytest.mark.parametrize(
    "arguments, value",
    [
        ((SAME, SAME), array([[1, 0], [0, 1]]) * (2 * NEAR - 1) + 1 - NEAR),
        ((zeros((3, 2, 3)),) * 2, array([[1, 0], [0, 1]]) * (2 * OF_3 - 1) + 1 - OF_3),
    ],
)
def test_penalised_weights_by_hand(arguments, value):
    agrees(answers.penalised_weights, arguments, value)


ONE, TWO = array([[[[3.0, 4.0]]]]), array([[[[1.0, 0.0], [1.0, 0.0]]]])  # (1, 1, T, 2)

FAR = 1 / (1 + exp((1 - cos(1)) / 2**0.5))  # weight of the other of two tokens

VALUES = array([[[[1.0, 0.0], [0.0, 1.0]]]])


# mended_attention


def mended_attention_turns_values(queries, keys, values):
    scores = turned(queries) @ np.swapaxes(turned(keys), -1, -2)  # (B, H, T, T)
    scores = scores / np.sqrt(queries.shape[-1])
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True) @ turned(values)  # wrong


def mended_attention_counts_heads(queries, keys, values):
    def turned(x):
        half = x.shape[-1] // 2
        angle = np.arange(x.shape[1])[:, None] / 10_000 ** (  # wrong
            np.arange(half) / half
        )  # (T, d/2)
        first, second = x[..., :half], x[..., half:]
        cosine, sine = np.cos(angle), np.sin(angle)
        pair = [first * cosine - second * sine, second * cosine + first * sine]
        return np.concatenate(pair, axis=-1)

    scores = turned(queries) @ np.swapaxes(turned(keys), -1, -2)  # (B, H, T, T)
    scores = scores / np.sqrt(queries.shape[-1])
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True) @ values


def mended_attention_queries_not_turned(queries, keys, values):
    scores = queries @ np.swapaxes(turned(keys), -1, -2)  # wrong
    scores = scores / np.sqrt(queries.shape[-1])
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True) @ values


def mended_attention_nothing_turned(queries, keys, values):
    scores = queries @ np.swapaxes(keys, -1, -2)  # wrong
    scores = scores / np.sqrt(queries.shape[-1])
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True) @ values


@pytest.mark.parametrize(
    "wrong, says",
    [
        (mended_attention_turns_values, "what is turned"),
        (mended_attention_counts_heads, "the axis"),
        (mended_attention_queries_not_turned, "what is turned"),
        (mended_attention_nothing_turned, ""),
    ],
)
def test_mended_attention_rejects(wrong, says):
    rejects(checks.mended_attention, wrong, says)


def test_mended_attention_accepts():
    accepts(checks.mended_attention, answers.mended_attention)


@pytest.mark.parametrize(
    "arguments, value",
    [
        ((ONE, ONE, ONE), ONE),
        ((TWO, TWO, VALUES), [[[[1 - FAR, FAR], [FAR, 1 - FAR]]]]),
    ],
)
def test_mended_attention_by_hand(arguments, value):
    agrees(answers.mended_attention, arguments, value)


SYMBOLS, SAID = array([[1, 2, 3, 4], [5, 6, 7, 8]]), array([[0, 1, 2, 4], [6, 5, 6, 5]])


# explained_by_distance


def explained_by_distance_sorted_distances(said, symbols, distances):
    found = []
    for distance in sorted(distances):  # wrong
        late, early = max(distance, 0), max(-distance, 0)
        length = symbols.shape[1] - late - early
        answers = said[:, late : late + length]
        found.append((answers == symbols[:, early : early + length]).mean())
    return found


def explained_by_distance_ignores_later_symbols(said, symbols, distances):
    found = []
    for distance in distances:
        late, early = max(distance, 0), 0  # wrong
        length = symbols.shape[1] - late - early
        answers = said[:, late : late + length]
        found.append((answers == symbols[:, early : early + length]).mean())
    return found


def explained_by_distance_early_answers(said, symbols, distances):
    found = []
    for distance in distances:
        late, early = max(distance, 0), max(-distance, 0)
        length = symbols.shape[1] - late - early
        answers = said[:, early : early + length]  # wrong
        found.append((answers == symbols[:, early : early + length]).mean())
    return found


def explained_by_distance_counts_misses(said, symbols, distances):
    found = []
    for distance in distances:
        late, early = max(distance, 0), max(-distance, 0)
        length = symbols.shape[1] - late - early
        answers = said[:, late : late + length]
        found.append((answers != symbols[:, early : early + length]).mean())  # wrong
    return found


@pytest.mark.parametrize(
    "wrong, says",
    [
        (explained_by_distance_sorted_distances, ""),
        (explained_by_distance_ignores_later_symbols, ""),
        (explained_by_distance_early_answers, ""),
        (explained_by_distance_counts_misses, ""),
    ],
)
def test_explained_by_distance_rejects(wrong, says):
    rejects(checks.explained_by_distance, wrong, says)


def test_explained_by_distance_accepts():
    accepts(checks.explained_by_distance, answers.explained_by_distance)


@pytest.mark.parametrize(
    "arguments, value",
    [
        ((SAID, SYMBOLS, (0, 1, 3, -1)), [1 / 8, 4 / 6, 1 / 2, 1 / 6]),
    ],
)
def test_explained_by_distance_by_hand(arguments, value):
    agrees(answers.explained_by_distance, arguments, value)

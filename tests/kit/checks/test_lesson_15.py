"""Exercises of lesson 15: right answers are accepted, likely mistakes rejected."""

import numpy as np
import pytest
from exercise_battery import accepts, agrees, rejects

from course_utils.kit.checks import lesson_15 as checks
from course_utils.kit.checks.answers import lesson_15 as answers
from course_utils.kit.checks.answers.lesson_15 import normed, turned

# cache_bytes


def cache_bytes_keys_only(
    texts, positions, num_layers, heads, key_heads, head_dim, number_bytes
):
    numbers = num_layers * key_heads * head_dim  # wrong
    return texts * positions * numbers * number_bytes


def cache_bytes_query_heads(
    texts, positions, num_layers, heads, key_heads, head_dim, number_bytes
):
    numbers = 2 * num_layers * heads * head_dim  # wrong
    return texts * positions * numbers * number_bytes


def cache_bytes_one_position(
    texts, positions, num_layers, heads, key_heads, head_dim, number_bytes
):
    numbers = 2 * num_layers * key_heads * head_dim  # of a position
    return texts * numbers * number_bytes  # wrong


def cache_bytes_one_text(
    texts, positions, num_layers, heads, key_heads, head_dim, number_bytes
):
    numbers = 2 * num_layers * key_heads * head_dim  # of a position
    return positions * numbers * number_bytes  # wrong


def cache_bytes_no_number_bytes(
    texts, positions, num_layers, heads, key_heads, head_dim, number_bytes
):
    numbers = 2 * num_layers * key_heads * head_dim  # of a position
    return texts * positions * numbers  # wrong


def cache_bytes_one_layer(
    texts, positions, num_layers, heads, key_heads, head_dim, number_bytes
):
    numbers = 2 * key_heads * head_dim  # wrong
    return texts * positions * numbers * number_bytes


@pytest.mark.parametrize(
    "wrong, says",
    [
        (cache_bytes_keys_only, "a key and a value"),
        (cache_bytes_query_heads, "those of the keys"),
        (cache_bytes_one_position, "has its own"),
        (cache_bytes_one_text, "the texts"),
        (cache_bytes_no_number_bytes, "Llama 3 8B"),
        (cache_bytes_one_layer, "the layers"),
    ],
)
def test_cache_bytes_rejects(wrong, says):
    rejects(checks.cache_bytes, wrong, says)


def test_cache_bytes_accepts():
    accepts(checks.cache_bytes, answers.cache_bytes)


@pytest.mark.parametrize(
    "arguments, value",
    [
        (
            (
                1,
                1,
                1,
                4,
                2,
                3,
                2,
            ),
            24,
        ),
        (
            (
                2,
                5,
                1,
                4,
                2,
                3,
                2,
            ),
            240,
        ),
    ],
)
def test_cache_bytes_by_hand(arguments, value):
    agrees(answers.cache_bytes, arguments, value)


# mixture


def mixture_least_fitting(x, router, up, down, k):
    scores = x @ router  # (N, E)
    chosen = np.argsort(scores, axis=1)[:, :k]  # wrong
    best = np.take_along_axis(scores, chosen, axis=1)
    powers = np.exp(best - best.max(axis=1, keepdims=True))
    weights = powers / powers.sum(axis=1, keepdims=True)  # (N, k)
    mixed = np.zeros((len(x), down.shape[2]))
    for expert in range(router.shape[1]):
        token, place = np.nonzero(chosen == expert)
        if len(token):
            hidden = np.maximum(x[token] @ up[expert], 0)
            mixed[token] += weights[token, place][:, None] * (hidden @ down[expert])
    return mixed


def mixture_softmax_over_all(x, router, up, down, k):
    scores = x @ router  # (N, E)
    chosen = np.argsort(-scores, axis=1)[:, :k]  # (N, k)
    best = np.take_along_axis(scores, chosen, axis=1)
    powers = np.exp(best - best.max(axis=1, keepdims=True))
    weights = np.exp(best) / np.exp(scores).sum(axis=1, keepdims=True)  # wrong
    mixed = np.zeros((len(x), down.shape[2]))
    for expert in range(router.shape[1]):
        token, place = np.nonzero(chosen == expert)
        if len(token):
            hidden = np.maximum(x[token] @ up[expert], 0)
            mixed[token] += weights[token, place][:, None] * (hidden @ down[expert])
    return mixed


def mixture_no_weights(x, router, up, down, k):
    scores = x @ router  # (N, E)
    chosen = np.argsort(-scores, axis=1)[:, :k]  # (N, k)
    best = np.take_along_axis(scores, chosen, axis=1)
    powers = np.exp(best - best.max(axis=1, keepdims=True))
    weights = powers / powers.sum(axis=1, keepdims=True)  # (N, k)
    mixed = np.zeros((len(x), down.shape[2]))
    for expert in range(router.shape[1]):
        token, place = np.nonzero(chosen == expert)
        if len(token):
            hidden = np.maximum(x[token] @ up[expert], 0)
            mixed[token] += hidden @ down[expert]  # wrong
    return mixed


def mixture_no_relu(x, router, up, down, k):
    scores = x @ router  # (N, E)
    chosen = np.argsort(-scores, axis=1)[:, :k]  # (N, k)
    best = np.take_along_axis(scores, chosen, axis=1)
    powers = np.exp(best - best.max(axis=1, keepdims=True))
    weights = powers / powers.sum(axis=1, keepdims=True)  # (N, k)
    mixed = np.zeros((len(x), down.shape[2]))
    for expert in range(router.shape[1]):
        token, place = np.nonzero(chosen == expert)
        if len(token):
            hidden = x[token] @ up[expert]  # wrong
            mixed[token] += weights[token, place][:, None] * (hidden @ down[expert])
    return mixed


def mixture_no_largest_score(x, router, up, down, k):
    scores = x @ router  # (N, E)
    chosen = np.argsort(-scores, axis=1)[:, :k]  # (N, k)
    best = np.take_along_axis(scores, chosen, axis=1)
    powers = np.exp(best)  # wrong
    weights = powers / powers.sum(axis=1, keepdims=True)  # (N, k)
    mixed = np.zeros((len(x), down.shape[2]))
    for expert in range(router.shape[1]):
        token, place = np.nonzero(chosen == expert)
        if len(token):
            hidden = np.maximum(x[token] @ up[expert], 0)
            mixed[token] += weights[token, place][:, None] * (hidden @ down[expert])
    return mixed


def mixture_computes_all_experts(x, router, up, down, k):
    scores = x @ router  # (N, E)
    chosen = np.argsort(-scores, axis=1)[:, :k]  # (N, k)
    best = np.take_along_axis(scores, chosen, axis=1)
    powers = np.exp(best - best.max(axis=1, keepdims=True))
    weights = powers / powers.sum(axis=1, keepdims=True)  # (N, k)
    mixed = np.zeros((len(x), down.shape[2]))
    each = (np.maximum(x @ up, 0) @ down).swapaxes(0, 1)  # wrong
    each = np.take_along_axis(each, chosen[:, :, None], axis=1)  # wrong
    return (weights[:, :, None] * each).sum(axis=1)  # wrong


def mixture_computes_every_token(x, router, up, down, k):
    scores = x @ router  # (N, E)
    chosen = np.argsort(-scores, axis=1)[:, :k]  # (N, k)
    best = np.take_along_axis(scores, chosen, axis=1)
    powers = np.exp(best - best.max(axis=1, keepdims=True))
    weights = powers / powers.sum(axis=1, keepdims=True)  # (N, k)
    mixed = np.zeros((len(x), down.shape[2]))
    for expert in range(router.shape[1]):
        token, place = np.nonzero(chosen == expert)
        if len(token):
            share = np.where(chosen == expert, weights, 0).sum(axis=1)  # wrong
            # wrong:
            mixed += share[:, None] * (np.maximum(x @ up[expert], 0) @ down[expert])
    return mixed


@pytest.mark.parametrize(
    "wrong, says",
    [
        (mixture_least_fitting, "one expert"),
        (mixture_softmax_over_all, "no rival"),
        (mixture_no_weights, "all experts"),
        (mixture_no_relu, "the ReLU"),
        (mixture_no_largest_score, "largest score"),
        (mixture_computes_all_experts, "too large"),
        (mixture_computes_every_token, "one token only"),
    ],
)
def test_mixture_rejects(wrong, says):
    rejects(checks.mixture, wrong, says)


def test_mixture_accepts():
    accepts(checks.mixture, answers.mixture)


# x = (1, 2). Scores (0, 5000): the second expert, relu(1 - 2) = 0. (5, 0): the first,
# relu(1 + 2) = 3. Scores (2, 2): half of (3·3, 3·4) and half of relu(-1) = 0, or of
# 3·(5, 0).
@pytest.mark.parametrize(
    "arguments, value",
    [
        (
            (
                np.array([[1.0, 2.0]]),
                np.array([[0.0, 5000.0], [0.0, 0.0]]),
                np.array([[[1.0], [1.0]], [[1.0], [-1.0]]]),
                np.array([[[3.0, 4.0]], [[5.0, 5.0]]]),
                1,
            ),
            [[0.0, 0.0]],
        ),
        (
            (
                np.array([[1.0, 2.0]]),
                np.array([[5.0, 0.0], [0.0, 0.0]]),
                np.array([[[1.0], [1.0]], [[1.0], [-1.0]]]),
                np.array([[[3.0, 4.0]], [[5.0, 5.0]]]),
                1,
            ),
            [[9.0, 12.0]],
        ),
        (
            (
                np.array([[1.0, 2.0]]),
                np.array([[2.0, 0.0], [0.0, 1.0]]),
                np.array([[[1.0], [1.0]], [[1.0], [1.0]]]),
                np.array([[[3.0, 4.0]], [[5.0, 0.0]]]),
                2,
            ),
            [[12.0, 6.0]],
        ),
        (
            (
                np.array([[1e-200, 0.0], [0.0, 1e200]]),
                np.array([[1e200, 0.0], [0.0, 1e-200]]),
                np.array([[[1e200], [1e200]], [[1.0], [1.0]]]),
                np.array([[[1.0, 1.0]], [[1e-200, 0.0]]]),
                1,
            ),
            [[1.0, 1.0], [1.0, 0.0]],
        ),
    ],
)
def test_mixture_by_hand(arguments, value):
    agrees(answers.mixture, arguments, value)


# mended_weights


def mended_weights_heads_interleaved(queries, keys, scale, start=0):
    keys = np.tile(keys, (len(queries) // len(keys), 1, 1))  # wrong
    queries, keys = (turned(normed(y) * scale, start) for y in (queries, keys))
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(len(scale))
    scores = np.where(np.tri(scores.shape[-1], dtype=bool), scores, -1e9)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def mended_weights_turned_before_norm(queries, keys, scale, start=0):
    keys = np.repeat(keys, len(queries) // len(keys), axis=0)
    queries, keys = (normed(turned(y, start)) * scale for y in (queries, keys))  # wrong
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(len(scale))
    scores = np.where(np.tri(scores.shape[-1], dtype=bool), scores, -1e9)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def mended_weights_no_root(queries, keys, scale, start=0):
    keys = np.repeat(keys, len(queries) // len(keys), axis=0)
    queries, keys = (turned(normed(y) * scale, start) for y in (queries, keys))
    scores = queries @ np.swapaxes(keys, -1, -2) / 1.0  # wrong
    scores = np.where(np.tri(scores.shape[-1], dtype=bool), scores, -1e9)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def mended_weights_later_seen(queries, keys, scale, start=0):
    keys = np.repeat(keys, len(queries) // len(keys), axis=0)
    queries, keys = (turned(normed(y) * scale, start) for y in (queries, keys))
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(len(scale))
    scores = np.where(np.tri(scores.shape[-1], dtype=bool), scores, 0.0)  # wrong
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize(
    "wrong, says",
    [
        (mended_weights_heads_interleaved, "neighbours"),
        (mended_weights_turned_before_norm, "the order"),
        (mended_weights_no_root, "right before"),
        (mended_weights_later_seen, "right before"),
    ],
)
def test_mended_weights_rejects(wrong, says):
    rejects(checks.mended_weights, wrong, says)


def test_mended_weights_accepts():
    accepts(checks.mended_weights, answers.mended_weights)


# Key head a is like the queries, b their opposite; one step turns by one radian, so the
# scores of position 1 are ±√2 cos 1 and ±√2.
@pytest.mark.parametrize(
    "arguments, value",
    [
        (
            (
                np.array(
                    [
                        [[1.0, 1.0], [1.0, 1.0]],
                        [[1.0, 1.0], [1.0, 1.0]],
                        [[1.0, 1.0], [1.0, 1.0]],
                        [[1.0, 1.0], [1.0, 1.0]],
                    ]
                ),
                np.array([[[1.0, 1.0], [1.0, 1.0]], [[-1.0, -1.0], [-1.0, -1.0]]]),
                np.array([1.0, 1.0]),
                3,
            ),
            [
                [[1.0, 0.0], [0.342966, 0.657034]],
                [[1.0, 0.0], [0.342966, 0.657034]],
                [[1.0, 0.0], [0.657034, 0.342966]],
                [[1.0, 0.0], [0.657034, 0.342966]],
            ],
        )
    ],
)
def test_mended_weights_by_hand(arguments, value):
    agrees(answers.mended_weights, arguments, value)


# useful_rates


def useful_rates_nan_is_best(rates, found, tolerance):
    found = np.nan_to_num(np.asarray(found, float), nan=0.0)  # wrong
    good = found <= found.min() + tolerance
    low = high = int(found.argmin())
    while low > 0 and good[low - 1]:
        low -= 1
    while high + 1 < len(good) and good[high + 1]:
        high += 1
    return rates[low], rates[high]


def useful_rates_tolerance_alone(rates, found, tolerance):
    found = np.nan_to_num(np.asarray(found, float), nan=np.inf)
    good = found <= tolerance  # wrong
    low = high = int(found.argmin())
    while low > 0 and good[low - 1]:
        low -= 1
    while high + 1 < len(good) and good[high + 1]:
        high += 1
    return rates[low], rates[high]


def useful_rates_beyond_gap_below(rates, found, tolerance):
    found = np.nan_to_num(np.asarray(found, float), nan=np.inf)
    good = found <= found.min() + tolerance
    low = high = int(found.argmin())
    low = int(np.argmax(good))  # wrong
    while high + 1 < len(good) and good[high + 1]:
        high += 1
    return rates[low], rates[high]


def useful_rates_best_excluded(rates, found, tolerance):
    found = np.nan_to_num(np.asarray(found, float), nan=np.inf)
    good = found < found.min() + tolerance  # wrong
    low = high = int(found.argmin())
    while low > 0 and good[low - 1]:
        low -= 1
    while high + 1 < len(good) and good[high + 1]:
        high += 1
    return rates[low], rates[high]


def useful_rates_beyond_gap_above(rates, found, tolerance):
    found = np.nan_to_num(np.asarray(found, float), nan=np.inf)
    good = found <= found.min() + tolerance
    low = high = int(found.argmin())
    while low > 0 and good[low - 1]:
        low -= 1
    high = len(good) - 1 - int(np.argmax(good[::-1]))  # wrong
    return rates[low], rates[high]


@pytest.mark.parametrize(
    "wrong, says",
    [
        (useful_rates_nan_is_best, "NaN"),
        (useful_rates_tolerance_alone, "two good rates"),
        (useful_rates_beyond_gap_below, "a gap"),
        (useful_rates_best_excluded, "as good as the best"),
        (useful_rates_beyond_gap_above, "a gap"),
    ],
)
def test_useful_rates_rejects(wrong, says):
    rejects(checks.useful_rates, wrong, says)


def test_useful_rates_accepts():
    accepts(checks.useful_rates, answers.useful_rates)


@pytest.mark.parametrize(
    "arguments, value",
    [
        (
            (
                [1, 3, 9],
                [2.0, 1.0, 1.5],
                0.6,
            ),
            [3, 9],
        ),
        (
            (
                [1, 3, 9],
                [np.nan, 1.0, 2.0],
                0.1,
            ),
            [3, 3],
        ),
        (
            (
                [1, 3, 9],
                [1.05, 2.0, 1.0],
                0.1,
            ),
            [9, 9],
        ),
        (
            (
                [1, 3],
                [1.0, 1.0],
                0.0,
            ),
            [1, 3],
        ),
    ],
)
def test_useful_rates_by_hand(arguments, value):
    agrees(answers.useful_rates, arguments, value)

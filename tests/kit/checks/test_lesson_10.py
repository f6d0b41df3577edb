"""Exercises of lesson 10: right answers are accepted, likely mistakes rejected."""

import numpy as np
import pytest
from exercise_battery import accepts, agrees, rejects
from numpy import array

from course_utils.kit.checks import lesson_10 as checks
from course_utils.kit.checks.answers import lesson_10 as answers

# bits_of_words


def bits_of_words_natural_logarithm(perplexity, characters, words):
    return np.log(perplexity) * words / characters  # wrong


def bits_of_words_words_and_characters_swapped(perplexity, characters, words):
    return np.log2(perplexity) * characters / words  # wrong


def bits_of_words_no_logarithm(perplexity, characters, words):
    return perplexity * words / characters  # wrong


def bits_of_words_whole_characters_a_word(perplexity, characters, words):
    return np.log2(perplexity) / (characters // words)  # wrong


def bits_of_words_whole_bits(perplexity, characters, words):
    return int(np.log2(perplexity)) * words / characters  # wrong


@pytest.mark.parametrize(
    "wrong, says",
    [
        (bits_of_words_natural_logarithm, "expected 1.5"),
        (bits_of_words_words_and_characters_swapped, "by its characters"),
        (bits_of_words_no_logarithm, ""),
        (bits_of_words_whole_characters_a_word, ""),
        (bits_of_words_whole_bits, ""),
    ],
)
def test_bits_of_words_rejects(wrong, says):
    rejects(checks.bits_of_words, wrong, says)


def test_bits_of_words_accepts():
    accepts(checks.bits_of_words, answers.bits_of_words)


@pytest.mark.parametrize(
    "arguments, value",
    [
        (
            (
                64,
                4,
                1,
            ),
            1.5,
        ),
        (
            (
                2,
                20,
                5,
            ),
            0.25,
        ),
        (
            (
                8,
                9,
                2,
            ),
            0.66666667,
        ),
        (
            (
                1.41421356,
                1,
                1,
            ),
            0.5,
        ),
    ],
)
def test_bits_of_words_by_hand(arguments, value):
    agrees(answers.bits_of_words, arguments, value)


# forbidden


def forbidden_last_tokens_by_minus(ids, n):
    last = ids[-(n - 1) :]  # wrong
    if len(ids) < n:
        return []
    starts = range(len(ids) - n + 1)
    return sorted({ids[i + n - 1] for i in starts if ids[i : i + n - 1] == last})


def forbidden_last_token_only(ids, n):
    last = ids[len(ids) - n + 1 :]
    if len(ids) < n:
        return []
    starts = range(len(ids) - n + 1)
    return list({ids[-1] for i in starts if ids[i : i + n - 1] == last})  # wrong


def forbidden_misses_first(ids, n):
    last = ids[len(ids) - n + 1 :]
    if len(ids) < n:
        return []
    starts = range(1, len(ids) - n + 1)  # wrong
    return sorted({ids[i + n - 1] for i in starts if ids[i : i + n - 1] == last})


def forbidden_misses_last(ids, n):
    last = ids[len(ids) - n + 1 :]
    if len(ids) < n:
        return []
    starts = range(len(ids) - n)  # wrong
    return sorted({ids[i + n - 1] for i in starts if ids[i : i + n - 1] == last})


def forbidden_one_token_fewer(ids, n):
    last = ids[len(ids) - n + 2 :]  # wrong
    if len(ids) < n:
        return []
    starts = range(len(ids) - n + 1)
    return sorted({ids[i + n - 1] for i in starts if ids[i : i + n - 1] == last})


def forbidden_misses_last_but_for_one(ids, n):
    last = ids[len(ids) - n + 1 :]
    if len(ids) < n:
        return []
    starts = range(len(ids) - n + (n == 1))  # wrong
    return sorted({ids[i + n - 1] for i in starts if ids[i : i + n - 1] == last})


def forbidden_first_token_decides(ids, n):
    last = ids[len(ids) - n + 1 :]
    if len(ids) < n:
        return []
    starts = range(len(ids) - n + 1)
    # wrong:
    return sorted(
        {ids[i + n - 1] for i in starts if ids[i : i + n - 1][:1] == last[:1]}
    )


@pytest.mark.parametrize(
    "wrong, says",
    [
        (forbidden_last_tokens_by_minus, ""),
        (forbidden_last_token_only, "earlier"),
        (forbidden_misses_first, "earlier"),
        (forbidden_misses_last, ""),
        (forbidden_one_token_fewer, ""),
        (forbidden_misses_last_but_for_one, ""),
        (forbidden_first_token_decides, ""),
    ],
)
def test_forbidden_rejects(wrong, says):
    rejects(checks.forbidden, wrong, says)


def test_forbidden_accepts():
    accepts(checks.forbidden, answers.forbidden)


@pytest.mark.parametrize(
    "arguments, value",
    [
        (
            (
                [5, 6, 7, 5, 6],
                3,
            ),
            [7],
        ),
        (
            (
                [5, 5],
                2,
            ),
            [5],
        ),
        (
            (
                [6, 5],
                1,
            ),
            [5, 6],
        ),
        (
            (
                [8, 9],
                4,
            ),
            [],
        ),
        (
            (
                [5, 9, 8, 5, 6],
                3,
            ),
            [],
        ),
    ],
)
def test_forbidden_by_hand(arguments, value):
    agrees(answers.forbidden, arguments, value)


# contexts


def contexts_with_target(ids, size, first):
    places = np.arange(first, len(ids))  # (R,)
    return ids[places[:, None] + np.arange(1 - size, 1)], ids[first:]  # wrong


def contexts_own_start_for_each_size(ids, size, first):
    places = np.arange(size, len(ids))  # wrong
    return ids[places[:, None] + np.arange(-size, 0)], ids[first:]


def contexts_targets_one_early(ids, size, first):
    places = np.arange(first, len(ids))  # (R,)
    return ids[places[:, None] + np.arange(-size, 0)], ids[first - 1 : -1]  # wrong


def contexts_last_target_missing(ids, size, first):
    places = np.arange(first, len(ids))  # (R,)
    return ids[places[:, None] + np.arange(-size, 0)], ids[first:-1]  # wrong


@pytest.mark.parametrize(
    "wrong, says",
    [
        (contexts_with_target, "without itself"),
        (contexts_own_start_for_each_size, ""),
        (contexts_targets_one_early, ""),
        (contexts_last_target_missing, ""),
    ],
)
def test_contexts_rejects(wrong, says):
    rejects(checks.contexts, wrong, says)


def test_contexts_accepts():
    accepts(checks.contexts, answers.contexts)


@pytest.mark.parametrize(
    "arguments, value",
    [
        (
            (
                np.array([7, 8, 9, 6]),
                2,
                2,
            ),
            ([[7, 8], [8, 9]], [9, 6]),
        ),
        (
            (
                np.array([7, 8, 9, 6]),
                1,
                3,
            ),
            ([[9]], [6]),
        ),
    ],
)
def test_contexts_by_hand(arguments, value):
    agrees(answers.contexts, arguments, value)


IDS, AGAIN, ONE = array([[4, 5, 6], [7, 7, 4]]), array([[5, 4, 4]]), np.eye(9)

AHEAD = [True, True, False]


# peeks


def peeks_changes_t_too(model, ids):
    logits = np.asarray(model(ids))  # (B, T, V)
    found = np.zeros(ids.shape[1], bool)
    for t in range(ids.shape[1] - 1):
        other = ids.copy()
        other[:, t:] = 4 + (ids[:, t + 1 :] - 3) % (logits.shape[-1] - 4)  # wrong
        found[t] = (np.abs(np.asarray(model(other)) - logits)[:, t] > 1e-5).any()
    return found


def peeks_changes_next_only(model, ids):
    logits = np.asarray(model(ids))  # (B, T, V)
    found = np.zeros(ids.shape[1], bool)
    for t in range(ids.shape[1] - 1):
        other = ids.copy()
        other[:, t + 1] = 4 + (ids[:, t + 1] - 3) % (logits.shape[-1] - 4)  # wrong
        found[t] = (np.abs(np.asarray(model(other)) - logits)[:, t] > 1e-5).any()
    return found


def peeks_looks_at_all(model, ids):
    logits = np.asarray(model(ids))  # (B, T, V)
    found = np.zeros(ids.shape[1], bool)
    for t in range(ids.shape[1] - 1):
        other = ids.copy()
        other[:, t + 1 :] = 4 + (ids[:, t + 1 :] - 3) % (logits.shape[-1] - 4)
        found[t] = (np.abs(np.asarray(model(other)) - logits) > 1e-5).any()  # wrong
    return found


def peeks_changes_last_only(model, ids):
    logits = np.asarray(model(ids))  # (B, T, V)
    found = np.zeros(ids.shape[1], bool)
    for t in range(ids.shape[1] - 1):
        other = ids.copy()
        other[:, -1:] = 4 + (ids[:, -1:] - 3) % (logits.shape[-1] - 4)  # wrong
        found[t] = (np.abs(np.asarray(model(other)) - logits)[:, t] > 1e-5).any()
    return found


def peeks_changes_to_one_id(model, ids):
    logits = np.asarray(model(ids))  # (B, T, V)
    found = np.zeros(ids.shape[1], bool)
    for t in range(ids.shape[1] - 1):
        other = ids.copy()
        other[:, t + 1 :] = 4  # wrong
        found[t] = (np.abs(np.asarray(model(other)) - logits)[:, t] > 1e-5).any()
    return found


def peeks_changes_to_own_id(model, ids):
    logits = np.asarray(model(ids))  # (B, T, V)
    found = np.zeros(ids.shape[1], bool)
    for t in range(ids.shape[1] - 1):
        other = ids.copy()
        other[:, t + 1 :] = ids[:, t : t + 1]  # wrong
        found[t] = (np.abs(np.asarray(model(other)) - logits)[:, t] > 1e-5).any()
    return found


def peeks_all_logits(model, ids):
    logits = np.asarray(model(ids))  # (B, T, V)
    found = np.zeros(ids.shape[1], bool)
    for t in range(ids.shape[1] - 1):
        other = ids.copy()
        other[:, t + 1 :] = 4 + (ids[:, t + 1 :] - 3) % (logits.shape[-1] - 4)
        # wrong:
        found[t] = (np.abs(np.asarray(model(other)) - logits)[:, t] > 1e-5).all()
    return found


def peeks_needs_large_change(model, ids):
    logits = np.asarray(model(ids))  # (B, T, V)
    found = np.zeros(ids.shape[1], bool)
    for t in range(ids.shape[1] - 1):
        other = ids.copy()
        other[:, t + 1 :] = 4 + (ids[:, t + 1 :] - 3) % (logits.shape[-1] - 4)
        # wrong:
        found[t] = (np.abs(np.asarray(model(other)) - logits)[:, t] > 0.1).any()
    return found


@pytest.mark.parametrize(
    "wrong, says",
    [
        (peeks_changes_t_too, ""),
        (peeks_changes_next_only, ""),
        (peeks_looks_at_all, "no position peeks"),
        (peeks_changes_last_only, ""),
        (peeks_changes_to_one_id, ""),
        (peeks_changes_to_own_id, ""),
        (peeks_all_logits, ""),
        (peeks_needs_large_change, ""),
        (lambda model, ids: np.zeros(ids.shape[1], bool), ""),
    ],
)
def test_peeks_rejects(wrong, says):
    rejects(checks.peeks, wrong, says)


def test_peeks_accepts():
    accepts(checks.peeks, answers.peeks)


@pytest.mark.parametrize(
    "arguments, value",
    [
        ((lambda ids: ONE[ids], IDS), [False] * 3),
        ((lambda ids: ONE[np.roll(ids, -1, axis=1)], IDS), AHEAD),
        ((lambda ids: ONE[np.roll(ids, -1, axis=1)], AGAIN), AHEAD),
        ((lambda ids: ONE[ids[:, [2, 2, 2]]], IDS), AHEAD),
    ],
)
def test_peeks_by_hand(arguments, value):
    agrees(answers.peeks, arguments, value)

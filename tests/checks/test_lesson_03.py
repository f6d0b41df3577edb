"""The checks of lesson 03 accept right answers and reject plausible wrong ones."""

import numpy as np
import pytest
from exercise_battery import tells_right_from_wrong

from course_utils.checks import lesson_03 as checks


def unit(x):
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def right_cosine(query, keys):
    return unit(query) @ unit(keys).T


def cosine_of_keys_only(query, keys):
    return query @ unit(keys).T


def cosine_with_squared_lengths(query, keys):
    return query @ keys.T / np.outer((query**2).sum(1), (keys**2).sum(1))


def cosine_of_the_whole(query, keys):
    return query @ keys.T / (np.linalg.norm(query) * np.linalg.norm(keys))


def window(target_length, source_length, half_width, last=1, strict=False, past=False):
    places = np.minimum(np.arange(target_length), source_length - last)
    distance = np.arange(source_length)[None] - places[:, None]
    inside = np.abs(distance) <= half_width - strict
    return inside & (distance <= 0) if past else inside


def window_past_the_end(target_length, source_length, half_width):
    distance = np.arange(source_length)[None] - np.arange(target_length)[:, None]
    return np.abs(distance) <= half_width


def window_of_numbers(*sizes):
    places = np.minimum(np.arange(sizes[0]), sizes[1] - 1)
    return sizes[2] + 1 - np.abs(np.arange(sizes[1])[None] - places[:, None])


def predictive(scores, place, half_width, sigma=0.5, gaussian=True, cut=True, norm=1):
    distance = np.arange(len(scores)) - place
    powers = np.exp(scores)
    if norm == 0:
        powers = powers / powers.sum()
    if gaussian:
        powers = powers * np.exp(-(distance**2) / (2 * (sigma * half_width) ** 2))
    if cut:
        powers = np.where(np.abs(distance) <= half_width, powers, 0)
    return powers / powers.sum() if norm else powers


ANSWERS = {
    checks.cosine_scores: (
        right_cosine,
        [cosine_of_keys_only, cosine_with_squared_lengths, cosine_of_the_whole],
    ),
    checks.monotonic_window: (
        window,
        [
            window_past_the_end,
            window_of_numbers,
            lambda *sizes: window(*sizes, strict=True),
            lambda *sizes: window(*sizes, past=True),
            lambda *sizes: window(*sizes, last=0),
        ],
    ),
    checks.predictive_weights: (
        predictive,
        [
            lambda *case: predictive(*case, sigma=1.0),
            lambda *case: predictive(*case, gaussian=False),
            lambda *case: predictive(*case, cut=False),
            lambda *case: predictive(*case, norm=0),
        ],
    ),
}


def test_a_window_may_be_of_zeros_and_ones():
    answer = checks.monotonic_window(lambda *sizes: window(*sizes).astype(int))
    assert answer == "correct"


@pytest.mark.parametrize("check", ANSWERS, ids=lambda check: check.__name__)
def test_check_tells_right_from_wrong(check):
    tells_right_from_wrong(check, *ANSWERS[check])

"""The checks of lesson 04 accept right answers and reject plausible wrong ones."""

import numpy as np
import pytest
from exercise_battery import tells_right_from_wrong

from course_utils.checks import lesson_04 as checks


def mask_by_distance(real, window):
    places = np.arange(real.shape[1])
    near = np.abs(places[:, None] - places[None]) <= window
    return near[None] & real[:, None, :]


def mask_of_the_past(real, window):
    places = np.arange(real.shape[1])
    distance = places[:, None] - places[None]
    return ((distance >= 0) & (distance <= window))[None] & real[:, None, :]


def mask_one_too_narrow(real, window):
    places = np.arange(real.shape[1])
    near = np.abs(places[:, None] - places[None]) < window
    return near[None] & real[:, None, :]


def mask_of_queries(real, window):
    return mask_by_distance(np.ones_like(real), window) & real[:, :, None]


def mask_without_padding(real, window):
    return mask_by_distance(np.ones_like(real), window)


def phi(x):
    return np.where(x > 0, x + 1, np.exp(np.minimum(x, 0)))


def keys_first(query, key, value):
    query, key = phi(query), phi(key)
    return (query @ (key.T @ value)) / (query @ key.sum(axis=0))[:, None]


def all_pairs(query, key, value):
    weights = phi(query) @ phi(key).T
    return weights @ value / weights.sum(axis=1, keepdims=True)


def without_sum(query, key, value):
    return phi(query) @ (phi(key).T @ value)


def without_phi(query, key, value):
    return (query @ (key.T @ value)) / (query @ key.sum(axis=0))[:, None]


def sum_over_queries(query, key, value):
    query, key = phi(query), phi(key)
    return (query @ (key.T @ value)) / (query @ query.sum(axis=0))[:, None]


ANSWERS = {
    checks.length_where_pairs_dominate: (
        lambda d: 2 * d + 1,
        [lambda d: 2 * d, lambda d: d + 1, lambda d: 4 * d + 1, lambda d: d * d],
    ),
    checks.window_mask: (
        mask_by_distance,
        [
            mask_of_the_past,
            mask_one_too_narrow,
            mask_of_queries,
            mask_without_padding,
        ],
    ),
    checks.linear_attention: (
        keys_first,
        [all_pairs, without_sum, without_phi, sum_over_queries],
    ),
}


@pytest.mark.parametrize("check", ANSWERS, ids=lambda check: check.__name__)
def test_check_tells_right_from_wrong(check):
    tells_right_from_wrong(check, *ANSWERS[check])


def test_an_array_of_all_pairs_is_noticed_by_its_memory():
    assert "MB" in checks.linear_attention(all_pairs)

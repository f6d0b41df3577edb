"""The checks of lesson 07 accept right answers and reject plausible wrong ones."""

import collections
import math

import numpy as np
import pytest
from exercise_battery import tells_right_from_wrong

from course_utils.checks import lesson_07 as checks


def right_pairs(text):
    words = text.split()
    return collections.Counter(zip(words, words[1:], strict=False))


def pairs_without_overlap(text):
    words = text.split()
    return collections.Counter(zip(words[::2], words[1::2], strict=False))


def pairs_in_any_order(text):
    words = text.split()
    return collections.Counter(
        tuple(sorted(pair)) for pair in zip(words, words[1:], strict=False)
    )


def different_pairs(text):
    return dict.fromkeys(right_pairs(text), 1)


def right_number(p, error):
    return math.ceil(round(p * (1 - p) / error**2, 9))


def number_rounded_down(p, error):
    return int(p * (1 - p) / error**2 + 1e-9)


def number_without_square(p, error):
    return math.ceil(math.sqrt(p * (1 - p)) / error)


def number_rounded_to_the_nearest(p, error):
    return round(p * (1 - p) / error**2)


def number_and_one_more(p, error):
    return int(p * (1 - p) / error**2 + 1e-9) + 1


def right_errors(one, other):
    a, b = np.sum(one & ~other), np.sum(~one & other)
    return abs(a - b) / np.sqrt(a + b) if a + b else 0.0


def errors_over_all(one, other):
    return abs(np.sum(one) - np.sum(other)) / np.sqrt(len(one))


def errors_over_all_but_both_right(one, other):
    a, b = np.sum(one & ~other), np.sum(~one & other)
    return abs(a - b) / np.sqrt(max(np.sum(~(one & other)), 1))


def errors_with_sign(one, other):
    a, b = int(np.sum(one & ~other)), int(np.sum(~one & other))
    return (a - b) / np.sqrt(a + b) if a + b else 0.0


def errors_not_a_number(one, other):
    a, b = np.sum(one & ~other), np.sum(~one & other)
    with np.errstate(invalid="ignore"):
        return abs(a - b) / np.sqrt(a + b)


ANSWERS = {
    checks.count_pairs: (
        right_pairs,
        [pairs_without_overlap, pairs_in_any_order, different_pairs],
    ),
    checks.reviews_needed: (
        right_number,
        [
            number_rounded_down,
            number_rounded_to_the_nearest,
            number_and_one_more,
            number_without_square,
        ],
    ),
    checks.errors_apart: (
        right_errors,
        [
            errors_over_all,
            errors_over_all_but_both_right,
            errors_with_sign,
            errors_not_a_number,
        ],
    ),
}


@pytest.mark.parametrize("check", ANSWERS, ids=lambda check: check.__name__)
def test_check_tells_right_from_wrong(check):
    tells_right_from_wrong(check, *ANSWERS[check])

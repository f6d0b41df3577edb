"""The checks of lesson 02 accept right answers and reject plausible wrong ones."""

import numpy as np
import pytest
from exercise_battery import tells_right_from_wrong

from course_utils.checks import lesson_02 as checks
from course_utils.text.vectorizers import END, START


def right_shift(labels):
    start = np.full((len(labels), 1), START)
    without_end = np.where(labels == END, 0, labels)
    return np.concatenate([start, without_end[:, :-1]], axis=1)


def shift_that_keeps_end(labels):
    start = np.full((len(labels), 1), START)
    return np.concatenate([start, labels[:, :-1]], axis=1)


def shift_left(labels):
    return np.concatenate([labels[:, 1:], np.zeros((len(labels), 1), int)], axis=1)


def shift_that_lengthens(labels):
    start = np.full((len(labels), 1), START)
    return np.concatenate([start, np.where(labels == END, 0, labels)], axis=1)


def right_peek(x, state):
    repeated = np.repeat(state[:, None], x.shape[1], axis=1)
    return np.concatenate([x, repeated], axis=-1)


def peek_in_front(x, state):
    repeated = np.repeat(state[:, None], x.shape[1], axis=1)
    return np.concatenate([repeated, x], axis=-1)


def peek_at_the_first_step(x, state):
    repeated = np.repeat(state[:, None], x.shape[1], axis=1)
    repeated[:, 1:] = 0
    return np.concatenate([x, repeated], axis=-1)


def peek_in_scrambled_rows(x, state):
    repeated = np.tile(state, (x.shape[1], 1)).reshape(*x.shape[:2], -1)
    return np.concatenate([x, repeated], axis=-1)


def right_errors(predicted, labels):
    wrong = (predicted != labels) & (labels != 0)
    return np.where(wrong.any(axis=1), wrong.argmax(axis=1), -1)


def errors_with_padding(predicted, labels):
    wrong = predicted != labels
    return np.where(wrong.any(axis=1), wrong.argmax(axis=1), -1)


def errors_without_none(predicted, labels):
    return ((predicted != labels) & (labels != 0)).argmax(axis=1)


def last_errors(predicted, labels):
    wrong = (predicted != labels) & (labels != 0)
    last = wrong.shape[1] - 1 - wrong[:, ::-1].argmax(axis=1)
    return np.where(wrong.any(axis=1), last, -1)


ANSWERS = {
    checks.shift_right: (
        right_shift,
        [shift_that_keeps_end, shift_left, shift_that_lengthens],
    ),
    checks.peeky_inputs: (
        right_peek,
        [peek_in_front, peek_at_the_first_step, peek_in_scrambled_rows],
    ),
    checks.first_errors: (
        right_errors,
        [errors_with_padding, errors_without_none, last_errors],
    ),
}


@pytest.mark.parametrize("check", ANSWERS, ids=lambda check: check.__name__)
def test_check_tells_right_from_wrong(check):
    tells_right_from_wrong(check, *ANSWERS[check])

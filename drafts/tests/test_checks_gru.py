"""The checks of lesson 08 accept right answers and reject plausible wrong ones."""

import math

import numpy as np
import pytest

from course_utils import checks_gru as checks


def untouched(*arguments):
    raise NotImplementedError


def right_steps(z):
    return math.floor(math.log(0.5) / math.log(z) + 1e-9) + 1


def steps_until_not_above_half(z):
    return math.ceil(math.log(0.5) / math.log(z) - 1e-9)


def steps_of_a_linear_fall(z):
    return math.floor(0.5 / (1 - z) + 1e-9) + 1


def right_states(forward, backward, mask):
    ends = forward[np.arange(len(forward)), mask.sum(axis=1) - 1]
    return np.concatenate([ends, backward[:, 0]], axis=-1)


def states_at_the_padding(forward, backward, mask):
    return np.concatenate([forward[:, -1], backward[:, 0]], axis=-1)


def states_of_the_same_token(forward, backward, mask):
    last = np.arange(len(forward)), mask.sum(axis=1) - 1
    return np.concatenate([forward[last], backward[last]], axis=-1)


def states_the_wrong_way_round(forward, backward, mask):
    return np.roll(right_states(forward, backward, mask), 2, axis=-1)


def right_penalty(c, r):
    return min(1.0, math.exp(1 - r / c)) if c else 0.0


def penalty_without_limit(c, r):
    return math.exp(1 - r / c) if c else 0.0


def penalty_upside_down(c, r):
    return min(1.0, math.exp(1 - c / r))


def penalty_that_divides_by_zero(c, r):
    return min(1.0, math.exp(1 - r / c))


RIGHT = [
    (checks.steps_to_half, right_steps),
    (checks.last_states, right_states),
    (checks.brevity_penalty, right_penalty),
]
WRONG = [
    (checks.steps_to_half, steps_until_not_above_half),
    (checks.steps_to_half, steps_of_a_linear_fall),
    (checks.last_states, states_at_the_padding),
    (checks.last_states, states_of_the_same_token),
    (checks.last_states, states_the_wrong_way_round),
    (checks.brevity_penalty, penalty_without_limit),
    (checks.brevity_penalty, penalty_upside_down),
    (checks.brevity_penalty, penalty_that_divides_by_zero),
]


@pytest.mark.parametrize(("check", "solution"), RIGHT)
def test_right_answers(check, solution):
    assert check(solution) == "correct"
    assert check(untouched) == "not attempted"


@pytest.mark.parametrize(("check", "wrong"), WRONG)
def test_wrong_answers(check, wrong):
    assert check(wrong).startswith("wrong: ")

"""The checks of lesson 08 accept right answers and reject plausible wrong ones."""

import math

import numpy as np
import pytest
from exercise_battery import tells_right_from_wrong

from course_utils.checks import lesson_08 as checks


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


ANSWERS = {
    checks.steps_to_half: (
        right_steps,
        [steps_until_not_above_half, steps_of_a_linear_fall],
    ),
    checks.last_states: (
        right_states,
        [
            states_at_the_padding,
            states_of_the_same_token,
            states_the_wrong_way_round,
        ],
    ),
    checks.brevity_penalty: (
        right_penalty,
        [penalty_without_limit, penalty_upside_down, penalty_that_divides_by_zero],
    ),
}


@pytest.mark.parametrize("check", ANSWERS, ids=lambda check: check.__name__)
def test_check_tells_right_from_wrong(check):
    tells_right_from_wrong(check, *ANSWERS[check])

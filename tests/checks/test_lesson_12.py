"""The checks of lesson 12 accept right answers and reject plausible wrong ones."""

import numpy as np
import pytest
from exercise_battery import tells_right_from_wrong

from course_utils.checks import lesson_12 as checks


def right_share(weights, distance):
    return np.diagonal(weights, distance).mean()


def share_of_all_rows(weights, distance):
    return np.diagonal(weights, distance).sum() / len(weights)


def share_in_a_circle(weights, distance):
    rows = np.arange(len(weights))
    return weights[rows, (rows + distance) % weights.shape[1]].mean()


def share_the_other_way(weights, distance):
    return np.diagonal(weights, -distance).mean()


def silenced(kernel, head, num_heads, axis=0, width=None, own=True):
    kernel = kernel.copy() if own else kernel
    width = width or len(kernel) // num_heads
    columns = slice(head * width, (head + 1) * width)
    kernel[columns if axis == 0 else (slice(None), columns)] = 0.0
    return kernel


def every_other_row(kernel, head, num_heads):
    kernel = kernel.copy()
    kernel[head::num_heads] = 0.0
    return kernel


def flow(maps, identity=0.5, turned=False, heads="mean"):
    size = maps.shape[-1]
    result = np.eye(size)
    for block in maps.mean(axis=1) if heads == "mean" else maps[:, 0]:
        block = (1 - identity) * block + identity * np.eye(size)
        result = result @ block if turned else block @ result
    return result


ANSWERS = {
    checks.role_share: (
        right_share,
        [share_of_all_rows, share_in_a_circle, share_the_other_way],
    ),
    checks.silence: (
        silenced,
        [
            lambda *case: silenced(*case, axis=1),
            lambda *case: silenced(*case, own=False),
            lambda *case: silenced(*case, width=case[2]),
            every_other_row,
        ],
    ),
    checks.rollout: (
        flow,
        [
            lambda maps: flow(maps, identity=0.0),
            lambda maps: flow(maps, turned=True),
            lambda maps: flow(maps, heads="first"),
        ],
    ),
}


@pytest.mark.parametrize("check", ANSWERS, ids=lambda check: check.__name__)
def test_check_tells_right_from_wrong(check):
    tells_right_from_wrong(check, *ANSWERS[check])

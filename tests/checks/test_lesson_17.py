"""The checks of lesson 17 accept right answers and reject plausible wrong ones."""

import numpy as np
import pytest
from exercise_battery import tells_right_from_wrong

from course_utils.checks import lesson_17 as checks


def right_patches(image, size):
    height, width, colours = image.shape
    x = image.reshape(height // size, size, width // size, size, colours)
    return x.transpose(0, 2, 1, 3, 4).reshape(-1, size * size * colours)


def patches_without_a_swap(image, size):
    return image.reshape(-1, size * size * image.shape[-1])


def patches_by_columns(image, size):
    height, width, colours = image.shape
    x = image.reshape(height // size, size, width // size, size, colours)
    return x.transpose(2, 0, 1, 3, 4).reshape(-1, size * size * colours)


def patches_colour_by_colour(image, size):
    height, width, colours = image.shape
    x = image.reshape(height // size, size, width // size, size, colours)
    return x.transpose(0, 2, 4, 1, 3).reshape(-1, size * size * colours)


def patches_of_squares_only(image, size):
    side = image.shape[0] // size
    x = image.reshape(side, size, side, size, -1)
    return x.transpose(0, 2, 1, 3, 4).reshape(side * side, -1)


def right_penalty(weights, real):
    return np.square(1 - real @ weights).sum()


def softmax(scores):
    powers = np.exp(scores - scores.max())
    return powers / powers.sum()


def right_look(scores, place, reward, baseline):
    return (reward - baseline) * (np.eye(len(scores))[place] - softmax(scores))


ANSWERS = {
    checks.patches: (
        right_patches,
        [
            patches_without_a_swap,
            patches_by_columns,
            patches_colour_by_colour,
            patches_of_squares_only,
        ],
    ),
    checks.look_penalty: (
        right_penalty,
        [
            lambda weights, real: np.square(1 - weights.sum(axis=0)).sum(),
            lambda weights, real: np.square(1 - weights.sum(axis=1)).sum(),
            lambda weights, real: np.square(1 - real @ weights).mean(),
            lambda weights, real: np.abs(1 - real @ weights).sum(),
            lambda weights, real: (1 - real @ weights).sum() ** 2,
        ],
    ),
    checks.one_look: (
        right_look,
        [
            lambda s, p, r, b: r * (np.eye(len(s))[p] - softmax(s)),
            lambda s, p, r, b: (r - b) * (softmax(s) - np.eye(len(s))[p]),
            lambda s, p, r, b: (r - b) * np.eye(len(s))[p],
            lambda s, p, r, b: (r + b) * (np.eye(len(s))[p] - softmax(s)),
            lambda s, p, r, b: (r - b) * (np.eye(len(s))[p] - 1 / len(s)),
            lambda s, p, r, b: softmax(s)[p] * right_look(s, p, r, b),
        ],
    ),
}


@pytest.mark.parametrize("check", ANSWERS, ids=lambda check: check.__name__)
def test_check_tells_right_from_wrong(check):
    tells_right_from_wrong(check, *ANSWERS[check])


@pytest.mark.parametrize(
    "check, number, hint",
    [
        (checks.patches, 0, "must swap"),
        (checks.patches, 2, "colours"),
        (checks.patches, 3, "height and width"),
        (checks.look_penalty, 0, "padding"),
        (checks.look_penalty, 1, "the axis"),
        (checks.look_penalty, 2, "no mean"),
        (checks.one_look, 0, "subtract it"),
        (checks.one_look, 1, "the sign"),
        (checks.one_look, 4, "softmax"),
    ],
)
def test_a_hint_fits_its_mistake(check, number, hint):
    mistake = ANSWERS[check][1][number]
    assert hint in check(mistake).partition("; look at ")[2]

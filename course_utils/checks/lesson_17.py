"""Checks of the exercises of lesson 17."""

import numpy as np

from course_utils.checks.compare import Case, compare


def patches(function):
    """Check `patches(image, size)`: (H, W, C) -> (S, size · size · C)."""
    counted = np.arange(4 * 4 * 1).reshape(4, 4, 1)
    wide = np.arange(2 * 6 * 3).reshape(2, 6, 3)
    cases = []
    for name, image, size, hint in (
        ("a 4 × 4 image, patches of 2", counted, 2, None),
        (
            "an image that is one patch",
            counted,
            4,
            "one patch: the whole image in a row",
        ),
        (
            "a 2 × 6 image of three colours, patches of 2",
            wide,
            2,
            "height and width, which differ here, and the colours, which stay together",
        ),
    ):
        rows, columns = (length // size for length in image.shape[:2])
        expected = np.stack(
            [
                image[i * size : (i + 1) * size, j * size : (j + 1) * size].ravel()
                for i in range(rows)
                for j in range(columns)
            ]
        )
        cases.append(Case((image, size), expected, name, hint))
    hint = "the order: axes (row, row inside, column, column inside, colour) must swap"
    return compare(function, cases, hint)


def look_penalty(function):
    """Check `look_penalty(weights, real)`: (T, S), (T,) -> a number."""
    cases = []
    for name, weights, real, hint in (
        (
            "two words, each looks at its own cell",
            [[1.0, 0.0], [0.0, 1.0]],
            [1, 1],
            "cells with a sum of 1: they cost nothing",
        ),
        (
            "two words look at the same cell",
            [[1.0, 0.0], [1.0, 0.0]],
            [1, 1],
            "the axis (first add up over the words) and the end (a sum, no mean)",
        ),
        (
            "three words, the last one is padding",
            [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [1.0, 0.0, 0.0]],
            [1, 1, 0],
            "padding: its looks don't count",
        ),
        ("one word, four cells", [[0.25] * 4], [1], "the sum over the cells, no mean"),
    ):
        weights, real = np.array(weights), np.array(real, dtype="float64")
        expected = ((1 - (weights * real[:, None]).sum(axis=0)) ** 2).sum()
        cases.append(Case((weights, real), expected, name, hint))
    return compare(function, cases, "the formula")


def one_look(function):
    """Check `one_look(scores, place, reward, baseline)`: … -> (S,)."""
    cases = []
    for scores, place, reward, baseline, hint in (
        (
            [0.0, 0.0],
            0,
            1.0,
            0.0,
            "the sign: a good reward makes its place more likely",
        ),
        ([0.0, 0.0], 1, -3.0, -1.0, "the baseline: subtract it from the reward"),
        ([2.0, 0.0, 0.0, -1.0], 1, 2.0, 0.5, "the chances: softmax of the scores"),
        ([1.0, 3.0, 2.0], 2, -1.5, -1.5, "a reward equal to the baseline: no change"),
    ):
        scores = np.array(scores)
        chances = np.exp(scores) / np.exp(scores).sum()
        expected = (reward - baseline) * ((np.arange(len(scores)) == place) - chances)
        label = f"scores {scores.tolist()}, place {place}, reward {reward}"
        label += f", baseline {baseline}"
        cases.append(Case((scores, place, reward, baseline), expected, label, hint))
    return compare(function, cases, "(reward − baseline) · (1 at the place − chances)")

"""Checks of the exercises of the lesson "Attention on images"."""

import warnings

import numpy as np

from course_utils.kit.checks.answers import attention_on_images as answers
from course_utils.kit.checks.compare import Case, compare


def two_cells(function):
    """Check exercise 1, by hand: two estimates of REINFORCE, and their mean."""
    hint = "(reward − baseline) times 1 − p, or −p where the other cell was drawn"
    return compare(function, answers.two_cells, [Case(())], hint)


def from_other_draws(function):
    """Check exercise 2, build: an estimate (S,) from K draws and their rewards."""
    scores = np.array([1.0, 0.0, -1.0])
    cases = [
        Case((np.zeros(2), np.array([0, 1]), np.array([-1.0, -3.0])), "two draws"),
        Case(
            (scores, np.array([2, 2, 0, 1]), np.array([-2.0, -2.5, -3.0, -1.0])),
            "four draws, two of the same cell",
            "the rewards of the others, and the mean over all draws",
        ),
        Case(
            (scores + 1000, np.array([0, 1]), np.array([1.0, 2.0])),
            "large scores",
            "the largest, subtracted before the powers; or are they needed at all?",
        ),
    ]
    hint = "the baseline of each draw"
    with np.errstate(all="ignore"):
        return compare(function, answers.from_other_draws, cases, hint)


def mended_pointing(function):
    """Check exercise 3, diagnose: the rate of steps that hit."""
    masks = np.zeros((2, 6, 6), bool)
    masks[0, 1, 1] = masks[1, 3:, 4] = True  # cells 0, and 5 and 8 of nine
    weights = 0.3 * np.eye(9)[[7, 0, 0, 5, 8, 1]] + 0.7 / 9
    cases = [
        Case((weights[3:5], masks, [1, 1]), "steps for the second object", "the cells"),
        Case(
            (weights[1:3], masks, [0, 0]),
            "steps for the first object",
            "which numbers of `about` count as a step",
        ),
        Case((weights[:4], masks, [-1, 0, 0, 1]), "a word that names none"),
        Case((weights, masks, [-1, 0, 0, 1, 1, 1]), "one step of five that misses"),
    ]
    hint = "all pixels of a cell, and the words that name an object"
    with warnings.catch_warnings(action="ignore"):  # of a mean without steps
        return compare(function, answers.mended_pointing, cases, hint)


def moved(function):
    """Check exercise 4, investigate: weights (M, S) that lie on some cells only."""
    little = [1, 1e-9, 2e-9, 0, 0]
    weights = np.array([[0.5, 0.3, 0.2, 0, 0], [0.6, 0.4, 0, 0, 0], little])
    cells = np.array([[0, 1, 1, 0, 0], [0, 0, 1, 1, 1], [0, 1, 1, 0, 0]], bool)
    cases = [
        Case((weights[:1], cells[:1]), "cells that have weight", "the proportion"),
        Case((weights[:2], cells[:2]), "cells without weight", "a sum that is 0"),
        Case((weights, cells), "little weight", "the proportion: it is not 0"),
    ]
    with np.errstate(all="ignore"):
        return compare(function, answers.moved, cases, "the sum of each row")

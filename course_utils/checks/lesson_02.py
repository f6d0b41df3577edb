"""Checks of the exercises of lesson 02."""

import numpy as np

from course_utils.checks.compare import Case, compare
from course_utils.text.vectorizers import END, START


def shift_right(function):
    """Check a function from labels (B, T) to the decoder's input (B, T)."""
    cases = []
    for labels, expected in (
        ([[5, 6, END]], [[START, 5, 6]]),
        ([[5, 6, 7, END], [8, END, 0, 0]], [[START, 5, 6, 7], [START, 8, 0, 0]]),
        ([[END, 0]], [[START, 0]]),
    ):
        case = Case((np.array(labels),), np.array(expected), f"labels {labels}")
        cases.append(case)
    hint = "what follows the end: the decoder never reads END, it reads padding there"
    return compare(function, cases, hint)


def peeky_inputs(function):
    """Check `peeky_inputs(x, state)`: (B, T, E), (B, U) -> (B, T, E + U)."""
    rng = np.random.default_rng(2)
    cases = []
    for rows, steps, width, units in ((1, 1, 2, 2), (2, 3, 4, 5), (3, 3, 2, 3)):
        x, state = rng.normal(size=(rows, steps, width)), rng.normal(size=(rows, units))
        repeated = np.stack([state] * steps, axis=1)
        expected = np.concatenate([x, repeated], axis=-1)
        cases.append(Case((x, state), expected, f"x {x.shape}, state {state.shape}"))
    hint = "the axis of the steps, and the order: first x, then the state"
    return compare(function, cases, hint)


def first_errors(function):
    """Check `first_errors(predicted, labels)`: (B, T), (B, T) -> (B,)."""
    labels = np.array([[5, 6, END, 0], [5, 6, 7, END], [8, END, 0, 0]])
    several = np.array([[9, 9, END, 0], [5, 6, 9, 9], [8, 4, 4, END]])
    padding = labels + 7 * (labels == 0)
    cases = [
        Case((labels, labels), np.array([-1, -1, -1]), "no error at all"),
        Case((several, labels), np.array([0, 2, 1]), "several errors in a row"),
        Case((padding, labels), np.array([-1, -1, -1]), "errors in the padding only"),
    ]
    hint = "places where the label is 0, and rows without any error"
    return compare(function, cases, hint)

"""Checks of the exercises of lesson 02."""

import numpy as np

from course_utils.checks.compare import Case, compare, solution
from course_utils.text.vectorizers import END


def shift_right(function):
    """Check a function from labels (B, T) to the decoder's input (B, T)."""
    cases = [
        Case((np.array(labels),), f"labels {labels}")
        for labels in ([[5, 6, END]], [[5, 6, 7, END], [8, END, 0, 0]], [[END, 0]])
    ]
    hint = "what follows the end: the decoder never reads END, it reads padding there"
    return compare(function, solution("02", "shift_right"), cases, hint)


def peeky_inputs(function):
    """Check `peeky_inputs(x, state)`: (B, T, E), (B, U) -> (B, T, E + U)."""
    rng = np.random.default_rng(2)
    cases = []
    for rows, steps, width, units in ((1, 1, 2, 2), (2, 3, 4, 5), (3, 3, 2, 3)):
        x, state = rng.normal(size=(rows, steps, width)), rng.normal(size=(rows, units))
        cases.append(Case((x, state), f"x {x.shape}, state {state.shape}"))
    hint = "the axis of the steps, and the order: first x, then the state"
    return compare(function, solution("02", "peeky_inputs"), cases, hint)


def first_errors(function):
    """Check `first_errors(predicted, labels)`: (B, T), (B, T) -> (B,)."""
    labels = np.array([[5, 6, END, 0], [5, 6, 7, END], [8, END, 0, 0]])
    several = np.array([[9, 9, END, 0], [5, 6, 9, 9], [8, 4, 4, END]])
    padding = labels + 7 * (labels == 0)
    cases = [
        Case((labels, labels), "no error at all"),
        Case((several, labels), "several errors in a row"),
        Case((padding, labels), "errors in the padding only"),
    ]
    hint = "positions where the label is 0, and rows without any error"
    return compare(function, solution("02", "first_errors"), cases, hint)

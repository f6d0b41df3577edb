"""Checks of the exercises of lesson 06."""

import numpy as np

from course_utils.checks.compare import Case, compare, solution


def concatenate_positions(function):
    """Check `concatenate_positions(tokens, positions)`: (B,T,D), (T,P) -> (B,T,D+P)."""
    rng = np.random.default_rng(6)
    tokens, positions = rng.normal(size=(2, 3, 4)), rng.normal(size=(5, 2))
    cases = [
        Case((tokens, positions[:n]), f"3 tokens and a table of {n} positions")
        for n in (5, 3)
    ]
    hint = "the rows you take (the first T) and the axis you join on (the last)"
    return compare(function, solution("06", "concatenate_positions"), cases, hint)


def sinusoidal_row(function):
    """Check `sinusoidal_row(position, embed_dim)`, one row of the table."""
    cases = [Case(case) for case in ((0, 4), (1, 4), (7, 6), (300, 8))]
    hint = "the exponent, which is 2i / embed_dim for the columns 2i and 2i + 1"
    return compare(function, solution("06", "sinusoidal_row"), cases, hint)


def shift_matrix(function):
    """Check `shift_matrix(distance, embed_dim)`: row p + distance = matrix @ row p."""
    row = solution("06", "sinusoidal_row")

    def later_rows(distance, width):
        return np.stack([row(p + distance, width) for p in range(width)])

    def moved_rows(distance, width):
        result = function(distance, width)
        matrix = np.asarray(result, dtype="float64")
        if matrix.shape != (width, width):
            return result  # the comparison names the wrong shape
        return np.stack([matrix @ row(p, width) for p in range(width)])

    cases = [
        Case(sizes, "distance {}, embed_dim {}".format(*sizes))
        for sizes in ((0, 4), (1, 2), (3, 6), (-2, 4))
    ]
    hint = "the signs of the sines, and the angle: distance times the pair's own speed"
    return compare(moved_rows, later_rows, cases, hint)

"""Checks of the exercises of lesson 06."""

import numpy as np

from course_utils.checks.compare import Case, compare


def concatenate_positions(function):
    """Check `concatenate_positions(tokens, positions)`: (B,T,D), (T,P) -> (B,T,D+P)."""
    rng = np.random.default_rng(6)
    tokens, positions = rng.normal(size=(2, 3, 4)), rng.normal(size=(5, 2))
    cases = []
    for number in (5, 3):
        rows = np.broadcast_to(positions[None, :3], (2, 3, 2))
        expected = np.concatenate([tokens, rows], axis=-1)
        label = f"3 tokens and a table of {number} positions"
        cases.append(Case((tokens, positions[:number]), expected, label))
    hint = "the rows you take (the first T) and the axis you join on (the last)"
    return compare(function, cases, hint)


def sinusoidal_row(function):
    """Check `sinusoidal_row(position, embed_dim)`, one row of the table."""
    cases = [
        Case((position, width), _sinusoidal(position, width))
        for position, width in ((0, 4), (1, 4), (7, 6), (300, 8))
    ]
    hint = "the exponent, which is 2i / embed_dim for the columns 2i and 2i + 1"
    return compare(function, cases, hint)


def shift_matrix(function):
    """Check `shift_matrix(distance, embed_dim)`: row p + distance = matrix @ row p."""
    sizes = ((0, 4), (1, 2), (3, 6), (-2, 4))

    def moved(distance, width):
        matrix = np.asarray(function(distance, width), dtype="float64")
        if matrix.shape != (width, width):
            return matrix  # the comparison names the wrong shape
        return np.stack([matrix @ _sinusoidal(p, width) for p in range(width)])

    cases = [
        Case(
            (distance, width),
            np.stack([_sinusoidal(p + distance, width) for p in range(width)]),
            f"distance {distance}, embed_dim {width}",
        )
        for distance, width in sizes
    ]
    hint = "the signs of the sines, and the angle: distance times the pair's own speed"
    return compare(moved, cases, hint)


def _sinusoidal(position, embed_dim):
    """Return one row of the sinusoidal table (Vaswani et al., 2017, section 3.5)."""
    column = np.arange(embed_dim)
    angle = position / 10_000 ** (2 * (column // 2) / embed_dim)
    return np.where(column % 2 == 0, np.sin(angle), np.cos(angle))

"""Drawings of positions: added vectors, and pairs of numbers that are turned."""

import numpy as np
from matplotlib import patches

from tools.drawings.primitives import SMALL


def sinusoids(positions, width, base=10_000):
    """Return (T, D) numbers: sine and cosine in turn, slower from pair to pair."""
    angles = np.outer(positions, base ** (-np.arange(0, width, 2) / width))
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(-1, width)


def positions_added(canvas):
    """The sentence "the dog saw the cat". Each token has a vector, here of four numbers,
    drawn as a column. The same word has the same vector: both "the" have 0.4, 0.1,
    -0.3, 0.2. A second column of four numbers belongs to the position 0, 1, 2, 3, 4: it
    comes from sines and cosines, or from a trained table. The two are added, number by
    number. In the sums the two "the" differ, so that the model can tell the first from
    the second. Shapes: (B, T, D) plus (T, D) gives (B, T, D)."""
    words = ["the", "dog", "saw", "the", "cat"]
    values = np.random.default_rng(2).normal(scale=0.5, size=(5, 4)).round(1)
    values[[0, 3]] = 0.4, 0.1, -0.3, 0.2
    positions = sinusoids(range(5), 4)
    left, step, wide, high = 12, 6.4, 5.4, 2.6
    canvas.tokens(left, 58, words, step, wide, size=10)
    rows = (
        (46, "token\nvectors", "(B, T, D)", values, "value"),
        (28, "position\nvectors", "(T, D)", positions, "added"),
        (6, "sum", "(B, T, D)", values + positions, "ink"),
    )
    for y, name, shape, numbers, role in rows:
        bottom = y - high
        canvas.text(1, bottom + 6, name, role, ha="left")
        canvas.shape(1, bottom + 2.6, shape)
        for place, column in enumerate(numbers):
            for row, number in enumerate(column):
                corner = left + place * step, bottom + (3 - row) * high
                canvas.cell(*corner, wide, high, role, 0.05 + 0.2 * abs(number))
                middle = corner[0] + wide / 2, corner[1] + high / 2
                canvas.text(*middle, f"{number:.1f}", size=SMALL)

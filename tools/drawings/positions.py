"""Drawings of positions: vectors that are added, and pairs of numbers that are
turned."""

import numpy as np

from tools.drawings.primitives import SMALL


def positions_added(canvas):
    """The sentence "the dog saw the cat". Each token has a vector, here of four
    numbers, drawn as a column; both "the" have the same: 0.4, 0.1, −0.3, 0.2. Each
    position, 0 to 4, has a vector too: a row of another table that is trained. The two
    are added, number by number. In the sums the two "the" are different, so the model
    can tell the first from the second. Shapes: (B, T, D) plus (T, D) gives
    (B, T, D)."""


def rotation(canvas):
    """Rotary positions. Two numbers of a query or key are the hand of a clock. At
    position 0 the hand isn't turned; at each further position it is turned by the same
    angle, here 30 degrees: 0, 30, 60, 90. Below, a query q and a key k are turned like
    this and then multiplied. With q at position 1 and k at 0, or q at 4 and k at 3, the
    angle between them is the same and so is the product. With q at 4 and k at 1 it is
    another. So only the difference of the positions counts. A vector has many pairs,
    and each has a speed of its own: the first turns fast, the last slowly."""

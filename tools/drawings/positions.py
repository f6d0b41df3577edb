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
    words = ["the", "dog", "saw", "the", "cat"]
    random = np.random.default_rng(2)
    vectors, positions = random.normal(scale=0.5, size=(2, 5, 4)).round(1)
    vectors[[0, 3]] = 0.4, 0.1, -0.3, 0.2
    left, step = 15, 7.2
    canvas.tokens(left, 55.6, words, step, 6, size=10)
    parts = (
        (42.4, "token\nvector", "(B, T, D)", vectors, "ink"),
        (22.8, "+ position\nvector", "(T, D)", positions, "added"),
        (6, "= sum", "(B, T, D)", vectors + positions, "ink"),
    )
    for y, name, shape, numbers, role in parts:
        canvas.text(1.2, y + 7.4, name, role, ha="left")
        canvas.shape(1.2, y + 3.6, shape)
        for (place, row), number in np.ndenumerate(numbers):
            corner = left + place * step, y + (3 - row) * 2.8
            canvas.cell(*corner, 6, 2.8, role, 0.06 + 0.2 * abs(number))
            shown = f"{number:.1f}".replace("-", "−")
            canvas.text(corner[0] + 3, corner[1] + 1.4, shown, size=SMALL)
    for place in range(5):
        canvas.text(left + place * step + 3, 35.9, f"{place}", "added")
    for place in (0, 3):
        middle = left + place * step + 3
        canvas.text(middle, 40.5, "same", size=SMALL)
        canvas.text(middle, 3.4, "different", size=SMALL)


def rotation(canvas):
    """Rotary positions. Two numbers of a query or key are the hand of a clock. At
    position 0 the hand isn't turned; at each further position it is turned by the same
    angle, here 30 degrees: 0, 30, 60, 90. Below, a query q and a key k are turned like
    this and then multiplied. With q at position 1 and k at 0, or q at 4 and k at 3, the
    angle between them is the same and so is the product. With q at 4 and k at 1 it is
    another. So only the difference of the positions counts. A vector has many pairs,
    and each has a speed of its own: the first turns fast, the last slowly."""

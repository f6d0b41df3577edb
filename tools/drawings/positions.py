"""Drawings of positions: vectors that are added, and pairs of numbers that are
turned."""

import numpy as np
from matplotlib import patches

from tools.drawings.primitives import SMALL

STEP = 30  # degrees from one position to the next
RADIUS = 4.6  # of the circle that a pair of numbers turns in


def positions_added(canvas):
    """The sentence "the dog saw the cat". Each token has a vector, here of four
    numbers, drawn as a column; both "the" have the same: 0.4, 0.1, −0.3, 0.2. Each
    position, 0 to 4, has a vector too: a row of another table that is trained. The two
    are added, number by number. In the sums the two "the" are different, so the model
    can tell the first from the second. Shapes: (B, T, D) plus (T, D) gives
    (B, T, D)."""


def _hand(canvas, x, y, degrees, role, letter=""):
    """Draw a pair of numbers as a hand, with its letter outside of the circle."""
    way = np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))])
    canvas.arrow((x, y), tuple((x, y) + RADIUS * way), role, width=1.8)
    canvas.text(*((x, y) + (RADIUS + 1.3) * way), letter, role)


def rotation(canvas):
    """Rotary positions. Two numbers of a query or key are the hand of a clock. At
    position 0 the hand isn't turned; at each further position it is turned by the same
    angle, here 30 degrees: 0, 30, 60, 90. Below, a query q and a key k are turned like
    this and then multiplied. With q at position 1 and k at 0, or q at 4 and k at 3, the
    angle between them is the same and so is the product. With q at 4 and k at 1 it is
    another. So only the difference of the positions counts. A vector has many pairs,
    and each has a speed of its own: the first turns fast, the last slowly."""
    for position, x in enumerate((7, 19.6, 32.2, 44.8)):
        canvas.circle(x, 51.6, RADIUS, "mask", "box")
        angle = position * STEP
        if position:
            canvas.line((x, 51.6), (x + RADIUS, 51.6), role="quiet", dashed=True)
            arc = patches.Arc((x, 51.6), 4, 4, theta2=angle, color=canvas["ink"])
            canvas.axes.add_patch(arc)
        _hand(canvas, x, 51.6, angle, "query")
        canvas.text(x, 44.6, f"position {position}")
        canvas.text(x, 42.2, f"{angle}°", size=SMALL)
    query, key = 0, -20  # degrees before they are turned
    for x, (m, n) in zip((8.4, 26, 43.6), ((1, 0), (4, 3), (4, 1)), strict=True):
        canvas.circle(x, 27, RADIUS, "mask", "box")
        turned = query + m * STEP, key + n * STEP
        _hand(canvas, x, 27, turned[0], "query", "q")
        _hand(canvas, x, 27, turned[1], "key", "k")
        product = np.cos(np.radians(turned[0] - turned[1]))
        canvas.text(x, 19, f"q at {m}, k at {n}", size=SMALL)
        canvas.text(x, 16.6, f"q · k = {product:.2f}".replace("-", "−"))
    speeds = np.degrees(10_000.0 ** (-np.arange(0, 8, 2) / 8))
    for pair, speed in enumerate(speeds):
        x = 7 + 12.6 * pair
        canvas.cells(x - 1.8, 6, 1, 2, "query", side=1.8)
        canvas.text(x, 3.6, f"{speed:.2g}° a step", size=SMALL)

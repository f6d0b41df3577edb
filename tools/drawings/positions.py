"""Drawings of how positions enter."""

import numpy as np
from matplotlib import patches

from tools.drawings.primitives import Canvas, signed


def positions_added():
    canvas = Canvas(60)
    words = ["the", "dog", "saw", "the", "cat"]
    random = np.random.default_rng(2)
    tokens = random.normal(scale=0.5, size=(5, 4)).round(1)
    positions = random.normal(scale=0.5, size=(5, 4)).round(1)
    the = [0.4, 0.1, -0.3, 0.2]
    tokens[[0, 3]] = the  # the same word has the same vector

    left = 15
    step = 7.2
    canvas.tokens(left, 55.6, words, step, 6, size=10)
    for y, name, shape, numbers, role in (
        (42.4, "token\nvector", "(B, T, D)", tokens, "ink"),
        (22.8, "+ position\nvector", "(T, D)", positions, "added"),
        (6, "= sum", "(B, T, D)", tokens + positions, "ink"),
    ):
        canvas.text(1.2, y + 7.4, name, role, ha="left")
        canvas.shape(1.2, y + 3.6, shape)
        for (place, row), number in np.ndenumerate(numbers):
            cell_x = left + place * step
            cell_y = y + (3 - row) * 2.8
            canvas.cell(cell_x, cell_y, 6, 2.8, role, 0.06 + 0.2 * abs(number))
            canvas.small(cell_x + 3, cell_y + 1.4, signed(number, "{:.1f}"))
    canvas.text(1.2, 35.9, "position", "added", ha="left")
    for place, word in enumerate(words):
        middle = left + place * step + 3
        canvas.text(middle, 35.9, f"{place}", "added")
        if word == "the":
            canvas.small(middle, 40.5, "same")
            canvas.small(middle, 3.4, "different")
    vector = ", ".join(signed(number, "{:.1f}") for number in the)
    canvas.describe(f"""
        The sentence "{" ".join(words)}". Each token has a vector, here of four numbers,
        drawn as a column; both "the" have the same: {vector}. Each position, 0 to 4,
        has a vector too: a row of another table that is trained. The two are added,
        number by number. In the sums the two "the" are different, so the model can tell
        the first from the second. Shapes: (B, T, D) plus (T, D) gives (B, T, D).
    """)
    return canvas


RADIUS = 4.6  # of the circle that a pair of numbers turns in


def _hand(canvas, x, y, degrees, role, letter=""):
    """Draw a pair of numbers as a hand, with its letter outside of the circle."""
    angle = np.radians(degrees)
    way = np.array([np.cos(angle), np.sin(angle)])
    canvas.arrow((x, y), tuple((x, y) + RADIUS * way), role, width=1.8)
    canvas.text(*((x, y) + (RADIUS + 1.3) * way), letter, role)


def _small_clock(canvas, x, y, degrees, role):
    """Draw a pair of numbers as the hand of a small clock."""
    angle = np.radians(degrees)
    canvas.circle(x, y, 2.4, "mask", "box")
    tip = x + 2.3 * np.cos(angle), y + 2.3 * np.sin(angle)
    canvas.arrow((x, y), tip, role, width=1.6)


def rotation():
    canvas = Canvas(63)
    step = 30  # degrees from one position to the next
    title = f"a pair of numbers is turned by its position (here {step}° a step)"
    canvas.text(26, 60, title, weight="bold")
    for position in range(4):
        x = 7 + 12.6 * position
        y = 51.6
        angle = position * step
        canvas.circle(x, y, RADIUS, "mask", "box")
        if position > 0:
            canvas.line((x, y), (x + RADIUS, y), role="quiet", dashed=True)
            arc = patches.Arc((x, y), 4, 4, theta2=angle, color=canvas["ink"])
            canvas.axes.add_patch(arc)
        _hand(canvas, x, y, angle, "query")
        canvas.text(x, 44.6, f"position {position}")
        canvas.small(x, 42.2, f"{angle}°")

    canvas.text(26, 36, "q · k: only the difference counts", weight="bold")
    query = 0  # degrees before they are turned
    key = -20
    products = []
    for number, (m, n) in enumerate([(1, 0), (4, 3), (4, 1)]):
        x = 8.4 + 17.6 * number
        y = 27
        query_angle = query + m * step
        key_angle = key + n * step
        products.append(np.cos(np.radians(query_angle - key_angle)))
        canvas.circle(x, y, RADIUS, "mask", "box")
        _hand(canvas, x, y, query_angle, "query", "q")
        _hand(canvas, x, y, key_angle, "key", "k")
        canvas.small(x, 19, f"q at {m}, k at {n}")
        canvas.text(x, 16.6, f"q · k = {signed(products[-1])}")

    width = 8
    title = f"each pair has its own speed (position 1, d = {width})"
    canvas.text(26, 11, title, weight="bold")
    speeds = np.degrees(10_000.0 ** (-np.arange(0, width, 2) / width))
    for pair, speed in enumerate(speeds):
        x = 7 + 12.6 * pair
        _small_clock(canvas, x, 6, speed, "query")
        canvas.small(x, 1.6, f"{speed:.2g}° a step")
    canvas.describe(f"""
        Rotary positions. Two numbers of a query or key are the hand of a clock. At
        position 0 the hand isn't turned; at each further position it is turned by the
        same angle, here {step} degrees: 0, {step}, {2 * step}, {3 * step}. Below, a
        query q and a key k are turned like this and then multiplied. With q at position
        1 and k at 0, or q at 4 and k at 3, the angle between them is the same and so is
        the product. With q at 4 and k at 1 it is another. So only the difference of the
        positions counts. A vector has many pairs, and each has a speed of its own: the
        first turns fast, the last slowly; four small clocks show them at position 1.
    """)
    return canvas


def bits_and_waves():
    canvas = Canvas(66)
    places = np.arange(32)
    left = 12.6
    side = 1.2
    width = 16  # numbers of a position
    shown = 3  # pairs, the fastest ones
    clocks = (0, 1, 2, 10)  # positions whose hands are drawn

    canvas.text(
        1.2, 63.4, "bits: each changes at its own pace", ha="left", weight="bold"
    )
    values = (16, 8, 4, 2, 1)
    for row, value in enumerate(values):
        y = 59.3 - 1.9 * row
        canvas.small(left - 0.8, y + 0.9, f"bit of {value}", ha="right")
        for place in places:
            bit = place // value % 2
            canvas.cell(left + side * place, y, side, 1.8, "key", 0.06 + 0.64 * bit)
    _count_places(canvas, left, side, places, 50.2)

    title = f"waves: smooth; line: sine, dotted: cosine (D = {width})"
    canvas.text(1.2, 46.4, title, ha="left", weight="bold")
    speeds = 10_000.0 ** (-np.arange(0, width, 2) / width)  # (D/2,)
    speeds = speeds[:shown]
    middles = left + side * (places + 0.5)
    for pair, speed in enumerate(speeds):
        y = 29.9 + 5.8 * pair  # slow ones on top
        canvas.line((left, y), (left + side * len(places), y), role="quiet")
        canvas.small(left - 0.8, y + 1, f"pair {pair}", ha="right")
        canvas.small(left - 0.8, y - 1, f"angle {speed:.2g} p", ha="right")
        for wave, name, dashes in ((np.sin, "sine", "-"), (np.cos, "cosine", ":")):
            heights = y + 2.3 * wave(places * speed)
            canvas.axes.plot(
                middles, heights, dashes, color=canvas["added"], marker=".", label=name
            )
    _count_places(canvas, left, side, places, 25.8)

    title = "as hands of clocks, which start on the right and turn left"
    canvas.text(1.2, 22, title, ha="left", weight="bold")
    for pair, speed in enumerate(speeds[::-1]):  # slow ones on top
        y = 17.6 - 5.9 * pair
        name = f"pair {2 - pair}: {np.degrees(speed):.2g}° a step"
        canvas.small(left - 0.8, y, name, ha="right")
        for number, place in enumerate(clocks):
            x = left + 4.5 + 9.6 * number
            angle = place * speed
            _small_clock(canvas, x, y, np.degrees(angle), "added")
    for number, place in enumerate(clocks):
        canvas.small(left + 4.5 + 9.6 * number, 1.7, f"position {place}")
    paces = ", ".join(f"{speed:.2g}" for speed in speeds)
    canvas.describe(f"""
        Above, the positions 0 to 31 as bits: the bit of 1 changes at every position,
        the bit of 2 at every second, and so on to that of 16. No two positions have the
        same five bits. In the middle the same positions as waves: the first three of
        the eight pairs of a sine and a cosine for D = {width}, with the speeds {paces}.
        They go up and down smoothly, fast ones and slow ones, as the bits do. Below,
        pairs 2, 1 and 0 as hands of clocks at the positions
        {", ".join(map(str, clocks))}: at each step the first turns by 5.7 degrees, the
        second by 18 and the third by 57. A hand starts on the right and turns to the
        left.
    """)
    return canvas


def _count_places(canvas, left, side, places, y):
    """Write every fourth position below a strip of cells."""
    for place in places[::4]:
        canvas.small(left + side * (place + 0.5), y, f"{place}", "quiet")
    canvas.small(left - 0.8, y, "position", "quiet", ha="right")

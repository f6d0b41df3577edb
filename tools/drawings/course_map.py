"""The map of the lessons: the core is a line, further lessons are its side paths."""

import itertools
import json

from tools import lessons
from tools.drawings.primitives import Canvas

# A part of the course, by the number of its first lesson.
PARTS = {
    "00": ("Words and sequences", "box"),
    "04": ("The encoder", "encoder"),
    "07": ("Translation", "decoder"),
    "10": ("Language models", "box"),
    "15": ("Today's Transformer", "encoder"),
}
ROW = 2  # from one lesson to the next
HEAD = 2.1  # the height of a part's name
GAP = 0.4  # between two parts
BADGE = 1.6  # the height of a lesson's number
LINE_X = 3.4  # of the core's line
LETTER = 0.66  # the width of a small letter
SIDE_X = 30  # where side paths end


def _titles():
    """Return [(number, title, [titles of further lessons])] of the core, in order."""
    core = {}
    further = {}
    for path in lessons.find():
        number = path.stem.partition("_")[0]
        cell = json.loads(path.read_text("utf-8"))["cells"][0]
        heading = "".join(cell["source"]).splitlines()[0].removeprefix("# ")
        title = heading.partition(":")[0]
        if lessons.is_further(path):
            further.setdefault(number, []).append(title)
        else:
            core[number] = title.removeprefix(number).strip()
    return [(number, core[number], further.get(number, [])) for number in sorted(core)]


def _parts(titles):
    """Return [(name, ground, its lessons)]: a new part begins with its first number."""
    parts = []
    for number, title, side in titles:
        if number in PARTS:
            name, ground = PARTS[number]
            parts.append((name, ground, []))
        parts[-1][2].append((number, title, side))
    return parts


def _rows(members):
    """Return the row of each lesson, and how many rows its part has.

    Side paths may go on beside the next lessons, if these have none.
    """
    rows = []
    row = 0
    free = 0  # the first row whose side is empty
    for _, _, side in members:
        if side:
            row = max(row, free)
            free = row + len(side)
        rows.append(row)
        row += 1
    return rows, max(row, free)


def _height(members):
    _, count = _rows(members)
    return HEAD + ROW * count + 0.3


def course_map():
    titles = _titles()
    parts = _parts(titles)
    height = sum(_height(members) + GAP for _, _, members in parts) + GAP + 2.4
    canvas = Canvas(height)
    canvas.small(5.6, height - 1.3, "core: read in this order", "quiet", "left")
    canvas.small(SIDE_X + 0.6, height - 1.3, "further: if you like", "quiet", "left")
    top = height - 2.4
    stops = []
    for name, ground, members in parts:
        low = top - _height(members)
        canvas.part(1, low, 50, top - low, ground)
        canvas.text(5.6, top - 1.3, name, ha="left", weight="bold")
        rows, _ = _rows(members)
        for (number, title, side), row in zip(members, rows, strict=True):
            y = top - HEAD - ROW * (row + 0.5)
            stops.append((number, y))
            canvas.small(5.6, y, title, ha="left")
            end_of_title = 6.6 + LETTER * len(title)
            for place, further in enumerate(side):
                side_y = y - ROW * place
                canvas.small(SIDE_X + 0.6, side_y, further, ha="left")
                corner = (SIDE_X - 1.4, y)
                if place == 0:
                    canvas.line(
                        (end_of_title, y), (SIDE_X, y), role="quiet", dashed=True
                    )
                else:
                    path = corner, (corner[0], side_y), (SIDE_X, side_y)
                    canvas.line(*path, role="quiet", dashed=True)
        top = low - GAP
    for number, y in stops:
        canvas.badge(LINE_X - 1.6, y - BADGE / 2, number, BADGE)
    for (_, above), (_, below) in itertools.pairwise(stops):
        ends = (LINE_X, above - BADGE / 2), (LINE_X, below + BADGE / 2)
        canvas.line(*ends, width=3)
    sides = [f"{len(side)} after {number}" for number, _, side in titles if side]
    canvas.describe(f"""
        The map of the course. The core lessons, {titles[0][0]} to {titles[-1][0]},
        stand below each other on one line, in {len(parts)} parts:
        {", ".join(name for name, _, _ in parts)}. Further lessons are side paths of the
        line: {", ".join(sides)}. The table below names the core.
    """)
    return canvas

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
ROW = 3.3  # from one lesson to the next
HEAD = 3.4  # the height of a part's name
GAP = 0.8  # between two parts
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


def _height(members):
    rows = sum(max(1, len(side)) for _, _, side in members)
    return HEAD + ROW * rows


def course_map():
    titles = _titles()
    parts = _parts(titles)
    height = sum(_height(members) + GAP for _, _, members in parts) + GAP + 3
    canvas = Canvas(height)
    canvas.small(5.6, height - 1.9, "core: read in this order", "quiet", "left")
    canvas.small(SIDE_X + 0.6, height - 1.9, "further: if you like", "quiet", "left")
    top = height - 3
    stops = []
    for name, ground, members in parts:
        low = top - _height(members)
        canvas.part(1, low, 50, top - low, ground)
        canvas.text(5.6, top - 1.7, name, ha="left", weight="bold")
        y = top - HEAD - ROW / 2
        for number, title, side in members:
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
            y -= ROW * max(1, len(side))
        top = low - GAP
    for number, y in stops:
        canvas.badge(LINE_X - 1.6, y - 1.25, number)
    for (_, above), (_, below) in itertools.pairwise(stops):
        canvas.line((LINE_X, above - 1.25), (LINE_X, below + 1.25), width=3)
    sides = [f"{len(side)} after {number}" for number, _, side in titles if side]
    canvas.describe(f"""
        The map of the course. The core lessons, {titles[0][0]} to {titles[-1][0]},
        stand below each other on one line, in {len(parts)} parts:
        {", ".join(name for name, _, _ in parts)}. Further lessons are side paths of the
        line: {", ".join(sides)}. The table below names the core.
    """)
    return canvas

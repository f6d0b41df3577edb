"""The map of the course: its lessons in groups, and which group needs which."""

import json
from pathlib import Path

from tools.drawings.primitives import SMALL

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
PLANNED = {"10": "RNN or Transformer?", "19": "The modern Transformer"}
WIDTH, LINE, HEAD = 23.6, 3.4, 4.4
# Name, first and last lesson, left side, upper side.
GROUPS = (
    ("Words and sequences", 0, 3, 1, 67),
    ("The encoder", 4, 7, 1, 45.6),
    ("Translation", 8, 12, 1, 24.2),
    ("Language models", 13, 16, 27.4, 67),
    ("The modern block", 19, 19, 27.4, 45.6),
    ("Images", 17, 17, 27.4, 24.2),
    ("Scale", 18, 18, 27.4, 11),
)


def titles():
    """Return the short title of each lesson by its number, and whether it exists."""
    found = {number: (title, False) for number, title in PLANNED.items()}
    for path in sorted(NOTEBOOKS.glob("[01]*.ipynb")):
        first = json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"]
        number, title = "".join(first).splitlines()[0].removeprefix("# ").split(" ", 1)
        found[number] = title.partition(":")[0], True
    return found


def course_map(canvas):
    """The lessons of the course in seven groups. Words and sequences: 00 to 03. They
    lead to the encoder, 04 to 07, and the encoder leads to translation, 08 to 12. From
    translation three arrows lead on: to language models, 13 to 16, to images, 17, and
    to scale, 18. From language models an arrow leads to the modern block, 19. The
    lessons 10 and 19 are drawn dashed: they are still to come."""
    known, frames = titles(), {}
    for name, first, last, x, top in GROUPS:
        height = HEAD + LINE * (last - first + 1)
        frame = canvas.frame(x, top - height, WIDTH, height, name)
        frames[name] = frame
        for place, lesson in enumerate(range(first, last + 1)):
            number, y = f"{lesson:02}", top - HEAD - 1.2 - LINE * place
            title, ready = known[number]
            canvas.badge(x + 1, y - 1.25, number, dashed=not ready)
            role = "ink" if ready else "quiet"
            canvas.text(x + 5, y, title, role, SMALL, ha="left")
    for above, below in (
        ("Words and sequences", "The encoder"),
        ("The encoder", "Translation"),
        ("Language models", "The modern block"),
    ):
        start, end = frames[above].bottom, frames[below].top
        canvas.arrow(start, end, dashed="modern" in below)
    if not all(ready for _, ready in known.values()):
        canvas.shape(39.2, 31, "dashed: still to come", ha="center")
    start = frames["Translation"].right
    for name in "Language models", "Images", "Scale":
        end = frames[name].left
        canvas.line(start, (26, start[1]), (26, end[1]), end, arrow=True)

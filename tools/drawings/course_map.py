"""The map of the course: its lessons in groups, and which group needs which."""

import json
import tomllib
from pathlib import Path

from tools.drawings.primitives import SMALL

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
WIDTH, LINE, HEAD = 23.6, 3.4, 4.4
GROUPS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def titles():
    """Return the short title of each lesson by its number."""
    found = {}
    for path in sorted(NOTEBOOKS.glob("[01]*.ipynb")):
        first = json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"]
        number, title = "".join(first).splitlines()[0].removeprefix("# ").split(" ", 1)
        found[number] = title.partition(":")[0]
    return found


def course_map(canvas):
    """Draw the groups of lessons, and the arrows between them."""
    known, frames = titles(), {}
    for name, group in GROUPS.items():
        (first, last), x, top = (group[key] for key in ("lessons", "x", "top"))
        height = HEAD + LINE * (last - first + 1)
        frame = canvas.frame(x, top - height, WIDTH, height, name)
        frames[name] = frame
        for place, lesson in enumerate(range(first, last + 1)):
            number, y = f"{lesson:02}", top - HEAD - 1.2 - LINE * place
            canvas.badge(x + 1, y - 1.25, number)
            canvas.text(x + 5, y, known[number], size=SMALL, ha="left")
    for name, group in GROUPS.items():
        if below := group.get("below"):
            canvas.arrow(frames[name].bottom, frames[below].top)
    start = frames["Translation"].right
    for name in "Language models", "Images", "Scale":
        end = frames[name].left
        canvas.line(start, (26, start[1]), (26, end[1]), end, arrow=True)

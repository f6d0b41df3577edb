"""The map of the course: its lessons in groups, and which group needs which."""

import json
import tomllib
from pathlib import Path

from tools.drawings.primitives import SMALL

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
PLANNED = {"19": "The modern Transformer"}
WIDTH, LINE, HEAD = 23.6, 3.4, 4.4
GROUPS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


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
    lesson 19 is drawn dashed: it is still to come."""
    known, frames = titles(), {}
    for name, group in GROUPS.items():
        (first, last), x, top = (group[key] for key in ("lessons", "x", "top"))
        height = HEAD + LINE * (last - first + 1)
        frame = canvas.frame(x, top - height, WIDTH, height, name)
        frames[name] = frame
        for place, lesson in enumerate(range(first, last + 1)):
            number, y = f"{lesson:02}", top - HEAD - 1.2 - LINE * place
            title, ready = known[number]
            canvas.badge(x + 1, y - 1.25, number, dashed=not ready)
            role = "ink" if ready else "quiet"
            canvas.text(x + 5, y, title, role, SMALL, ha="left")
    for name, group in GROUPS.items():
        if below := group.get("below"):
            canvas.arrow(frames[name].bottom, frames[below].top)
    if not all(ready for _, ready in known.values()):
        canvas.shape(39.2, 31, "dashed: still to come", ha="center")
    start = frames["Translation"].right
    for name in "Language models", "Images", "Scale":
        end = frames[name].left
        canvas.line(start, (26, start[1]), (26, end[1]), end, arrow=True)

"""What the stored lessons say about themselves: title, goals, needs, minutes.

Everything that the site knows about a lesson is read here, so a new lesson appears on
it without another list.

Example:
    >>> needed("**You need:** lessons 05 (encoder) and 06 (positions).", "08")
    ('05', '06')
"""

import dataclasses
import json
import re
from pathlib import Path

from course_utils.kit import results
from tools import report
from tools.lessons import find, key

ROOT = Path(__file__).resolve().parents[2]
START = "00"
FIGURE = "Figure: "  # begins the line with a picture's text alternative

_GOALS = re.compile(r"What you will be able to do\n(.*?)(?=\n\*\*|\n#|\Z)", re.DOTALL)
_GOAL = re.compile(r"^- ((?:.+\n?)(?:^ {2,}\S.*\n?)*)", re.MULTILINE)
_NEEDS = re.compile(r"\*\*(?:You need|Prerequisites):\*\*(.*?)(?:\n\n|\Z)", re.DOTALL)
_FURTHER = re.compile(r"\]\(\d\d_(\w+)\.ipynb\)")  # it lies in the same folder
_TIME = re.compile(r"\*\*Time:\*\* (.*?)(?: of reading| to read)", re.DOTALL)


@dataclasses.dataclass(frozen=True)
class Lesson:
    """The facts of one stored lesson."""

    key: str  # its number, or the name of a further lesson
    title: str
    path: str  # in the repository, with forward slashes
    goals: tuple
    needs: tuple  # the keys of the lessons that it asks for
    reading: str  # such as "about an hour"
    course: dict  # data mode, minutes, hardware, date and versions of the stored run
    results: tuple  # what `results.collect` returns
    notebook: dict = dataclasses.field(repr=False, compare=False)

    @property
    def minutes(self):
        """What the stored run took, as text; "" when it wasn't measured."""
        minutes = self.course.get("minutes")
        return "" if minutes is None else whole(minutes)

    @property
    def label(self):
        """The number, or what stands for it: the title up to its colon."""
        return self.key if self.key.isdigit() else self.title.partition(":")[0]


def read(root=ROOT):
    """Return every lesson in `notebooks/`, in order."""
    return [from_file(path, root) for path in find(Path(root) / "notebooks")]


def from_file(path, root=ROOT):
    """Return the facts of one stored lesson."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    texts = markdown(notebook)
    first = texts[0] if texts else ""
    time = _TIME.search(first)
    return Lesson(
        key=key(path),
        title=report.title(notebook) or path.stem,
        path=path.relative_to(root).as_posix(),
        goals=goals(first),
        needs=needed(first, key(path)),
        reading=" ".join(time.group(1).split()) if time else "",
        course=notebook["metadata"].get("course", {}),
        results=tuple(results.collect(notebook)),
        notebook=notebook,
    )


def markdown(notebook):
    """Return the texts of a notebook's Markdown cells."""
    cells = notebook["cells"]
    return ["".join(c["source"]) for c in cells if c["cell_type"] == "markdown"]


def pictures(cell):
    """Return the outputs of a stored cell that are pictures, each with its text.

    Jupyter may join the texts of a cell with two pictures, so they are matched in
    their order.
    """
    outputs = cell.get("outputs", [])
    shown = []
    printed = []
    for output in outputs:
        data = output.get("data", {})
        if "image/png" in data:
            shown.append(output)
        else:
            printed.append("".join(output.get("text", data.get("text/plain", ""))))
    lines = [line for text in printed for line in text.splitlines()]
    texts = [
        line.removeprefix(FIGURE).strip() for line in lines if line.startswith(FIGURE)
    ]
    return list(zip(shown, texts, strict=False))


def whole(minutes):
    """Return minutes as a whole number, or "< 1"."""
    return f"{minutes:.0f}" if minutes >= 0.5 else "< 1"


def slug(heading):
    """Return the anchor of a heading, as GitHub and the site make it.

    Example:
        >>> slug("3 Why the scores are divided by √d")
        '3-why-the-scores-are-divided-by-d'
    """
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def goals(text):
    """Return the points under "What you will be able to do", each on one line."""
    found = _GOALS.search(text)
    points = _GOAL.findall(found.group(1)) if found else []
    return tuple(" ".join(point.split()).rstrip(".;,") for point in points)


def needed(text, lesson):
    """Return the keys of the lessons that a lesson asks for.

    A lesson that names none builds on lesson 00. Later lessons that a core lesson
    mentions are a look ahead. A further lesson may ask for any core lesson, and for
    further ones to which it links.

    Args:
        text: the lesson's first text.
        lesson: the lesson's own key.
    """
    match = _NEEDS.search(text)
    asked = match.group(1) if match else ""
    found = set(re.findall(r"\b\d\d\b", asked))
    if lesson.isdigit():
        found = {other for other in found if other < lesson}
    else:
        found.update(_FURTHER.findall(asked))
    if not found and lesson != START:
        found = {START}
    return tuple(sorted(found))

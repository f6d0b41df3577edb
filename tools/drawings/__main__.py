"""Make the drawings of the course: mechanisms with their shapes.

    python -m tools.drawings [NAME ...]

Each is written as SVG in light and dark, and as PNG in light, into
``course_utils/plots/drawings``; ``plots.drawing(name)`` shows it. The docstring of the
function that draws is the text alternative, and stands in the SVG's description.
"""

import inspect
import sys
from pathlib import Path

import matplotlib

from tools.drawings import attention
from tools.drawings.primitives import Canvas

FOLDER = Path(__file__).resolve().parents[2] / "course_utils/plots/drawings"
# Name to (function, width, height), in tenths of an inch.
DRAWINGS = {
    "attention-three-words": (attention.three_words, 50, 43),
    "query-key-value": (attention.query_key_value, 50, 53),
    "heads": (attention.heads, 50, 46),
}
STABLE = {
    "svg.hashsalt": "course",
    "font.family": "DejaVu Sans",
    "mathtext.fontset": "dejavusans",
}


def description(function):
    """Return a drawing's text alternative."""
    return " ".join(inspect.getdoc(function).split())


def draw(name, theme):
    """Return the figure of a drawing."""
    function, width, height = DRAWINGS[name]
    canvas = Canvas(width, height, theme)
    function(canvas)
    return canvas.figure


def write(name, folder=FOLDER):
    """Write a drawing's three files."""
    folder.mkdir(parents=True, exist_ok=True)
    about = {"Title": name, "Description": description(DRAWINGS[name][0]), "Date": None}
    with matplotlib.rc_context(STABLE):
        draw(name, "light").savefig(folder / f"{name}.svg", metadata=about)
        draw(name, "dark").savefig(folder / f"{name}-dark.svg", metadata=about)
        png = {"Software": None, "Description": about["Description"]}
        draw(name, "light").savefig(folder / f"{name}.png", dpi=160, metadata=png)


def main(names):
    """Write the named drawings, or all."""
    for name in names or DRAWINGS:
        write(name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

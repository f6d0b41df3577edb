"""Make the drawings of the course: mechanisms with their shapes.

    python -m tools.drawings [NAME ...]

Each is written as SVG in light and dark, and as PNG in light, into
``course_utils/plots/drawings``; ``plots.drawing(name)`` shows it. Its page in
``drawings.toml`` says what stands at fixed places. The text alternative, which stands
in the SVG's description, is that page's text, or the docstring of the function that
draws what has to be computed.
"""

import importlib
import inspect
import re
import sys
import tomllib
from pathlib import Path

import matplotlib
from PIL import Image

from tools.drawings.primitives import Canvas
from tools.drawings.readable import problems

FOLDER = Path(__file__).resolve().parents[2] / "course_utils/plots/drawings"
WIDTH = 52  # tenths of an inch: the words stay readable on a telephone
PAGES = tomllib.loads(Path(__file__).with_name("drawings.toml").read_text("utf-8"))


def drawing(page):
    """Return the function that draws a page of drawings.toml, and its height."""
    if "text" in page:  # nothing has to be computed
        function = lambda canvas: None  # noqa: E731
        function.__doc__ = page["text"]
        return function, page["height"]
    module, _, name = page["function"].partition(".")
    module = importlib.import_module(f"tools.drawings.{module}")
    return getattr(module, name), page["height"]


DRAWINGS = {name: drawing(page) for name, page in PAGES.items()}
STABLE = {
    "svg.hashsalt": "course",
    "font.family": "DejaVu Sans",
    "mathtext.fontset": "dejavusans",
    "hatch.linewidth": 0.6,
}


def description(function):
    """Return a drawing's text alternative."""
    return " ".join(inspect.getdoc(function).split())


def draw(name, theme):
    """Return the figure of a drawing; STABLE has to hold."""
    function, height = DRAWINGS[name]
    canvas = Canvas(WIDTH, height, theme)
    function(canvas)
    canvas.labels(PAGES.get(name, {}))
    return canvas.figure


def write(name, folder=FOLDER):
    """Write a drawing's three files."""
    folder.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context(STABLE):
        for theme, ending in ("light", ""), ("dark", "-dark"):
            _write_svg(name, theme, folder / f"{name}{ending}.svg")
        draw(name, "light").savefig(folder / f"{name}.png", dpi=160)
    _pack(folder / f"{name}.png")


def _write_svg(name, theme, path):
    """Write an SVG that says what it shows, without a date and without idle names."""
    about = {"Title": name, "Description": description(DRAWINGS[name][0])}
    about |= {"Date": None, "Creator": None}
    draw(name, theme).savefig(path, metadata=about)
    named = r' id="(?:figure|axes|patch|text|line2d)_\d+"'
    path.write_text(re.sub(named, "", path.read_text("utf-8")), "utf-8")


def _pack(path):
    """Write the PNG again with 128 colours, which takes a third of the room."""
    with Image.open(path) as picture:
        packed = picture.convert("RGB").quantize(128, dither=Image.Dither.NONE)
    packed.save(path, optimize=True)


def main(names):
    """Write the named drawings, or all, and say which words can't be read well."""
    if unknown := sorted(set(names) - set(DRAWINGS)):
        sys.exit(f"There is no drawing {unknown[0]!r}, only {', '.join(DRAWINGS)}.")
    found = []
    for name in names or DRAWINGS:
        write(name)
        with matplotlib.rc_context(STABLE):
            found += [f"{name}: {line}" for line in problems(draw(name, "light"))]
    print("\n".join(found) or "every word can be read")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

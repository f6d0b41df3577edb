"""Make the drawings of the course: mechanisms with their shapes.

    python -m tools.drawings [NAME ...]

Each is written as SVG in light and dark, and as PNG in light, into
``course_utils/kit/plots/drawings``; ``plots.drawing(name)`` shows it. Its page in
``drawings.toml`` says what stands where, and has the text alternative, which becomes
the SVG's description.
"""

import re
import sys
import tomllib
from pathlib import Path

import matplotlib
from PIL import Image

from tools.drawings.primitives import Canvas
from tools.drawings.readable import problems

FOLDER = Path(__file__).resolve().parents[2] / "course_utils/kit/plots/drawings"
WIDTH = 52  # tenths of an inch: the words stay readable on a telephone
PAGES = tomllib.loads(Path(__file__).with_name("drawings.toml").read_text("utf-8"))
STABLE = {
    "svg.hashsalt": "course",
    "font.family": "DejaVu Sans",
    "mathtext.fontset": "dejavusans",
    "hatch.linewidth": 0.6,
}


def description(name):
    """Return a drawing's text alternative."""
    return " ".join(PAGES[name]["text"].split())


def draw(name, theme):
    """Return the figure of a drawing; STABLE has to hold."""
    canvas = Canvas(WIDTH, PAGES[name]["height"], theme)
    canvas.labels(PAGES[name])
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
    about = {"Title": name, "Description": description(name)}
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
    if unknown := sorted(set(names) - set(PAGES)):
        sys.exit(f"There is no drawing {unknown[0]!r}, only {', '.join(PAGES)}.")
    found = []
    for name in names or PAGES:
        write(name)
        with matplotlib.rc_context(STABLE):
            found += [f"{name}: {line}" for line in problems(draw(name, "light"))]
    print("\n".join(found) or "every word can be read")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

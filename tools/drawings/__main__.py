"""Make the drawings of the course: mechanisms with their shapes.

    python -m tools.drawings [NAME ...]

Each is written as SVG in light and dark, and as PNG in light, into
``course_utils/plots/drawings``; ``plots.drawing(name)`` shows it. The docstring of the
function that draws is the text alternative, and stands in the SVG's description.
"""

import inspect
import re
import sys
from pathlib import Path

import matplotlib
from PIL import Image

from tools.drawings import attention, blocks, masks
from tools.drawings.primitives import Canvas

FOLDER = Path(__file__).resolve().parents[2] / "course_utils/plots/drawings"
# Name to (function, width, height), in tenths of an inch.
DRAWINGS = {
    "attention-three-words": (attention.three_words, 52, 49),
    "query-key-value": (attention.query_key_value, 52, 58),
    "heads": (attention.heads, 52, 58),
    "encoder-block": (blocks.encoder_block, 52, 63),
    "encoder-stack": (blocks.encoder_stack, 52, 56),
    "decoder-block": (blocks.decoder_block, 52, 72),
    "padding-mask": (masks.padding_mask, 52, 49),
    "causal-mask": (masks.causal_mask, 52, 36),
    "source-and-target-masks": (masks.source_and_target_masks, 52, 57),
}
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
    """Return the figure of a drawing."""
    function, width, height = DRAWINGS[name]
    canvas = Canvas(width, height, theme)
    function(canvas)
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
    """Write the named drawings, or all."""
    for name in names or DRAWINGS:
        write(name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

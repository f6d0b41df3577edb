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

from tools.drawings import (
    attention,
    blocks,
    course_map,
    masks,
    positions,
    recurrent,
    translation,
    words,
)
from tools.drawings.primitives import Canvas
from tools.drawings.readable import problems

FOLDER = Path(__file__).resolve().parents[2] / "course_utils/plots/drawings"
WIDTH = 52  # tenths of an inch: the words stay readable on a telephone
# Name to function and height.
DRAWINGS = {
    "attention-three-words": (attention.three_words, 49),
    "recurrent-network": (recurrent.recurrent_network, 26),
    "gru-step": (recurrent.gru_step, 40),
    "one-vector": (recurrent.one_vector, 37),
    "query-key-value": (attention.query_key_value, 58),
    "recall": (attention.recall, 54),
    "attention-patterns": (masks.patterns, 46),
    "attention-in-blocks": (attention.in_blocks, 51),
    "heads": (attention.heads, 58),
    "encoder-block": (blocks.encoder_block, 63),
    "encoder-stack": (blocks.encoder_stack, 56),
    "positions-added": (positions.positions_added, 60),
    "rotation": (positions.rotation, 63),
    "decoder-block": (blocks.decoder_block, 74),
    "padding-mask": (masks.padding_mask, 49),
    "encoder-decoder-training": (translation.training, 53),
    "encoder-decoder-loop": (translation.loop, 44),
    "encoder-decoder": (translation.model, 66.5),
    "bleu-ngrams": (translation.bleu_ngrams, 59),
    "causal-mask": (masks.causal_mask, 36),
    "source-and-target-masks": (masks.source_and_target_masks, 57),
    "skip-gram": (words.skip_gram, 56),
    "one-head": (words.one_head, 65),
    "course-map": (course_map.course_map, 68),
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
    """Return the figure of a drawing; STABLE has to hold."""
    function, height = DRAWINGS[name]
    canvas = Canvas(WIDTH, height, theme)
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
    """Write the named drawings, or all, and say which words can't be read well."""
    if unknown := sorted(set(names) - set(DRAWINGS)):
        known = ", ".join(DRAWINGS)
        sys.exit(f"There is no drawing {unknown[0]!r}; choose one of {known}.")
    found = []
    for name in names or DRAWINGS:
        write(name)
        with matplotlib.rc_context(STABLE):
            found += [f"{name}: {line}" for line in problems(draw(name, "light"))]
    print("\n".join(found) or "every word can be read")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

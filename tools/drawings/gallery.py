"""Find the drawings, draw them, and write their files.

A drawing is a public function of one of the modules below; its name is the drawing's,
with dashes: `causal_mask` draws "causal-mask". It returns the canvas.
"""

import inspect

import matplotlib
from PIL import Image, PngImagePlugin

from course_utils.kit.plots.pictures import FOLDER
from tools.drawings import (
    attention,
    bert,
    blocks,
    choices,
    course_map,
    decoding,
    distillation,
    images,
    language_models,
    masks,
    positions,
    pretrained,
    recurrent,
    scaling,
    translation,
    words,
)

MODULES = (
    attention,
    bert,
    blocks,
    choices,
    course_map,
    decoding,
    distillation,
    images,
    language_models,
    masks,
    positions,
    pretrained,
    recurrent,
    scaling,
    translation,
    words,
)
PNG_COLOURS = 128  # a third of the room of a full one
STABLE = {
    "font.family": "DejaVu Sans",
    "mathtext.fontset": "dejavusans",
    "hatch.linewidth": 0.6,
}


def functions():
    """Return the functions that draw: dict from a drawing's name to its function."""
    found = {}
    for module in MODULES:
        for name, function in inspect.getmembers(module, inspect.isfunction):
            own = function.__module__ == module.__name__
            if own and not name.startswith("_"):
                found[name.replace("_", "-")] = function
    return found


def draw(name):
    """Return the canvas of a drawing, such as "causal-mask"."""
    with matplotlib.rc_context(STABLE):
        return functions()[name]()


def write(name, folder=FOLDER):
    """Write a drawing's PNG, with its text alternative inside; return the canvas."""
    canvas = draw(name)
    path = folder / f"{name}.png"
    with matplotlib.rc_context(STABLE):
        canvas.figure.savefig(path, dpi=160)
    about = PngImagePlugin.PngInfo()
    about.add_itxt("Description", canvas.description)
    with Image.open(path) as picture:
        small = picture.convert("RGB").quantize(PNG_COLOURS, dither=Image.Dither.NONE)
    small.save(path, optimize=True, pnginfo=about)
    return canvas

"""The rules by which figures can be read without colour: in grey, or colour-blind.

What stands in a figure has to differ in something other than its hue: lines by dashes
or markers, points by markers, bars by the labels below them, and colour maps by their
lightness.
"""

import itertools

import numpy as np
from matplotlib import colors
from matplotlib.collections import PathCollection

LEAST_STEP = 15  # of lightness, which goes from 0 (black) to 100 (white)


def lightness(colour):
    """Return how light a colour is (CIE L*, from 0 to 100)."""
    red_green_blue = np.asarray(colors.to_rgb(colour))
    bright = ((red_green_blue + 0.055) / 1.055) ** 2.4
    linear = np.where(red_green_blue <= 0.04045, red_green_blue / 12.92, bright)
    luminance = linear @ (0.2126, 0.7152, 0.0722)
    if luminance <= 216 / 24389:
        return luminance * 24389 / 27
    return 116 * np.cbrt(luminance) - 16


def grey_problems(figure):
    """Return what can't be told apart in grey, as sentences."""
    for axes in figure.axes:
        lines = [
            (x.get_label(), x.get_color(), x.get_linestyle(), x.get_marker())
            for x in axes.lines
            if x.get_marker() not in ("_", "|")  # the ends of error bars
        ]
        yield from _pairs("lines", lines)
        clouds = [
            (x.get_label(), x.get_facecolor()[0], x.get_paths()[0].vertices.tobytes())
            for x in axes.collections
            if isinstance(x, PathCollection)
        ]
        yield from _pairs("points", clouds)
        yield from _bars(axes)
        for image in axes.images:
            if image.get_array().ndim == 2:
                yield from _colour_map(image.get_cmap())


def _pairs(kind, artists):
    """Compare all pairs of artists: their labels, colours, and whatever else."""
    for one, other in itertools.combinations(artists, 2):
        (label, colour, *form), (other_label, other_colour, *other_form) = one, other
        step = abs(lightness(colour) - lightness(other_colour))
        if form == other_form and step < LEAST_STEP:
            yield f"the {kind} {label} and {other_label} look alike"


def _bars(axes):
    names = {
        round(tick): label.get_text()
        for tick, label in zip(axes.get_xticks(), axes.get_xticklabels(), strict=True)
    }
    for bar in axes.patches:
        place = round(bar.get_x() + bar.get_width() / 2)
        if not names.get(place):
            yield f"the bar at {place} has no name below it"


def _colour_map(colour_map):
    steps = np.diff([lightness(colour_map(x)) for x in np.linspace(0, 1, 33)])
    if not (np.all(steps > 0) or np.all(steps < 0)):
        yield f"the colour map {colour_map.name} doesn't go from dark to light"

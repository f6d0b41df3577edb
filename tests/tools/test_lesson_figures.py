"""Figures can be read without colour: printed in grey, or by colour-blind readers.

What stands in a figure has to differ in something other than its hue: lines by dashes
or markers, points by markers, bars by the labels below them, and colour maps by their
lightness. The functions in `plots` are drawn here with many lines and bars, and the few
functions with which lessons draw by themselves are taken from their notebooks.
"""

import ast
import itertools
import types

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib import colors
from matplotlib.collections import PathCollection
from sklearn import decomposition

from course_utils.plots import figures as plots
from tools import extract_answers
from tools import notebook_contract as contract

LEAST_STEP = 15  # of lightness, which goes from 0 (black) to 100 (white)
DRAWING = {"plot", "scatter", "bar", "barh", "hist", "imshow", "pcolormesh", "pie"}
DRAWING |= {"fill_between", "stackplot", "contourf", "errorbar"}


def lightness(colour):
    """Return how light a colour is (CIE L*, from 0 to 100)."""
    red_green_blue = np.asarray(colors.to_rgb(colour))
    linear = np.where(
        red_green_blue <= 0.04045,
        red_green_blue / 12.92,
        ((red_green_blue + 0.055) / 1.055) ** 2.4,
    )
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


def problems(figure):
    """Return all problems of a figure, and close it."""
    figure.canvas.draw()
    found = list(grey_problems(figure))
    plt.close(figure)
    return found


@pytest.mark.parametrize("points", [3, 60], ids=["markers", "without markers"])
@pytest.mark.parametrize("number", range(1, 9))
def test_curves_differ_without_colour(number, points):
    series = {f"line {i}": np.arange(points) + i for i in range(number)}
    assert problems(plots.curves(series, "x", "y", "T", "Lines.")) == []


@pytest.mark.parametrize("number", [1, 4, 9])
def test_bars_have_names(number):
    values = {f"model {i}": i + 1 for i in range(number)}
    figure = plots.bars(values, "y", "T", "Bars.", line=1, line_label="chance")
    assert problems(figure) == []


def test_maps_go_from_dark_to_light():
    one = np.eye(2)
    for figure in (
        plots.heatmap(one, "ab", "cd", "T", "A map."),
        plots.head_grid([one, one], "ab", "cd", "T", "Maps."),
        plots.attention_viewer(["a", "b"], ["c", "d"], [[one]], "T", "A map."),
    ):
        assert figure.axes[0].images and problems(figure) == []


def two(draw):
    """Draw twice, in colours of almost the same lightness."""
    return lambda axes: [draw(axes, colour) for colour in plots.COLOURS[:2]]


def unnamed_bars(axes):
    axes.bar([0, 1], [1, 2])
    axes.set_xticks([])


FAULTY = {
    "two_lines": (two(lambda axes, c: axes.plot([1, 2], color=c)), "look alike"),
    "two_clouds": (two(lambda axes, c: axes.scatter([1], [2], color=c)), "look alike"),
    "no_names": (unnamed_bars, "no name below it"),
    "rainbow": (lambda axes: axes.imshow(np.eye(3), cmap="jet"), "from dark to light"),
}


@pytest.mark.parametrize(("draw", "sentence"), FAULTY.values(), ids=FAULTY)
def test_a_figure_that_needs_colour_is_noticed(draw, sentence):
    figure, axes = plt.subplots()
    draw(axes)
    found = problems(figure)
    assert found and all(sentence in problem for problem in found)


def test_lightness():
    assert lightness("black") == 0 and lightness("white") == pytest.approx(100)
    assert lightness("#777777") == pytest.approx(50, abs=0.5)


def drawing_functions(path):
    """Return the source of each function that calls matplotlib's axes, by its name.

    A cell that does so outside of a function stands under the name "".
    """
    for tree, source in extract_answers._code(path):
        for statement in tree.body:
            calls = (n.func for n in ast.walk(statement) if isinstance(n, ast.Call))
            methods = (call for call in calls if isinstance(call, ast.Attribute))
            names = {m.attr for m in methods if ast.unparse(m.value) != "plots"}
            if names & DRAWING:
                name = getattr(statement, "name", "")
                yield name, ast.get_source_segment(source, statement)


def draw_senses(function):
    """Draw lesson 01's figure of one word with two senses."""
    rows = [types.SimpleNamespace(word="bank", sense=s) for s in ("river", "money")]
    generator = np.random.default_rng(0)
    function.__globals__.update(
        test=rows * 5,
        in_context=lambda rows: generator.normal(size=(len(rows), 4)),
        index={"water": 0, "cash": 1, "bank": 2},
        vectors=generator.normal(size=(3, 4)),
        PCA=decomposition.PCA,
    )
    figure, axes = plt.subplots()
    function(axes, "bank", {"river": ("water",), "money": ("cash",)})
    return figure


def show(function):
    """Draw lesson 17's images with maps over them."""
    pictures = np.zeros((2, 4, 4, 3))
    function(pictures, ["a", "b"], "Two images.", looks=np.ones((2, 2, 2)))
    return plt.gcf()


DRAWN = {("01", "draw_senses"): draw_senses, ("17", "show"): show}
FOUND = {
    (path.name[:2], name): source
    for path in contract.all_notebooks()
    for name, source in drawing_functions(path)
}


def test_every_lesson_that_draws_by_itself_is_known():
    """A new one needs a function in DRAWN that calls it with small data."""
    assert sorted(FOUND) == sorted(DRAWN)


@pytest.mark.parametrize("place", sorted(FOUND), ids="-".join)
def test_what_a_lesson_draws_by_itself_differs_without_colour(place, monkeypatch):
    monkeypatch.setattr(plt, "show", lambda: None)
    scope = {"np": np, "plt": plt, "plots": plots}
    exec(FOUND[place], scope)
    figure = DRAWN[place](scope[place[1]])
    assert figure.axes and problems(figure) == []

"""Figures can be read without colour: printed in grey, or by colour-blind readers.

The functions in `plots` are drawn here with many lines and bars.
"""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from course_utils.kit import plots
from tools.figure_contract import grey_problems, lightness


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

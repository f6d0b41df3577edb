"""Figures can be read without colour: printed in grey, or by colour-blind readers.

The functions in `plots` are drawn here with many lines and bars, and the few functions
with which lessons draw by themselves are taken from their notebooks.
"""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from course_utils.kit import plots
from tools import notebook_contract as contract
from tools.figure_contract import drawing_functions, grey_problems, lightness


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


LADDER = {"a": (1, 0, 2), "b": (3, 2, 4)}
HEADS = {f"{kind} 1.1": n for n, kind in enumerate(["encoder", "decoder", "cross"])}
RULE = {c: [(10 * n, n, n - 1, n + 1), (9, 2, 0, 4)] for n, c in enumerate("abcd", 1)}
FRONTIER = {name: {1: (n, 2), 2: (3, 4)} for n, name in enumerate("abcd")}
PICTURES = np.zeros((2, 4, 4, 3)), ["a", "b"], "Two images.", np.ones((2, 2, 2)) / 9
POINTS = {name: ([n, n + 1], [2, 3]) for n, name in enumerate("abcde")}
LINES = {name: ([1, 10], [n, 2], ([3], [n])) for n, name in enumerate("abc")}
COSTS = {n: {name: n + i for i, name in enumerate("abcde")} for n in (1, 9)}
FIVE = [[5 - n, 4 - n, 3 - n] for n in range(5)]
DRAWN = {  # a lesson and its function: small data for it
    ("07", "show_rule"): [RULE],
    ("11", "show_intervals"): [dict.fromkeys("abc", LADDER), "x", "y", "T", "zero"],
    ("11", "show_frontier"): [FRONTIER, 4, 5],
    ("12", "draw_intervals"): [LADDER, "x", "T", {f"line {n}": n for n in range(6)}],
    ("12", "draw_points"): [
        *(HEADS, HEADS, "x", "y", "T", ["cross 1.1"], {"all": (1, 2)})
    ],
    ("13", "draw_lines"): [LINES, "x", "T", ""],
    ("16", "draw_frontier"): [dict.fromkeys("abcde", 0.9), COSTS, {1: "ab", 9: "a"}, 1],
    ("17", "show"): PICTURES,
    ("17", "draw_points"): [POINTS, {"l": 2}, "T", "A."],
    ("18", "draw_law"): [(1, 2, 4), range(5), FIVE, FIVE, 6, (1, 0, 2), 1.5],
    ("18", "draw_budgets"): [
        *((1, 2, 4), {1: (5, 4, 3), 2: (6, 5, 4)}),
        {n: np.roll(FIVE[:3], -1, 0) + n for n in (1, 2, 3)},
    ],
    ("18b", "draw_memory"): [dict.fromkeys("ab", dict.fromkeys("wxyz", 1)), 3],
}
FOUND = {
    (path.name.partition("_")[0], name): source
    for path in contract.all_notebooks()
    for name, source in drawing_functions(path)
}


def test_every_lesson_that_draws_by_itself_is_known():
    """A new one needs small data in DRAWN."""
    assert sorted(FOUND) == sorted(DRAWN)


@pytest.mark.parametrize("place", sorted(FOUND), ids="-".join)
def test_what_a_lesson_draws_by_itself_differs_without_colour(place, monkeypatch):
    monkeypatch.setattr(plt, "show", lambda: None)
    scope = {"np": np, "plt": plt, "plots": plots, "LINES": list(LINES)}
    exec(FOUND[place], scope)
    figure = scope[place[1]](*DRAWN[place]) or plt.gcf()
    assert figure.axes and problems(figure) == []

"""Figures show the numbers they get, and carry a text alternative."""

import re

import matplotlib.pyplot as plt
import numpy as np
import pytest

from course_utils.kit import plots
from course_utils.kit.plots import figures


def texts(artists):
    return [artist.get_text() for artist in artists]


def test_a_map_has_one_label_per_row_and_column(capsys):
    figure = plots.heatmap(np.eye(2, 3), ["a", "b"], ["c", "c", "d"], "T", "A map.")
    axes = figure.axes[0]
    assert texts(axes.get_xticklabels()) == ["c", "c", "d"]
    assert texts(axes.get_yticklabels()) == ["a", "b"]
    assert axes.get_title() == "T"
    np.testing.assert_array_equal(axes.images[0].get_array(), np.eye(2, 3))
    assert capsys.readouterr().out == "Figure: A map.\n"


def test_numbers_stand_in_small_maps_only():
    small = plots.heatmap(np.eye(2), ["a", "b"], ["a", "b"], "T", "A map.")
    assert texts(small.axes[0].texts)[:2] == ["1.00", "0.00"]
    labels = [str(i) for i in range(figures.MOST_VALUES + 1)]
    large = plots.heatmap(np.eye(len(labels)), labels, labels, "T", "A map.")
    assert not large.axes[0].texts
    none = plots.heatmap(np.eye(2), ["a", "b"], ["a", "b"], "T", "A", values=False)
    assert not none.axes[0].texts


@pytest.mark.parametrize("heads", [1, 4, 5])
def test_a_grid_has_one_map_per_head_on_one_scale(heads):
    weights = np.arange(heads * 4).reshape(heads, 2, 2)
    figure = plots.head_grid(weights, ["a", "b"], ["c", "d"], "T", "A grid.")
    maps = [axes for axes in figure.axes if axes.images and axes.get_title()]
    titles = [f"head {number + 1}" for number in range(heads)]
    assert [axes.get_title() for axes in maps] == titles
    assert {axes.images[0].get_clim() for axes in maps} == {(0.0, heads * 4 - 1.0)}


def test_the_maps_of_a_grid_share_the_lower_end_of_their_colours():
    weights = [[[-1.0, 1.0]], [[0.0, 1.0]]]  # only the first has negative numbers
    figure = plots.head_grid(weights, ["a"], ["c", "d"], "T")
    scales = {axes.images[0].get_clim() for axes in figure.axes if axes.images}
    assert scales == {(-1.0, 1.0)}


MAPS_OF_THE_VIEWER = [
    ({}, [[24, 25, 26], [27, 28, 29]], "T (layer 2, mean of 3 heads)"),
    ({"layer": 0, "head": 1}, [[6, 7, 8], [9, 10, 11]], "T (layer 1, head 2)"),
    ({"head": -1}, [[30, 31, 32], [33, 34, 35]], "T (layer 2, head 3)"),
]


@pytest.mark.parametrize("choice, expected, name", MAPS_OF_THE_VIEWER)
def test_below_the_viewer_stands_one_of_its_maps(choice, expected, name):
    weights = np.arange(2 * 3 * 2 * 3).reshape(2, 3, 2, 3)
    arguments = list("abc"), list("de"), weights, "T", "A"
    figure = plots.attention_viewer(*arguments, **choice)
    axes = figure.axes[0]
    np.testing.assert_array_equal(axes.images[0].get_array(), expected)
    assert axes.get_title() == name
    assert texts(axes.get_xticklabels()) == list("abc")
    assert axes.get_xlabel() == "… looks at this token"
    assert axes.get_ylabel() == "this token …"


def test_in_a_notebook_the_viewer_is_shown_above_its_figure(monkeypatch, recwarn):
    shown = []
    monkeypatch.setattr(figures, "in_notebook", lambda: True)
    monkeypatch.setattr("IPython.display.display", lambda *a, **k: shown.append((a, k)))
    plots.attention_viewer(["a"], ["b"], [[[[1.0]]]], "One & all", "A map.")
    ((page,), options), ((figure,), _), _ = shown
    assert options == {"raw": True} and set(page) == {"text/html", "text/plain"}
    assert page["text/html"].startswith('<iframe sandbox="allow-scripts"')
    assert 'title="One &amp; all"' in page["text/html"]
    assert page["text/plain"] == "Attention viewer: One & all"
    assert isinstance(figure, plt.Figure) and not recwarn


def test_each_curve_keeps_its_numbers_and_differs_without_colour():
    series = {"training": [3.0, 2.0, 1.0], "validation": [3.5, 3.0]}
    figure = plots.curves(series, "epoch", "loss", "T", "Two lines.")
    lines = figure.axes[0].lines
    for line, values in zip(lines, series.values(), strict=True):
        assert list(line.get_ydata()) == values
        assert list(line.get_xdata()) == list(range(1, len(values) + 1))
    assert lines[0].get_linestyle() != lines[1].get_linestyle()
    assert lines[0].get_marker() != lines[1].get_marker()
    assert texts(figure.axes[0].texts) == list(series)


@pytest.mark.parametrize("names", ["ab", "abcdef"])
@pytest.mark.parametrize("end", [0.5, 1.0])
def test_the_names_of_curves_lie_neither_on_them_nor_on_each_other(names, end):
    series = {name: [1.0, end] for name in names}
    figure = plots.curves(series, "epoch", "loss", "T", "Some lines.", ylim=(0, 1.05))
    figure.canvas.draw()
    boxes = [name.get_window_extent() for name in figure.axes[0].texts]
    drawn = figure.axes[0].get_window_extent()
    assert all(box.x0 > drawn.x1 and box.y1 < drawn.y1 + 10 for box in boxes)
    heights = sorted(box.y0 + box.height / 2 for box in boxes)
    assert min(np.diff(heights)) > 8


def test_a_line_to_compare_with_may_rise():
    floor = [1.0, 2.0]
    figure = plots.curves({"a": [3, 4]}, "x", "y", "T", lines={"floor": floor, "0": 0})
    drawn = [list(line.get_ydata()) for line in figure.axes[0].lines]
    assert floor in drawn
    assert texts(figure.axes[0].texts) == ["a", "floor", "0"]


def test_runs_may_be_drawn_without_their_mean(capsys):
    runs = {"a": [[1, 2], [3, 5]]}
    figure = plots.curves(runs, "x", "y", "T", each_run=True)
    assert [list(line.get_ydata()) for line in figure.axes[0].lines] == [[1, 2], [3, 5]]
    assert "a: from 2 at 1 to 3.5 at 2" in capsys.readouterr().out


def test_long_names_of_bars_do_not_overlap():
    names = "words and pairs", "encoder with positions", "… words shuffled", "words"
    figure = plots.bars(dict.fromkeys(names, 0.5), "y", "T", "Four bars.")
    figure.canvas.draw()
    boxes = [label.get_window_extent() for label in figure.axes[0].get_xticklabels()]
    gaps = [b.x0 - a.x1 for a, b in zip(boxes, boxes[1:], strict=False)]
    assert len(gaps) == 3 and min(gaps) > 0


def test_bars_keep_their_numbers_and_spread():
    values, spread = {"words": 13_346.2, "positions": 0.8971}, {"positions": 0.01}
    line = {"line": 0.5, "line_label": "chance"}
    figure = plots.bars(values, "accuracy", "T", "Two bars.", spread, **line)
    axes = figure.axes[0]
    assert [bar.get_height() for bar in axes.patches] == list(values.values())
    assert texts(axes.texts) == ["13,346", "0.897"]  # without powers of ten
    (legend,) = figure.legends
    assert texts(legend.get_texts()) == ["chance"]
    figure.canvas.draw()
    assert not legend.get_window_extent().overlaps(axes.get_window_extent())


def test_seeds_are_drawn_around_their_mean():
    figure = plots.curves({"a": [[1, 2], [3, 4]], "b": [5, 6]}, "x", "y", "T", "A.")
    *runs, mean, other = figure.axes[0].lines
    assert [list(run.get_ydata()) for run in runs] == [[1, 2], [3, 4]]
    assert list(mean.get_ydata()) == [2, 3] and list(other.get_ydata()) == [5, 6]
    columns = {"a": [0.90, 0.92], "b": [0.95]}
    beside = {"chance": 0.5, "b": 0.1, "c": 0.2, "d": 0.3}
    axes = plots.dots(columns, "y", "T", "A.", lines=beside).axes[0]
    *dots, chance, _, _, _ = axes.lines
    assert len({str(line._unscaled_dash_pattern) for line in axes.lines[2:]}) == 4
    assert [list(one.get_ydata()) for one in dots] == list(columns.values())
    assert list(chance.get_ydata()) == [0.5, 0.5]
    strokes = [s[0][1] for s in axes.collections[0].get_segments()]
    assert strokes == pytest.approx([0.91, 0.95])


LONG = {"a": range(1, 251)}, *"xyTA"
EVERY_THIRD = ["curves", LONG, ["x", "a"], [[n, n] for n in range(1, 251, 3)]]


NUMBERS_OF_PICTURES = [
    (
        "curves",
        [{"a": [[1, 2], [3, 4]], "b": [5]}, "x", "y", "T", "A"],
        ["x", "a", "a, run 1", "a, run 2", "b"],
        [[1, 2, 1, 3, 5], [2, 3, 2, 4, ""]],
    ),
    (
        "bars",
        [{"a": 0.33333333, "b": 2}, "y", "T", "A.", {"b": 0.1}],
        ["", "y", "±"],
        [["a", 0.3333, ""], ["b", 2, 0.1]],
    ),
    (
        "dots",
        [{"a": [1, 2], "b": [3]}, "y", "T", "A."],
        ["", "y", "run 1", "run 2"],
        [["a", 1.5, 1, 2], ["b", 3, 3]],
    ),
    (
        "intervals",
        [{"a": [2, 1, 3]}, "x", "T"],
        ["", "x", "low", "high"],
        [["a", 2, 1, 3]],
    ),
    (
        "heatmap",
        [[[1, np.nan]], ["r"], ["a", "b"], "T", "A."],
        ["", "a", "b"],
        [["r", 1, ""]],
    ),
    (
        "head_grid",
        [[[[1, 2]], [[3, 4]]], ["r"], ["a", "b"], "T", "A."],
        ["", "a", "b"],
        [["head 1: r", 1, 2], ["head 2: r", 3, 4]],
    ),
]


@pytest.mark.parametrize(
    "draw, arguments, columns, rows", [*NUMBERS_OF_PICTURES, EVERY_THIRD]
)
def test_numbers_are_stored_too(draw, arguments, columns, rows, monkeypatch):
    shown = []
    monkeypatch.setattr(figures, "in_notebook", lambda: True)
    monkeypatch.setattr("IPython.display.display", lambda *a, **k: shown.append(k))
    getattr(plots, draw)(*arguments)
    picture, _ = shown
    assert picture == {"metadata": {"table": {"columns": columns, "rows": rows}}}


def test_logarithmic_axes_have_real_numbers_at_their_ticks(capsys):
    series, x = {"a": [0.001, 0.01, 1.0]}, [100, 1000, 100_000]
    options = {"x": x, "log": "xy", "lines": {"floor": 0.002}, "caption": "It rises."}
    figure = plots.curves(series, "x", "y", "T", "A.", **options)
    figure.canvas.draw()
    axes = figure.axes[0]
    assert axes.get_xscale() == axes.get_yscale() == "log"
    assert {"100", "1,000", "100,000"} <= set(texts(axes.get_xticklabels()))
    assert {"0.001", "0.01", "1"} <= set(texts(axes.get_yticklabels()))
    assert texts(axes.texts) == ["a", "floor"]
    assert capsys.readouterr().out == "It rises.\nFigure: A.\n"
    (axes,) = plots.curves({"a": [1, 9]}, *"xyTA", ylim=(0.5, 30), log="y").axes
    assert axes.get_ylim() == (0.5, 30)
    axes.figure.canvas.draw()
    assert {"0.5", "1", "2", "5", "10", "20"} <= set(texts(axes.get_yticklabels()))


def test_many_dots_stay_in_their_own_column():
    figure = plots.dots({"few": [1, 2, 3], "many": range(20)}, "y", "T", "A.")
    few, many = (line.get_xdata() for line in figure.axes[0].lines)
    assert np.abs(few).max() <= 0.3 and np.abs(many - 1).max() <= 0.31
    assert len(set(many)) == 20  # so equal ones are seen


@pytest.mark.parametrize(("count", "colours"), [(7, 7), (8, 1)])
def test_no_colour_stands_for_two_of_the_columns(count, colours):
    figure = plots.dots({str(n): [n] for n in range(count)}, "y", "T", "A.")
    assert len(figure.axes[0].collections[0].get_colors()) == colours


def test_intervals_stand_beside_their_names_and_are_read_out(capsys):
    values = {"one": (0.5, 0.4, 0.7), "two": (1.0, 0.8, 1.0), "bare": (0.2, 0.2, 0.2)}
    figure = plots.intervals(values, "rate", "T", {"chance": 0.5}, "See.")
    (axes,) = figure.axes
    assert texts(axes.get_yticklabels()) == ["one", "two", "bare"]
    assert [[*line.get_xdata()] for line in axes.lines] == [[0.5, 1, 0.2], [0.5, 0.5]]
    ends = [segment[:, 0].tolist() for segment in axes.collections[0].get_segments()]
    np.testing.assert_allclose(ends, [[0.4, 0.7], [0.8, 1.0], [0.2, 0.2]])
    text = "Figure: T. rate: one 0.500 (0.400 to 0.700), two 1.000 (0.800 to 1.000), "
    text += "bare 0.200. To compare with: chance at 0.5."
    assert capsys.readouterr().out == f"See.\n{text}\n"


def text_of(capsys):
    """Return the text alternative of the figure that was just drawn."""
    return capsys.readouterr().out.removeprefix("Figure: ").strip()


def test_a_map_is_described_from_its_numbers(capsys):
    weights = [[0.9, 0.1], [0.3, 0.7]]
    labels = ["la", "casa"], ["the", "house"]
    axes = {"xlabel": "source", "ylabel": "target"}
    plots.heatmap(weights, *labels, "Weights", marked=[(1, 1)], **axes)
    assert text_of(capsys) == (
        "Weights. A map of 2 rows (target: la, casa) and 2 columns (source: the, "
        "house). Largest in each row: la: the 0.90; casa: house 0.70. "
        "Framed: casa – house."
    )
    plots.heatmap(np.eye(20), range(20), range(20), "Many")
    text = text_of(capsys)
    assert "A map of 20 rows and 20 columns." in text and "and 12 more rows" in text
    plots.heatmap([[np.nan, np.nan], [1, np.nan]], *labels, "Gaps")
    assert text_of(capsys).endswith("Largest in each row: casa: the 1.00.")


def test_heads_are_described_one_by_one(capsys):
    few = np.stack([np.eye(2), 1 - np.eye(2)])
    plots.head_grid(few, ["a", "b"], ["c", "d"], "Two heads", names=["x", "y"])
    text = text_of(capsys)
    assert "x, largest in each row: a: c 1.00; b: d 1.00." in text
    assert "y, largest in each row: a: d 1.00; b: c 1.00." in text
    many = np.zeros((8, 9, 9))
    many[3, 2, 5] = 0.8
    plots.head_grid(many, range(9), range(9), "Eight heads")
    assert "head 4: largest at 2 – 5 0.8." in text_of(capsys)
    figure = plots.head_grid(few, ["a", "b"], ["c", "d"], "Two", marked=[(0, 1)])
    assert text_of(capsys).endswith("Framed: a – d.")
    assert [len(axes.patches) for axes in figure.axes[:2]] == [1, 1]


def test_lines_are_described_by_their_ends_and_extremes(capsys):
    lines = {"training": [3.0, 1.0, 2.0], "two seeds": [[1, 2], [3, 4]], "one": [5.0]}
    plots.curves(lines, "epoch", "loss", "Loss", lines={"chance": 2.5})
    assert text_of(capsys) == (
        "Loss. Lines of loss (vertical) by epoch (horizontal). training: from 3 at 1 "
        "to 2 at 3, lowest 1 at 2. two seeds: from 2 at 1 to 3 at 2. one: 5 at 1. "
        "To compare with: chance at 2.5."
    )


def test_bars_and_dots_are_described_by_their_numbers(capsys):
    bars = {"words": 0.8123, "pairs": 0.9}
    options = {"errors": {"words": 0.01}, "line": 0.5, "line_label": "chance"}
    plots.bars(bars, "accuracy", "On IMDB", **options)
    assert text_of(capsys) == (
        "On IMDB. accuracy: words 0.812 ± 0.01, pairs 0.9. Highest: pairs; lowest: "
        "words. To compare with: chance at 0.5."
    )
    plots.dots({"a": [1, 2], "b": [3]}, "y", "Dots", lines={"floor": 0})
    assert text_of(capsys) == (
        "Dots. y: a 1.5 (1 to 2), b 3. Highest: b; lowest: a. "
        "To compare with: floor at 0."
    )


def test_in_a_notebook_the_text_is_folded(monkeypatch):
    shown = []
    monkeypatch.setattr(figures, "in_notebook", lambda: True)
    monkeypatch.setattr("IPython.display.display", lambda *a, **k: shown.append(a))
    plots.bars({"a<b": 1.0}, "y", "T", "Is a < b?")
    _, (text,) = shown
    assert text["text/plain"] == "Figure: Is a < b?"
    assert "<p>Figure: Is a &lt; b?</p></details>" in text["text/html"]


MISFITS = [
    (
        "heatmap",
        [[[1, 1], [1, 1]], ["a", "b"], ["c", "d", "e"], "T", "A"],
        "2 row labels",
    ),
    (
        "heatmap",
        [[[1, 1], [1, 1], [1, 1]], ["a", "b"], ["c", "d", "e"], "T", "A"],
        "2 row labels",
    ),
    ("heatmap", [[1, 1], ["a", "b"], ["c", "d", "e"], "T", "A"], "2 row labels"),
    (
        "heatmap",
        [[[[1, 1, 1], [1, 1, 1]]], ["a", "b"], ["c", "d", "e"], "T", "A"],
        "2 row labels",
    ),
    (
        "head_grid",
        [[[1, 0], [0, 1]], ["a", "b"], ["a", "b"], "T", "A"],
        "expected (H, T, S)",
    ),
    ("curves", [{"a": [1, 2, 3]}, "x", "y", "T", "A", [0, 1]], "are 2 positions"),
    (
        "curves",
        [{"a": [[1, 2], [3]]}, "x", "y", "T", "A"],
        "seeds of 'a' have different",
    ),
    (
        "curves",
        [{"a": [1, 0]}, "x", "y", "T", "A", None, None, "y"],
        "axis can't show 0",
    ),
    ("bars", [{"a": 1}, "y", "T", "A", {"x": 1}], "spread for 'x', but no value"),
    (
        "bars",
        [{"a": 1}, "y", "T", "A", {}, None, "", [0.5, 1]],
        "begin at 0, not at 0.5",
    ),
]


@pytest.mark.parametrize("draw, arguments, sentence", MISFITS)
def test_numbers_that_do_not_fit_are_named(draw, arguments, sentence):
    with pytest.raises(ValueError, match=re.escape(sentence)):
        getattr(plots, draw)(*arguments)


def test_a_figure_of_ones_own_needs_a_text_alternative():
    figure, _ = plt.subplots()
    with pytest.raises(ValueError, match="text alternative"):
        figures.show(figure, " ")


SMALL_FIGURES = [
    ("heatmap", [[[1.0]], ["a"], ["b"], "T"]),
    ("head_grid", [[[[1.0]]], ["a"], ["b"], "T"]),
    ("attention_viewer", [["a"], ["b"], [[[[1.0]]]], "T"]),
    ("curves", [{"a": [1]}, "x", "y", "T"]),
    ("bars", [{"a": 1}, "y", "T"]),
    ("dots", [{"a": [1]}, "y", "T"]),
]


@pytest.mark.parametrize("draw, arguments", SMALL_FIGURES)
def test_every_figure_has_a_text_alternative_and_is_closed(draw, arguments, capsys):
    before = plt.get_fignums()
    getattr(plots, draw)(*arguments)
    assert capsys.readouterr().out.startswith("Figure: T")
    alt = "One line,\n    although written on two."
    assert getattr(plots, draw)(*arguments, alt) is not None
    assert plt.get_fignums() == before
    assert capsys.readouterr().out == "Figure: One line, although written on two.\n"

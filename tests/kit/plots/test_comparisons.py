"""Variants beside each other: named where they stand, and read out."""

import numpy as np

from course_utils.kit import plots


def texts(labels):
    return [label.get_text() for label in labels]


def annotations(axes):
    return [text.get_text() for text in axes.texts]


def test_rows_are_named_and_have_their_numbers(capsys):
    values = {"whole": [0.9, 0.94], "counted": [0.6], "none": [0.5]}
    kinds = {"model": ["whole"], "counted": ["counted"]}
    lines = {"chance": 0.5}
    figure = plots.ranked(values, "accuracy", "T", kinds, lines, "See.")
    (axes,) = figure.axes
    assert texts(axes.get_yticklabels()) == ["whole", "counted", "none"]
    assert annotations(axes) == ["0.920", "0.600", "0.500", "chance"]
    assert texts(figure.legends[0].get_texts()) == ["model", "counted"]
    colours = [label.get_color() for label in axes.get_yticklabels()]
    assert len(set(colours)) == 3
    text = "Figure: T. accuracy: whole 0.92 (0.9 to 0.94), counted 0.6, none 0.5. "
    text += "Highest: whole; lowest: none. To compare with: chance at 0.5."
    assert capsys.readouterr().out == f"See.\n{text}\n"


def test_the_first_row_is_on_top():
    (axes,) = plots.ranked({"first": [1], "second": [2]}, "x", "T").axes
    low, high = axes.get_ylim()
    assert low > high


def test_a_variant_has_one_colour_in_all_panels(capsys):
    measures = {
        "size": {"a": [[1, 10, 100], [1, 20, 400]], "b": [1, 1, 1]},
        "weight": {"a": [0.1, 0.9], "b": [0.1, 0.1]},
        "third": {"a": [1, 2], "b": [2, 1]},
    }
    lines = {"weight": ("average", 0.05)}
    figure = plots.panels(measures, "depth", "T", range(3), ["size"], lines)
    first, second, third, empty = figure.axes
    assert [first.get_yscale(), second.get_yscale()] == ["log", "linear"]
    assert not empty.axison
    for axes in (first, second, third):
        assert {"a", "b"} <= set(annotations(axes))
        named = {t.get_text(): t.get_color() for t in axes.texts}
        assert (named["a"], named["b"]) == plots.COLOURS[:2]
    assert "average" in annotations(second)
    # The line is the mean, on a logarithmic axis the geometric one.
    expected = [1, np.sqrt(200), 200]
    np.testing.assert_allclose(first.lines[2].get_ydata(), expected)
    # A shorter line ends where the longer ones do.
    assert second.lines[0].get_xdata().tolist() == [1, 2]
    out = capsys.readouterr().out
    assert "T. size." in out and "To compare with: average at 0.05." in out


def test_a_backward_panel_names_the_lines_at_their_first_points():
    measures = {"m": {"a": [9.0, 1.0], "b": [3.0, 1.0]}}
    (axes, _) = plots.panels(measures, "x", "T", backwards=["m"]).axes
    assert axes.get_xlim()[0] > axes.get_xlim()[1]
    places = {text.get_text(): text.xy for text in axes.texts}
    assert places["a"][0] == places["b"][0] == 1.02
    assert places["a"][1] - places["b"][1] > 0.3


def test_names_of_lines_with_equal_ends_stand_apart():
    same = {name: [1.0, 2.0] for name in ("a", "b", "c")}
    (axes, _) = plots.panels({"m": same}, "x", "T").axes
    heights = sorted(text.xy[1] for text in axes.texts)
    assert np.diff(heights).min() > 0.05

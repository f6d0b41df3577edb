"""Strips of points: what the text alternative says, and what is drawn."""

import matplotlib.pyplot as plt
import pytest

from course_utils.kit import plots


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def test_the_alternative_counts_the_points_on_the_right(capsys):
    values = {"left": [-0.5, -0.1, 0.2, -0.2], "right": [0.9]}
    plots.strips(values, "x", "Two sides", {"left": [3.0]}, star=("one", 0.5))
    said = " ".join(capsys.readouterr().out.split())
    assert "left: 4 points, 25 % of them right of 0" in said
    assert "on average -0.15; 1 grey ones." in said
    assert "right: 1 points, 100 % of them right of 0" in said
    assert "one at 0.50." in said


def test_named_points_stand_in_their_kinds_row():
    figure = plots.strips(
        {"a": [0.1], "b": [0.2]}, "x", "", named=[("b", 0.2, "this one")]
    )
    (text,) = figure.axes[0].texts
    assert text.get_text() == "this one"
    assert -1 < text.xy[1] < 0

"""Clouds of points: what the text alternative says, and what is refused."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from course_utils.kit import plots


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def written(figure):
    """Return the texts that stand in a figure."""
    return [text.get_text() for text in figure.axes[0].texts]


def test_the_alternative_counts_the_points_below_the_diagonal(capsys):
    points = {"left": np.array([[0.1, 0.9], [0.2, 0.4]]), "right": [[0.9, 0.1]]}
    plots.clouds(points, {"star": (0.5, 0.5)}, {}, "x", "y", "Two sides")
    said = capsys.readouterr().out
    assert "Two sides. left: 2 points, on average at (0.15, 0.65), 0 %" in said
    assert "right: 1 points, on average at (0.90, 0.10), 100 %" in said
    assert "star at (0.50, 0.50)" in said


def test_a_name_too_near_to_another_is_not_drawn_on_it():
    names = {"guitar": (0.2, 0.2), "violin": (0.21, 0.2), "chess": (0.8, 0.9)}
    figure = plots.clouds({"all": [[0, 0], [1, 1]]}, {}, names, "x", "y", "Names")
    figure = figure or plt.gcf()
    assert written(figure) == ["guitar", "chess"]


def test_points_have_two_numbers():
    with pytest.raises(ValueError, match="'all' has the shape \\(1, 3\\)"):
        plots.clouds({"all": [[1, 2, 3]]}, {}, {}, "x", "y", "Three numbers")

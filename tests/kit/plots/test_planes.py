"""Vectors in a plane: what is drawn is said, and what can't be drawn is refused."""

import pytest

from course_utils.kit import plots


def panel(*vectors):
    return {"title": "Plane", "xlabel": "x", "ylabel": "y", "vectors": vectors}


def test_the_text_names_every_vector(capsys):
    plots.planes([panel(("a", (1, 2), "query"), ("b", (0, 0), "key"))])
    assert "Plane: a (1, 2), b (0, 0)." in capsys.readouterr().out


def test_a_move_is_drawn_and_said(capsys):
    moved = panel(("before", (1, 1), "word"), ("after", (1.4, 0.4), "mixture"))
    moved |= {"move": ((1, 1), (1.4, 0.4)), "limits": ((0, 2), (0, 3))}
    figure = plots.planes([moved])
    assert "An arrow from (1, 1) to (1.4, 0.4)." in capsys.readouterr().out
    (axes,) = figure.axes
    assert (axes.get_xlim(), axes.get_ylim()) == ((0, 2), (0, 3))
    assert axes.get_aspect() == 1


@pytest.mark.parametrize(
    "first, as_points",
    [(("query", (2, 0), "query"), False), (("context", (0.8, 0.1), "mixture"), True)],
)
def test_a_name_makes_room_for_its_neighbour(first, as_points):
    shown = panel(first, ("house", (1, 0), "value")) | {"points": as_points}
    axes = plots.planes([shown]).axes[0]
    axes.figure.canvas.draw()
    (name,) = [text for text in axes.texts if text.get_text() == "house"]
    _, height = axes.transData.transform((1, 0))
    assert name.get_window_extent().y1 < height


@pytest.mark.parametrize(
    "vector, says",
    [
        (("a", (1, 2, 3), "key"), "two numbers"),
        (("a", (1, 2), "kee"), "the role 'kee'"),
    ],
)
def test_other_vectors_and_roles_are_refused(vector, says):
    with pytest.raises(ValueError, match=says):
        plots.planes([panel(vector)])

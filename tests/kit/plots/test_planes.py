"""Vectors in a plane: what is drawn is said, and what can't be drawn is refused."""

import pytest

from course_utils.kit import plots


def panel(*vectors):
    return {"title": "Plane", "xlabel": "x", "ylabel": "y", "vectors": vectors}


def test_the_text_names_every_vector(capsys):
    plots.planes([panel(("a", (1, 2), "query"), ("b", (0, 0), "key"))])
    assert "Plane: a (1, 2), b (0, 0)." in capsys.readouterr().out


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

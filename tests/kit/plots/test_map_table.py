"""Maps in rows and columns: what is drawn is said, and a gap is refused."""

import numpy as np
import pytest

from course_utils.kit import plots


def shown_text(capsys):
    return " ".join(capsys.readouterr().out.split())


def test_the_text_says_the_ends_and_the_note_of_every_map(capsys):
    maps = {"alone": {"waves": np.eye(2)}, "with words": {"waves": 3 * np.eye(2)}}
    notes = {("with words", "waves"): "disturbed"}
    plots.map_table(maps, "Maps", "key at", "query at", notes)
    shown = shown_text(capsys)
    assert "alone, waves: 0 to 1." in shown
    assert "with words, waves: 0 to 3, disturbed." in shown


def test_a_single_row_needs_no_name_and_its_cells_may_have_frames(capsys):
    maps = {"": {"waves": np.eye(3), "rotary": np.ones((3, 3))}}
    figure = plots.map_table(maps, "Maps", "key at", "query at", marked=[(1, 0)])
    assert "to dark, their largest. waves: 0 to 1." in shown_text(capsys)
    for axes in figure.axes:
        (frame,) = axes.patches
        assert frame.get_xy() == (-0.5, 0.5)
    assert figure.axes[0].get_ylabel() == "query at"


def test_a_row_with_other_columns_is_refused():
    maps = {"alone": {"waves": np.eye(2)}, "with words": {"rotary": np.eye(2)}}
    with pytest.raises(ValueError, match="'with words' has the columns"):
        plots.map_table(maps, "Maps", "key at", "query at")


def test_a_part_of_a_figure_with_a_name_is_drawn_and_said(capsys):
    figure = plots.curves(
        {"loss": [2, 1, 1]}, "step", "loss", "Loss", spans={"trained": (1, 2)}
    )
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert "trained" in texts
    assert "Grey ground from 1 to 2: trained." in capsys.readouterr().out

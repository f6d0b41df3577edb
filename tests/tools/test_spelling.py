"""No common misspelling stands in texts, code or notebooks."""

import json

import pytest

from tools import spelling


def test_the_course_is_spelt_right():
    assert spelling.misspelt() == []


@pytest.mark.parametrize("place", ["README.md", "notebooks/01_x.ipynb"])
def test_a_misspelling_is_found(tmp_path, place):
    wrong = "te" + "h cat"  # in two parts, or this file would be reported
    cells = [{"cell_type": "markdown", "source": [wrong], "outputs": []}]
    path = tmp_path / place
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"cells": cells}) if place.endswith("b") else wrong)
    (found,) = spelling.misspelt(tmp_path)
    assert path.stem in found and "==> the" in found


def test_stored_outputs_are_left_out():
    cells = [{"cell_type": "code", "source": "x = 1", "outputs": ["te" + "h cat"]}]
    assert spelling.words(json.dumps({"cells": cells})) == "x = 1\n"

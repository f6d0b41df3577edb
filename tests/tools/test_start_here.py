"""Lesson 00 leads into the course: its map is whole, and it is short."""

import json
import re
from pathlib import Path

from tools import report

NOTEBOOK = Path(__file__).resolve().parents[2] / "notebooks/00_start_here.ipynb"


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def test_the_map_links_every_lesson_that_exists_by_its_title():
    text = "\n".join("".join(cell["source"]) for cell in read(NOTEBOOK)["cells"])
    linked = {
        path: title
        for title, path in re.findall(r"^\| \[([^]]+)\]\((\w+\.ipynb)\)", text, re.M)
    }
    lessons = sorted(NOTEBOOK.parent.glob("[0-9][0-9]_*.ipynb"))[1:]
    assert linked == {path.name: report.title(read(path)) for path in lessons}
    assert set(re.findall(r"\]\((\w+\.ipynb)\)", text)) == set(linked)


def test_the_lesson_keeps_its_promise_of_less_than_a_minute():
    assert read(NOTEBOOK)["metadata"]["course"]["minutes"] < 1

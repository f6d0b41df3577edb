"""Links and anchors inside the course lead somewhere."""

import json

import pytest

from tools import internal_links

PAGES = internal_links.texts()


def test_links_inside_the_course_lead_somewhere():
    assert list(internal_links.broken(PAGES)) == []


@pytest.fixture
def course(tmp_path):
    """A small course with one page, one lesson and links that work."""
    (tmp_path / "notebooks").mkdir()
    cell = {"cell_type": "markdown", "source": ["# L\n", "\n", "## The idea\n"]}
    code = {"cell_type": "code", "source": "x[0](1)\n[a](nowhere.md)"}
    notebook = json.dumps({"cells": [cell, code]})
    (tmp_path / "notebooks/01_x.ipynb").write_text(notebook)
    (tmp_path / "README.md").write_text(
        "# Top\n[a](notebooks/01_x.ipynb#the-idea) [b](#top) [c](https://x.org/y_(z))\n"
        "`[not](a-link.md)`\n\n```\n[nor](this.md)\n```\n"
    )
    return tmp_path


def problems(root):
    return list(internal_links.broken(internal_links.texts(root), root))


BROKEN_LINKS = [
    ("01_x.ipynb#the-idea", "02_x.ipynb", "notebooks/02_x.ipynb leads nowhere"),
    ("#the-idea", "#an-idea", "01_x.ipynb has no heading #an-idea"),
    ("(#top)", "(#bottom)", "README.md has no heading #bottom"),
]


@pytest.mark.parametrize("old, new, sentence", BROKEN_LINKS)
def test_broken_links_are_found(course, old, new, sentence):
    assert problems(course) == []
    path = course / "README.md"
    path.write_text(path.read_text().replace(old, new))
    (found,) = problems(course)
    assert sentence in found


def test_a_heading_in_code_is_no_anchor():
    text = "```\n# no\n```\n## Two `words`, *and* √d"
    assert internal_links.anchors(text) == {"two-words-and-d"}

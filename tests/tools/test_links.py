"""Links and anchors lead somewhere; those outside are on a list; no misspelling."""

import datetime
import json

import pytest
from refusals import TABLES

from tools import course_links, spelling

PAGES = course_links.texts()


def test_links_inside_the_course_lead_somewhere():
    assert list(course_links.broken(PAGES)) == []


def test_the_list_of_addresses_is_complete():
    """`make links` asks them; here we only see that none is forgotten or left over."""
    assert sorted(course_links.read_cache()) == course_links.external(PAGES)


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
    return list(course_links.broken(course_links.texts(root), root))


@pytest.mark.parametrize("old, new, sentence", TABLES["broken links"])
def test_broken_links_are_found(course, old, new, sentence):
    assert problems(course) == []
    path = course / "README.md"
    path.write_text(path.read_text().replace(old, new))
    (found,) = problems(course)
    assert sentence in found


def test_a_heading_in_code_is_no_anchor():
    text = "```\n# no\n```\n## Two `words`, *and* √d"
    assert course_links.anchors(text) == {"two-words-and-d"}


def test_only_addresses_that_were_not_asked_lately_are_asked():
    asked = []

    def answers(address):
        asked.append(address)
        return "status 404" if address == "gone" else ""

    today = datetime.date(2026, 3, 31)
    cache = {"fresh": "2026-03-30", "old": "2026-01-01", "gone": None, "left": None}
    addresses = ["fresh", "gone", "new", "old"]
    found, failures = course_links.ask(addresses, cache, today, answers)
    assert asked == addresses[1:] and failures == ["gone: status 404"]
    today = "2026-03-31"
    assert found == {"fresh": "2026-03-30", "gone": None, "new": today, "old": today}


def test_a_failed_answer_is_told(course, monkeypatch, capsys):
    monkeypatch.setattr(course_links, "answer", lambda address: "no answer")
    (course / "tools").mkdir()
    assert course_links.main(["--external"], root=course) == 1
    assert "https://x.org/y_(z): no answer" in capsys.readouterr().out
    assert course_links.read_cache(course) == {"https://x.org/y_(z)": None}


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

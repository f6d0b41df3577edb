"""The tables of the README and of the results are written by a script."""

import pytest
from conftest import recorded

from tools import lesson_times, readme_tables

RUN = dict(hardware="a machine", date="a day", versions={"Keras": "3"})


def test_readme_is_in_step_with_the_lessons(capsys):
    assert readme_tables.main(["--check"]) == 0, capsys.readouterr().out


BOUNDS = [
    ({"at_least": 44}, "at least 44"),
    ({"at_least": 40, "at_most": 50}, "at least 40, at most 50"),
    ({"at_least": 45}, "at least 45 (**not reached**)"),
    ({"at_most": 44}, "at most 44 (**not reached**)"),
]


@pytest.mark.parametrize("bound, cell", BOUNDS)
def test_readme_says_which_bound_was_missed(make_notebook, bound, cell):
    figure = recorded("demo.bleu", 44.512, "points", **bound)
    notebook = make_notebook(["1"], {0: [figure]})
    table = readme_tables.results_table([("05_x.ipynb", notebook)])
    assert f"| 44.51 points | {cell} |\n" in table


def test_readme_shows_main_figures_and_every_missed_bound(make_notebook, monkeypatch):
    monkeypatch.setattr(readme_tables, "MAIN_RESULTS", {"demo.main": "what it says"})
    bounds = {"main": 3, "missed": 5, "other": 3}
    figures = [recorded(f"demo.{n}", 4, at_least=least) for n, least in bounds.items()]
    notebook = make_notebook(["1"], {0: figures})
    notebook["metadata"]["course"] = RUN
    rows = readme_tables.main_results_table([("05_x.ipynb", notebook)]).splitlines()
    link = "[05](05_x.ipynb)"
    assert rows[2] == f"| {link} | what it says | 4 | at least 3 |"
    missed = f"| {link} | `demo.missed` | 4 | at least 5 "
    assert rows[3] == f"{missed}(**not reached**) |"
    assert rows[4:6] == ["", "Lesson 05 (a day): real data, a machine, Keras 3."]


def test_every_main_figure_is_recorded():
    stored = readme_tables.figures(readme_tables.read_lessons())
    recorded = [payload["name"] for _, payload in stored]
    assert set(readme_tables.MAIN_RESULTS) <= set(recorded)


def test_readme_tables(tmp_path, good_lesson, write_notebook, monkeypatch):
    monkeypatch.setattr(readme_tables, "MAIN_RESULTS", {"demo.bleu": "BLEU of it"})
    good_lesson.cells[1].outputs.append(recorded("demo.bleu", 44.512, "points"))
    write_notebook(good_lesson, "notebooks/05_x.ipynb")
    section = "<!-- {0}:begin -->\nold\n<!-- {0}:end -->\n"
    sections = section.format("lessons") + section.format("further")
    sections += "text\n" + section.format("results")
    readme = tmp_path / "README.md"
    readme.write_text(f"# Course\n{sections}end\n")
    package = tmp_path / readme_tables.PACKAGE_README
    package.parent.mkdir()
    package.write_text(section.format("names"))
    for arguments, status in ((["--check"], 1), ([], 0), (["--check"], 0)):
        assert readme_tables.main(arguments, root=tmp_path) == status
    text = readme.read_text()
    link = "[99 A lesson for tests](notebooks/05_x.ipynb)"
    assert f"| {link} | Test the tests | 1 | 2 |" in text
    assert "| [05](notebooks/05_x.ipynb) | BLEU of it | 44.51 points |  |" in text
    assert "05 (2026-11-21): " in text and "2 CPU cores (Some Processor)" in text
    assert "\ntext\n" in text and text.endswith("\nend\n") and "old" not in text
    page = tmp_path / readme_tables.ALL_RESULTS
    assert "| [05](05_x.ipynb) | `demo.bleu` | 44.51 points |  |\n" in page.read_text()
    assert "| `TransformerEncoder` | " in package.read_text()
    page.unlink()
    assert readme_tables.main(["--check"], root=tmp_path) == 1


def test_readme_without_markers_is_a_clear_error():
    with pytest.raises(ValueError, match="needs the markers <!-- lessons:begin"):
        readme_tables.updated("# Course", [])


def test_first_aim_joins_wrapped_lines():
    source = "## What you will be able to do\n\n- build a\n  block;\n- more\n"
    cells = [{"cell_type": "markdown", "source": source}]
    assert readme_tables.first_aim({"cells": cells}) == "build a block"
    assert readme_tables.first_aim({"cells": []}) == ""


def test_a_lesson_may_show_the_minutes_of_the_core():
    def notebook(source, minutes):
        cell = {"cell_type": "markdown", "source": [source], "metadata": {}}
        return {"cells": [cell], "metadata": {"course": {"minutes": minutes}}}

    shown = "# 00 A\n\n<!-- minutes:begin -->\n<!-- minutes:end -->\n" + "word " * 130
    stored = [
        ("notebooks/00_a.ipynb", notebook(shown, 0.2)),
        ("notebooks/01_b.ipynb", notebook("# 01 B\n\n" + "word " * 1400, 61)),
        ("notebooks/further/01_c.ipynb", notebook("# C", 3)),
    ]
    (_, first), *others = readme_tables.with_minutes(stored)
    text = "".join(first["cells"][0]["source"])
    assert "| [01 B](01_b.ipynb) | 10 | 61 |\n| **all** | 0 h | 1 h |\n" in text
    # The table's own words count: without them it would be 1 minute.
    assert (
        f"| [00 A](00_a.ipynb) | {lesson_times.lesson_minutes(first)} | < 1 |" in text
    )
    assert "[C]" not in text
    assert others == stored[1:]
    assert stored[0][1]["cells"][0]["source"] == [shown]

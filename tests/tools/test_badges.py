"""Colab badges, README tables and Colab constraints are written by scripts."""

import json
import shutil

import pytest
from nbformat.v4 import new_output

from course_utils import results
from tools import colab_constraints, readme_tables, write_badges

SAMPLE_RUN = {
    "data_mode": "sample",
    "hardware": "a machine",
    "date": "a day",
    "versions": {"Keras": "3"},
}
OLD = "[![Open in Colab](https://x/colab-badge.svg)](https://x/old.ipynb)"


def test_notebooks_are_in_step_with_the_address(capsys):
    assert write_badges.main(["--check"]) == 0, capsys.readouterr().out


def test_readme_is_in_step_with_the_lessons(capsys):
    assert readme_tables.main(["--check"]) == 0, capsys.readouterr().out


def test_badge_names_repository_branch_and_path():
    line = write_badges.badge("https://github.com/us/course", "notebooks/05_x.ipynb")
    assert line.endswith(
        "(https://colab.research.google.com/github/us/course/blob/main/"
        "notebooks/05_x.ipynb)"
    )


def test_badge_is_replaced_or_added_below_the_title():
    assert write_badges.with_badge(f"# T\n\n{OLD}\n\nText", "B") == "# T\n\nB\n\nText"
    assert write_badges.with_badge("# T\n\nText", "B") == "# T\n\nB\n\nText"
    assert write_badges.with_badge("# T", "B") == "# T\n\nB"


@pytest.fixture
def course(tmp_path, good_lesson, write_notebook):
    """A copy of the settings with one lesson, its badge and its address out of step."""
    shutil.copy(write_badges.ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "README.md").write_text("git clone https://a/b/old\ncd old\n")
    good_lesson.cells[1].source += "\n# pip install git+https://github.com/a/b"
    write_notebook(good_lesson, "notebooks/05_x.ipynb")
    return tmp_path


def test_check_reports_and_changes_nothing(course, capsys):
    path = course / "notebooks/05_x.ipynb"
    before = path.read_text()
    assert write_badges.main(["--check"], root=course) == 1
    printed = capsys.readouterr().out
    assert "notebooks/05_x.ipynb" in printed and "README.md" in printed
    assert path.read_text() == before


def test_writing_brings_notebooks_in_step(course):
    assert write_badges.main([], root=course) == 0
    assert write_badges.main(["--check"], root=course) == 0
    address = write_badges.repository(course)
    text = (course / "notebooks/05_x.ipynb").read_text()
    assert f"git+{address}" in text
    assert f"{address.removeprefix('https://github.com/')}/blob/main/notebooks" in text
    assert "github.com/a/b" not in text


def test_another_address_makes_the_check_fail(course):
    write_badges.main([], root=course)
    settings = course / "pyproject.toml"
    address = write_badges.repository(course)
    settings.write_text(settings.read_text().replace(address, "https://github.com/c/d"))
    assert write_badges.main(["--check"], root=course) == 1


@pytest.mark.parametrize(
    "bound, cell",
    [
        ({"at_least": 44}, "at least 44"),
        ({"at_least": 40, "at_most": 50}, "at least 40, at most 50"),
        ({"at_least": 45}, "at least 45 (**not reached**)"),
        ({"at_most": 44}, "at most 44 (**not reached**)"),
    ],
)
def test_readme_says_which_bound_was_missed(make_notebook, bound, cell):
    payload = {"name": "demo.bleu", "value": 44.512, "unit": "points", **bound}
    data = {results.MIME_TYPE: payload}
    notebook = make_notebook(["1"], {0: [new_output("display_data", data)]})
    table = readme_tables.results_table([("05_x.ipynb", notebook)])
    assert f"| 44.51 points | {cell} | " in table


def test_readme_shows_main_figures_and_every_missed_bound(make_notebook, monkeypatch):
    monkeypatch.setattr(readme_tables, "MAIN_RESULTS", {"demo.main": "what it says"})
    outputs = {}
    for i, (name, bound) in enumerate([("main", 3), ("missed", 5), ("other", 3)]):
        payload = {"name": f"demo.{name}", "value": 4, "unit": "", "at_least": bound}
        outputs[i] = [new_output("display_data", {results.MIME_TYPE: payload})]
    notebook = make_notebook(["1", "2", "3"], outputs)
    notebook["metadata"]["course"] = SAMPLE_RUN
    rows = readme_tables.main_results_table([("05_x.ipynb", notebook)]).splitlines()
    link = "[05](05_x.ipynb)"
    assert rows[2] == f"| {link} | what it says (embedded data) | 4 | at least 3 |"
    missed = f"| {link} | `demo.missed` (embedded data) | 4 | at least 5 "
    assert rows[3] == f"{missed}(**not reached**) |"
    assert rows[4:6] == ["", "Lesson 05: embedded data, a machine, Keras 3, a day."]


def test_every_main_figure_is_recorded():
    stored = readme_tables.figures(readme_tables.read_lessons())
    recorded = [payload["name"] for _, _, payload in stored]
    assert set(readme_tables.MAIN_RESULTS) <= set(recorded)


def test_readme_tables(course, good_lesson, write_notebook, monkeypatch):
    monkeypatch.setattr(readme_tables, "MAIN_RESULTS", {"demo.bleu": "BLEU of it"})
    payload = {"name": "demo.bleu", "value": 44.512, "unit": "points"}
    data = {results.MIME_TYPE: payload}
    good_lesson.cells[1].outputs.append(new_output("display_data", data))
    write_notebook(good_lesson, "notebooks/05_x.ipynb")
    sections = [
        f"<!-- {n}:begin -->\nold\n<!-- {n}:end -->" for n in ("lessons", "results")
    ]
    readme = course / "README.md"
    readme.write_text("# Course\n" + "\ntext\n".join(sections) + "\nend\n")
    assert readme_tables.main(["--check"], root=course) == 1
    assert readme_tables.main([], root=course) == 0
    assert readme_tables.main(["--check"], root=course) == 0
    text = readme.read_text()
    link = "[99 A lesson for tests](notebooks/05_x.ipynb)"
    assert f"| {link} | Test the tests | 2 |" in text
    assert "| [05](notebooks/05_x.ipynb) | BLEU of it | 44.51 points |  |" in text
    assert "2 CPU cores (Some Processor), TensorFlow 2.21.0, 2026-11-21" in text
    assert "\ntext\n" in text and text.endswith("\nend\n") and "old" not in text
    page = course / readme_tables.ALL_RESULTS
    assert "| [05](05_x.ipynb) | `demo.bleu` | 44.51 points |  | " in page.read_text()
    page.unlink()
    assert readme_tables.main(["--check"], root=course) == 1


def test_readme_without_markers_is_a_clear_error():
    with pytest.raises(ValueError, match="README.md needs the markers"):
        readme_tables.updated("# Course", [])


def test_first_aim_joins_wrapped_lines():
    source = "## What you will be able to do\n\n- build a\n  block;\n- more\n"
    cells = [{"cell_type": "markdown", "source": source}]
    assert readme_tables.first_aim({"cells": cells}) == "build a block"
    assert readme_tables.first_aim({"cells": []}) == ""


def test_colab_constraints_leave_out_what_pip_must_choose():
    text = "keras==3.13.2\ntensorflow_metadata==1.21.0\nx @ file:///x\n\n# note\n"
    assert colab_constraints.constraints(text) == "keras==3.13.2\n"


def test_written_notebooks_look_as_nbformat_writes_them(course):
    import nbformat

    write_badges.main([], root=course)
    path = course / "notebooks/05_x.ipynb"
    before = path.read_text()
    nbformat.write(nbformat.read(path, as_version=4), path)
    assert json.loads(path.read_text()) == json.loads(before)
    assert path.read_text() == before

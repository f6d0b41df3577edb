"""Every notebook keeps the rules, each rule can fail, and nbval really compares."""

import os
import re
import subprocess
import sys

import nbformat
import pytest
from conftest import recorded, stream
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from tools import notebook_contract as contract

NOTEBOOKS = contract.all_notebooks()
NAMES = [path.relative_to(contract.NOTEBOOKS).as_posix() for path in NOTEBOOKS]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=NAMES)
def test_notebook_keeps_the_contract(path):
    assert contract.check_file(path) == []


def without_numbers(path):
    """Return the cells whose stored plot has no table; a drawing shows none."""
    return {
        cell.id
        for cell in nbformat.read(path, as_version=4).cells
        for output in cell.get("outputs", ())
        if "image/png" in output.get("data", ())
        and not output.metadata.get("table")
        and not re.search(r"plots\.(drawing|demo)\(", cell.source)
    }


@pytest.mark.parametrize("path", NOTEBOOKS, ids=NAMES)
def test_every_plot_is_stored_with_its_numbers(path):
    pictures = {"images-some", "images-recoloured", "images-wrong"}
    assert without_numbers(path) <= pictures


def test_make_test_collects_every_notebook(make):
    printed = make("notebooks-list").stdout
    assert sorted(printed.split()) == sorted(f"notebooks/{name}" for name in NAMES)


def code(lesson, number):
    """Return the code cell of the given number, counted from 0."""
    return [cell for cell in lesson.cells if cell.cell_type == "code"][number]


def add(source, *outputs, tags=()):
    def change(lesson):
        count = 1 + sum(cell.cell_type == "code" for cell in lesson.cells)
        cell = new_code_cell(source, execution_count=count, outputs=list(outputs))
        cell.metadata.tags = list(tags)
        lesson.cells.append(cell)

    return change


def picture(**data):
    return new_output("display_data", {"image/png": "iVBOR", **data})


def missed(name, unit):
    return recorded(name, 43, unit, at_most=42)


def add_text(source):
    return lambda lesson: lesson.cells.append(new_markdown_cell(source))


def hint(text):
    return add_text(f"A text.\n<details><summary>Hint</summary>{text}</details>")


def set_source(number, source):
    return lambda lesson: code(lesson, number).update(source=source)


def set_tags(number, *tags):
    return lambda lesson: code(lesson, number).metadata.update(tags=list(tags))


def set_output(text):
    return lambda lesson: code(lesson, 0).update(outputs=[stream(text)])


def drop_text(text):
    def change(lesson):
        for cell in lesson.cells:
            cell.source = cell.source.replace(text, "")

    return change


ERROR = new_output("error", ename="ValueError", evalue="x", traceback=[])
CHECK = contract.CHECK

MISSPELT = ["nbval-check-outputs", "nvbal-check-output", "nbval_check_output"]
MISSPELT += ["check-output", "NBVAL-CHECK-OUTPUT", "nbval-ignore-output", "nbval-skip"]
MISSPELT += ["raises-exception"]
COMMENTS = ["# NBVAL_CHECK_OUTPUT", "#nbval-check-output", "# NVBAL_CHECK_OUTPUT"]
BROKEN = {
    **{m: (set_tags(0, m), f"has the tag '{m}'") for m in MISSPELT},
    **{m: (set_source(1, f"{m}\n1"), "has the comment") for m in COMMENTS},
    "old format": (lambda n: n.update(nbformat_minor=4), "older than 4.5"),
    "same id": (lambda n: n.cells[1].update(id=n.cells[0]["id"]), "same id"),
    "kernelspec": (lambda n: n.metadata.kernelspec.update(name="x"), "not python3"),
    "not run": (lambda n: code(n, 1).update(execution_count=None), "count None"),
    "out of order": (lambda n: code(n, 0).update(execution_count=7), "count 7, but 1"),
    "error": (lambda n: code(n, 0).update(outputs=[ERROR]), "stores an error"),
    "nothing stored": (lambda n: code(n, 1).update(outputs=[]), "stores no output"),
    "only images": (add("x", picture(), tags=[CHECK]), "only has images"),
    "semicolon": (set_source(1, "2;"), "ends with ';'"),
    "checked time": (
        add("x", missed("a.b", "seconds"), tags=[CHECK]),
        "nobody repeats",
    ),
    "missed bound": (
        add("1", missed("demo.bleu", "")),
        "stores a missed bound: demo.bleu is 43, but it should be at most 42",
    ),
    "none checked": (set_tags(1), "no cell is checked"),
    "no setup": (drop_text(".setup()"), "no cell calls"),
    "no run line": (drop_text("**Run it**"), "doesn't say how to run it"),
    "no package": (set_source(0, "course_utils.setup()"), "course_utils is missing"),
    "no aims": (drop_text("What you will"), "What you will be able to do"),
    "no questions": (drop_text("Before you start"), "Before you start"),
    "no exercises": (drop_text("Exercises"), "Exercises"),
    "no ending": (drop_text("After the lesson"), "After the lesson"),
    "code in a hint": (hint("Use `np.where`."), "rendered: `np.where`"),
    "emphasis in a hint": (hint("It is *more*."), "rendered: *more*"),
    "link in a hint": (hint("See [this](a.md)."), "rendered: ](a.md)"),
    "machine path": (set_output("saved to /root/x\n"), "own path /root/x"),
    "warning": (set_output("x.py:1: UserWarning: old\n"), "stores a warning"),
    "address": (set_output("<Line2D at 0x7f6ebae4a5c0>"), "a memory address"),
    "figure": (add("plot()", picture()), "without its text alternative"),
    "sample run": (lambda n: n.metadata.course.update(data_mode="sample"), "not full"),
    "no run data": (lambda n: n.metadata.pop("course"), "metadata.course lacks"),
    "no hardware": (lambda n: n.metadata.course.pop("hardware"), "lacks hardware"),
}


@pytest.mark.parametrize(("change", "sentence"), BROKEN.values(), ids=BROKEN)
def test_each_rule_can_fail(good_lesson, change, sentence):
    change(good_lesson)
    found = contract.violations(good_lesson)
    assert any(sentence in text for text in found), found


FIGURE = "Figure: attention of each word to each other word.\n"
GOOD = {
    "unchanged": lambda n: None,
    "missed time": add("1", missed("demo.bleu", "minutes")),
    "html": hint("<code>f(*a, **b)</code> <em>x</em>"),
    "empty lines": hint("\n\nUse `x`, *now*.\n\n"),
    "fence": add_text("```html\n<details>`x`</details>\n```"),
    "printed text": add("plot()", picture(), stream(FIGURE)),
    "text beside the image": add("plot()", picture(**{"text/markdown": FIGURE})),
}


@pytest.mark.parametrize("change", GOOD.values(), ids=GOOD)
def test_what_the_rules_allow(good_lesson, change):
    change(good_lesson)
    assert contract.violations(good_lesson) == []


def test_a_solution_needs_no_headings_and_may_be_a_sample_run(good_lesson):
    good_lesson.cells = [c for c in good_lesson.cells if c.cell_type == "code"]
    good_lesson.cells.insert(0, new_markdown_cell("# S\n\n**Run it** so."))
    good_lesson.metadata.course.data_mode = "sample"
    assert contract.violations(good_lesson, solution=True) == []


def test_canary(make_notebook, write_notebook, tmp_path):
    """nbval fails on a changed output of a checked cell and on any error, only there.

    The notebooks run as `make test` runs the lessons.
    """
    sources = ["print(6 * 7)", "print('not compared')"]
    for name, printed in (("00_good", "42\n"), ("01_changed", "43\n")):
        outputs = {0: [stream(printed)], 1: [stream("something else\n")]}
        notebook = make_notebook(sources, outputs)
        notebook.cells[0].metadata.tags = [CHECK]
        write_notebook(notebook, f"{name}.ipynb")
    write_notebook(make_notebook(["1 / 0", "print(1)"]), "02_error.ipynb")
    bound = "from course_utils.kit import results\nresults.expect('a.b', 1, at_least=2)"
    write_notebook(make_notebook([bound]), "03_missed.ipynb")
    slow = bound.replace("'a.b'", "'a.time'").replace("=2", "=2, clock=True")
    write_notebook(make_notebook([slow]), "04_slow.ipynb")
    makefile = (contract.ROOT / "Makefile").read_text()
    options = ["--nbval-lax", "--nbval-current-env", "--nbval-cell-timeout"]
    assert all(option in makefile for option in options)
    assert "TEST_ENV := COURSE_DATA=sample COURSE_STRICT=1" in makefile
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    environment["PYTHONPATH"] = str(contract.ROOT)
    command = [sys.executable, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider"]
    command += ["--rootdir", str(tmp_path), *options, "600", str(tmp_path)]
    places = dict(cwd=tmp_path, env=environment, timeout=1200)
    done = subprocess.run(command, capture_output=True, text=True, **places)
    assert done.returncode == 1
    verdicts = re.findall(r"^(PASSED|FAILED) (\w+)\S*::Cell (\d)", done.stdout, re.M)
    found = {}
    for verdict, lesson, _ in sorted(verdicts, key=lambda verdict: verdict[1:]):
        found.setdefault(lesson, []).append(verdict)
    assert found == {
        "00_good": ["PASSED", "PASSED"],
        "01_changed": ["FAILED", "PASSED"],
        "02_error": ["FAILED", "PASSED"],
        "03_missed": ["FAILED"],
        "04_slow": ["PASSED"],
    }, done.stdout


def test_each_violation_is_a_line(good_lesson, write_notebook, capsys, monkeypatch):
    monkeypatch.setattr("tools.lesson_form.NOT_YET_REWRITTEN", {"00"})
    path = write_notebook(good_lesson)
    assert contract.main([str(path)]) == 0
    drop_text("Exercises")(good_lesson)
    nbformat.write(good_lesson, path)
    assert contract.main([str(path)]) == 1
    printed = capsys.readouterr().out
    assert printed == '00_tiny.ipynb: there is no heading "Exercises"\n'

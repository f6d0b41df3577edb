"""The form of a rewritten lesson: a lesson that keeps it, and each rule broken."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from tools import lesson_form, lesson_times, lessons

INTRODUCTION = """# 17 A lesson

**Time:** about {minutes} minutes to read, 20 for the exercises, 3 for the computer.

## What you will be able to do

## Before you start
"""
STORY = """## 1 Score

The model writes *el coche rojo*<!-- out -->, with a weight of 0.83. It has
47.5<!-- translation.bleu --> BLEU.

**Predict:** what is two times 0.83?
"""
ENDING = """## What this doesn't show

## Exercises

## After the lesson

## For the record
"""


def printed(text):
    return new_output("stream", name="stdout", text=text)


@pytest.fixture
def lesson():
    """A lesson that keeps the form."""
    notebook = new_notebook()
    folded = {"jupyter": {"source_hidden": True}}
    predicted = {"jupyter": {"outputs_hidden": True}}
    notebook.cells = [
        new_markdown_cell(INTRODUCTION.format(minutes=1)),
        new_code_cell("epochs = course.pick(full=3, sample=1)"),
        new_code_cell("translate()", outputs=[printed("el coche rojo  0.83\n")]),
        new_markdown_cell(STORY),
        new_code_cell("2 * 0.83", metadata=predicted),
        new_markdown_cell(ENDING),
        new_code_cell('results.record_all({"a.b": 1})', metadata=folded),
    ]
    return notebook


def test_violations_of_a_good_lesson(lesson):
    assert list(lesson_form.violations(lesson)) == []


def replace(position, old, new):
    def change(notebook):
        cell = notebook.cells[position]
        assert old in cell.source
        cell.source = cell.source.replace(old, new)

    return change


def unfold(position):
    return lambda notebook: notebook.cells[position].update(metadata={})


BROKEN = {
    "heading": (replace(5, "## What this doesn't show", ""), "What this doesn't show"),
    "no time": (replace(0, "**Time:**", "Time:"), "no line says"),
    "wished time": (replace(0, "about 1 minutes", "about 9 minutes"), "9 minutes"),
    "second record": (replace(2, "translate()", "results.record('a.c', 1)"), "cell 3"),
    "none recorded": (replace(6, "results.record_all", "print"), "none"),
    "record in view": (unfold(6), "has to be folded"),
    "two settings": (replace(4, "2 *", "course.pick(full=2, sample=1) *"), "2, 5"),
    "prediction in view": (unfold(4), "asks for a prediction"),
    "quote": (replace(3, "*el coche rojo*", "*el auto rojo*"), "quotes 'el auto rojo'"),
    "mark alone": (replace(3, "*el coche rojo*", "el coche rojo"), "without *text*"),
    "decimal": (replace(3, "of 0.83", "of 0.84"), "says 0.84"),
}


@pytest.mark.parametrize("change, sentence", BROKEN.values(), ids=BROKEN)
def test_violations_of_a_broken_lesson(lesson, change, sentence):
    change(lesson)
    found = list(lesson_form.violations(lesson))
    assert len(found) == 1 and sentence in found[0], found


def test_lesson_minutes_counts_what_is_read():
    hidden = {"jupyter": {"source_hidden": True}}
    notebook = new_notebook()
    notebook.cells = [
        new_markdown_cell("word " * 280 + "<!-- a comment -->"),
        new_code_cell("x = 1\n\n" * 14),
        new_code_cell("x = 1\n" * 700, metadata=hidden),
        new_markdown_cell("## Exercises\n" + "word " * 1400),
    ]
    assert lesson_times.lesson_minutes(notebook) == 4


def test_main_prints_a_row_for_each_notebook(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(lessons, "NOTEBOOKS", tmp_path)
    notebook = new_notebook(cells=[new_markdown_cell("word " * 1400)])
    nbformat.write(notebook, tmp_path / "00_tiny.ipynb")
    assert lesson_times.main([]) == 0
    row = capsys.readouterr().out.splitlines()[1].split()
    assert row[:3] == ["10", "1400", "0"] and row[-1] == "00_tiny.ipynb"


def test_the_lessons_that_are_not_rewritten_are_lessons():
    known = {lessons.key(path) for path in lessons.find()}
    assert known >= lesson_form.NOT_YET_REWRITTEN

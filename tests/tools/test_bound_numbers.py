"""Numbers in texts are those of the records, and follow them."""

import json
from pathlib import Path

import nbformat
import pytest
from conftest import recorded
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tools import bound_numbers, notebook_contract

TEXTS = Path(__file__).with_name("bound_numbers.json").read_text("utf-8")
TEXTS = json.loads(TEXTS)
RECORDS = {
    name: {"name": name, "value": value, "unit": "", **noise}
    for name, value, noise in [
        ("a.bleu", 47.26, {"noise": 0.5}),
        ("b.bleu", 44.1, {}),
        ("a.accuracy", 0.8942, {"noise": 0.003}),
        ("b.accuracy", 0.8817, {}),
        ("a.pairs", 118964, {}),
        ("a.change", -0.25, {}),
    ]
}


def lesson(*texts):
    return new_notebook(cells=[new_markdown_cell(text) for text in texts])


@pytest.mark.parametrize("text", TEXTS["agree"])
def test_numbers_that_agree(text):
    notebook = lesson(text)
    assert list(bound_numbers.violations(notebook, RECORDS)) == []
    assert bound_numbers.rewrite(notebook, RECORDS) == []
    assert notebook.cells[0].source == text
    assert bound_numbers.mentions(notebook)


@pytest.mark.parametrize(("text", "sentence"), TEXTS["differ"])
def test_numbers_that_do_not_agree(text, sentence):
    with pytest.raises(AssertionError, match=sentence):
        assert list(bound_numbers.violations(lesson(text), RECORDS)) == []


def test_numbers_follow_the_records_and_large_changes_are_told():
    notebook = lesson(
        "Nothing.",
        "Long ago. BLEU is 46.9<!-- a.bleu --> now. The other has 40.0<!-- b.bleu -->!",
        "See 88.0 %<!-- a.accuracy -->, and 7<!-- c.bleu -->",
    )
    told = bound_numbers.rewrite(notebook, RECORDS)
    assert told == [
        "cell 2: 40.0 → 44.1: The other has 40.0!",
        "cell 3: 88.0 → 89.4: See 88.0 %, and 7",
    ]
    assert "BLEU is 47.3<!-- a.bleu --> now" in notebook.cells[1].source
    assert "89.4 %<!--" in notebook.cells[2].source


def test_a_stored_run_renews_the_texts_of_all_lessons(tmp_path):
    first = lesson("47.0<!-- a.bleu -->")
    first.cells.append(new_code_cell("x", outputs=[recorded("a.bleu", 48.0)]))
    nbformat.write(first, tmp_path / "01_a.ipynb")
    nbformat.write(lesson("Still 47<!-- a.bleu -->."), tmp_path / "02_b.ipynb")
    assert bound_numbers.update(tmp_path) == [
        "01_a.ipynb, cell 1: 47.0 → 48.0: 47.0",
        "02_b.ipynb, cell 1: 47 → 48: Still 47.",
    ]
    assert "48<!--" in nbformat.read(tmp_path / "02_b.ipynb", 4).cells[0].source
    assert bound_numbers.update(tmp_path) == []


def test_the_contract_finds_a_wrong_number(good_lesson):
    good_lesson.cells.append(new_markdown_cell("7<!-- a.bleu -->"))
    found = notebook_contract.violations(good_lesson, "99_x.ipynb", records=RECORDS)
    said = "says 7 for a.bleu, but the stored result gives 47"
    assert found == [f"cell {len(good_lesson.cells)} {said}"]

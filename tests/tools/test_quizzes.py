"""The questions of the lessons: one right answer each, every option explained."""

import json
import re
from pathlib import Path

import pytest

from tools import cells, quizzes

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
LESSONS = sorted(NOTEBOOKS.glob("[0-9]*.ipynb"))
LESSONS += sorted(NOTEBOOKS.glob("further/[0-9]*.ipynb"))
GOOD = (
    "<details><summary>a) `x`</summary>No. Because *one*.</details>\n"
    "<details><summary>b) 2 < 3</summary>Right. Yes.</details>"
)


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_every_question_has_one_right_answer_and_explains_each(path):
    text = cells.markdown(json.loads(path.read_text(encoding="utf-8")))
    questions = quizzes.questions(text)
    for choices in questions:
        assert list(quizzes.problems(choices)) == [], choices[0].label
    options = re.findall(r"<summary>[a-z]\) ", text)
    assert len(options) == sum(len(choices) for choices in questions)


@pytest.mark.parametrize(
    "old, new, sentence",
    [
        ("Right.", "Yes.", "0 options begin"),
        ("No.", "Right.", "2 options begin"),
        ("b)", "c)", "called a, c"),
        ("No. Because *one*.", "", "has no explanation"),
    ],
)
def test_problems_names_a_faulty_question(old, new, sentence):
    choices = quizzes.options(GOOD.replace(old, new))
    assert any(sentence in problem for problem in quizzes.problems(choices))


def test_options_takes_neither_hints_nor_rightly_for_an_answer():
    assert not quizzes.Option("a) x", "Rightly so.").right
    assert quizzes.options("<details><summary>Hint 1</summary>x</details>") == []

"""The questions of the lessons: one right answer each, every option explained."""

import collections
import json
import re

import pytest

from tools import cells, lessons, quizzes

LESSONS = lessons.find()
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


def right_answers(path):
    """Return the letter of each right answer, and how many options it stood among."""
    text = cells.markdown(json.loads(path.read_text(encoding="utf-8")))
    return [
        (option.letter, len(choices))
        for choices in quizzes.questions(text)
        for option in choices
        if option.right
    ]


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_right_answers_of_a_lesson_have_more_than_one_letter(path):
    assert len({letter for letter, _ in right_answers(path)}) > 1


def test_right_answers_of_the_course_are_spread_as_by_chance():
    found = [pair for path in LESSONS for pair in right_answers(path)]
    counts = collections.Counter(letter for letter, _ in found)
    for place, letter in enumerate("abc"):
        chances = [1 / options for _, options in found if options > place]
        spread = sum(chance * (1 - chance) for chance in chances) ** 0.5
        assert abs(counts[letter] - sum(chances)) < 2 * spread, counts


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

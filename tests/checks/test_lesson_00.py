"""Lesson 00: checks accept good answers, reject likely mistakes; the map is whole."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from course_utils.checks import lesson_00 as checks
from tools import report

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOK = ROOT / "notebooks/00_start_here.ipynb"


def stable_softmax(scores):
    powers = np.exp(scores - scores.max())
    return powers / powers.sum()


def attend_with(scale=np.sqrt, mixed="values"):
    """Return an answer to exercise 2, right with the default options."""

    def attend(query, keys, values):
        weights = stable_softmax(keys @ query / scale(len(query)))
        return weights, weights @ {"values": values, "keys": keys}[mixed]

    return attend


def stub(*arguments):
    raise NotImplementedError


GOOD = [
    (checks.softmax, stable_softmax),
    (checks.attend, attend_with()),
    (checks.query_for_river, lambda: [10, 0]),
    (checks.query_for_river, lambda: np.array([10.0, -10.0])),
]

WRONG = [
    (checks.softmax, lambda x: x / x.sum(), "the power of e"),
    (checks.softmax, lambda x: np.exp(x), "the sum that you divide by"),
    (checks.softmax, lambda x: np.exp(x) / np.exp(x).sum(), "the largest score"),
    (checks.softmax, lambda x: None, "without a return"),
    (checks.attend, attend_with(scale=lambda d: d), "the square root"),
    (checks.attend, attend_with(scale=lambda d: 1), "the square root"),
    (checks.attend, attend_with(scale=lambda d: 2**0.5), "the square root"),
    (checks.attend, attend_with(mixed="keys"), "what is mixed"),
    (checks.attend, lambda q, k, v: stable_softmax(k @ q), "expected 2 values"),
    (checks.query_for_river, lambda: (2, 0), "'river' gets 0.673"),
    (checks.query_for_river, lambda: (0, 10), "the direction"),
    (checks.query_for_river, lambda: (10, 10), "the direction"),
    (checks.query_for_river, lambda: (np.nan, 0), "expected 0.9"),
    (checks.query_for_river, lambda: [[10, 0]], "expected (2,)"),
    (checks.query_for_river, lambda: None, "expected (2,)"),
]


@pytest.mark.parametrize(("check", "function"), GOOD)
def test_good_answers_are_correct(check, function):
    assert check(function) == "correct"


@pytest.mark.parametrize(("check", "function", "sentence"), WRONG)
def test_likely_mistakes_are_told_where_to_look(check, function, sentence):
    answer = check(function)
    assert answer.startswith("wrong: ") and "; look at " in answer
    assert sentence in answer


@pytest.mark.parametrize(
    "check", [checks.softmax, checks.attend, checks.query_for_river]
)
def test_a_stub_is_not_attempted(check):
    assert check(stub) == "not attempted"


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

"""The teachers' page is in step with the lessons, and its plans have all of them."""

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "website"))

import teaching_tables  # noqa: E402

STORED = teaching_tables.lessons.read()
NUMBERS = [one.number for one in STORED]


def test_the_teachers_page_is_in_step(capsys):
    assert teaching_tables.main(["--check"]) == 0, capsys.readouterr().out


def test_the_longest_plan_has_every_lesson():
    facts = teaching_tables.read_facts()
    assert [len(plan["weeks"]) for plan in facts["plans"]] == [6, 10, 14]
    planned = [n for week in facts["plans"][-1]["weeks"] for n in week["lessons"]]
    met = {session["lesson"] for session in facts["sessions"]}
    assert set(NUMBERS) <= set(planned) & met & set(facts["discussion"])
    minutes = [re.findall(r"\((\d+)\)", fact["plan"]) for fact in facts["sessions"]]
    assert {sum(map(int, parts)) for parts in minutes} == {90}


def test_a_cell_that_is_missing_is_an_error_and_a_later_lesson_is_left_out():
    fact = {"says": "x", "lesson": NUMBERS[0], "cell": "no such text"}
    with pytest.raises(ValueError, match="0 cells hold 'no such text'"):
        teaching_tables.misconceptions_table([fact], STORED)
    later = {**fact, "lesson": "99", "plan": "p"}
    for table in ("misconceptions_table", "sessions_table"):
        assert len(getattr(teaching_tables, table)([later], STORED).splitlines()) == 2
    week = {"lessons": ["99"], "meeting": "m", "home": "h"}
    plan = {"name": "n", "audience": "a", "weeks": [week]}
    assert teaching_tables.plans([plan], STORED).endswith("| 1 |  | m | h |  |")

"""The trial of lesson 14's passes: held-out reviews, and the table."""

import pytest

from benchmarks import passes, tables
from course_utils import datasets


@pytest.mark.slow
def test_passes_are_scored_on_reviews_that_were_held_out():
    recipes = {"Adam": [("one window", 5e-4), ("all windows", 3e-4)]}
    rows = passes.measure(recipes=recipes, count=400)
    numbered = [(row["number"], row["shown"]) for row in rows]
    assert numbered == [(1, "one window"), (2, "all windows")]
    assert all(0 <= row["score"] <= 1 and row["minutes"] > 0 for row in rows)
    validation = len(datasets.reviews.load("validation")[0])
    assert {row["held_out"] for row in rows} == {validation + 100}


def test_passes_in_a_table():
    row = dict(peer="Adam", number=1, shown="one window", minutes=1.25, score=0.5)
    table = tables.table("passes", [dict(row, held_out=2_500)])
    assert "| Adam | 1 | one window | 1.2 | 0.5000 |" in table
    assert "2,500 reviews are held out" in table and "is 0.0100 at most" in table

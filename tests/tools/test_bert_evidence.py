"""Lesson 14b's evidence: what chooses a rate, what reads the test, and its names."""

import re

import numpy as np
import pytest

from benchmarks import bert
from tools.bound_numbers import NOTEBOOKS


def test_the_test_part_is_read_once_and_after_the_choice():
    read = []

    def learn(setting):
        return lambda part: read.append((setting, part)) or np.array([setting == 3])

    best, _, scores = bert.tried((1, 3, 5), learn)
    assert best == 3 and scores == {1: 0, 3: 1, 5: 0}
    assert [one[1] for one in read] == ["validation"] * 3 + ["test"]
    assert read[-1][0] == 3


@pytest.mark.parametrize(
    "peak, more, best",
    [(2, [], 2), (4, [8], 4), (99, [8, 16], 16), (0.4, [0.5, 0.25], 0.5)],
)
def test_a_best_one_at_the_edge_is_followed_two_tries_far(peak, more, best):
    learn = lambda x: lambda part: -abs(np.log(x / peak))  # noqa: E731
    found, _, scores = bert.tried((1, 2, 4), learn)
    assert found == best and [*scores] == [1, 2, 4, *more]
    assert bert.tried((4,), learn)[::2] == (4, {})


def test_seed_0_tries_and_the_others_take_what_was_best_there(monkeypatch):
    starts = "labels_100.vectors", "after.both", "notes.full", "labels_10000.vectors"
    names = enumerate(f"bert.{start}.peak" for start in starts)
    rows = [{"name": name, "value": i, "seed": 0} for i, name in names]
    monkeypatch.setattr(bert.evidence, "load", lambda name: rows)
    for own, name in enumerate(starts):
        assert bert.settings_of(*name.split("."), 0, "trials") == "trials"
        assert bert.settings_of(*name.split("."), 2, "trials") == [own]
    for seed in 0, 2:
        assert bert.settings_of("notes_without", "question", seed, "trials") == [2]
        assert bert.settings_of("all", "vectors", seed, "trials") == [3]
        assert bert.settings_of("notes_long", "scratch", seed, "trials") == [3e-3]
        assert bert.settings_of("labels_1000", "pairs", seed, "trials") == "trials"


def test_the_lesson_reads_what_the_arms_give():
    text = "".join(p.read_text("utf-8") for p in NOTEBOOKS.glob("14*.ipynb"))
    named = re.findall(r"bert\.(labels_\d+|after|notes\w*|all|pretrain_\w+)\.", text)
    assert len(set(named)) > 9 and set(named) <= set(bert.ARMS)

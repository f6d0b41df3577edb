"""Lesson 14b's evidence: what chooses a rate, what reads the test, and its names."""

import re

import numpy as np

from benchmarks import bert
from tools.bound_numbers import NOTEBOOKS


def test_the_test_part_is_read_once_and_after_the_choice():
    read = []

    def learn(setting):
        return lambda part: read.append((setting, part)) or np.array([setting == 3])

    assert bert.tried((1, 3, 2), learn)[::2] == (3, [0, 1, 0])
    assert [one[1] for one in read] == ["validation"] * 3 + ["test"]
    assert read[-1][0] == 3


def test_seed_0_tries_and_the_others_take_what_was_best_there(monkeypatch):
    best = {"labels_1000.vectors": 2, "labels_1000.full": 3}
    best |= {"notes.full": 4, "notes.scratch": 5}
    rows = [{"name": f"bert.{k}.peak", "value": v} for k, v in best.items()]
    monkeypatch.setattr(bert.evidence, "load", lambda name: rows)
    for arm, start, own in (
        ("labels_1000", "vectors", 2),
        ("labels_100", "vectors", 2),
        ("after", "both", 3),
        ("notes", "scratch", 5),
        ("notes_small", "both", 4),
        ("notes_without", "question", 4),
    ):
        first = [own] if arm in bert.SETTINGS["tuned_by"] else "trials"
        assert bert.settings_of(arm, start, 0, "trials") == first
        assert bert.settings_of(arm, start, 2, "trials") == [own]
    assert bert.settings_of("all", "full", 0, "trials") == "trials"


def test_the_lesson_reads_what_the_arms_give():
    text = "".join(p.read_text("utf-8") for p in NOTEBOOKS.glob("14*.ipynb"))
    named = re.findall(r"bert\.(labels_\d+|after|notes\w*|all|pretrain_\w+)\.", text)
    assert len(set(named)) > 9 and set(named) <= set(bert.ARMS)

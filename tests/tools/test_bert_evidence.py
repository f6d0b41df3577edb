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
    rows = [
        {"name": f"bert.labels_{size}.full.peak", "seed": seed, "value": size + seed}
        for size in bert.SETTINGS["tuned"]
        for seed in bert.SEEDS
    ]
    monkeypatch.setattr(bert.evidence, "load", lambda name: rows)
    for size, tuned in ((100, 1000), (1000, 1000), (10_000, 10_000), (25_000, 10_000)):
        assert bert.settings_of(size, "full", 2, (1, 2, 3)) == [tuned]
        first = (1, 2, 3) if size == tuned else [tuned]
        assert bert.settings_of(size, "full", 0, (1, 2, 3)) == first


def test_the_lesson_reads_what_the_arms_give():
    text = "".join(p.read_text("utf-8") for p in NOTEBOOKS.glob("14*.ipynb"))
    named = re.findall(r"bert\.(labels_\d+|after|notes\w*|all|pretrain_\w+)\.", text)
    assert len(set(named)) > 9 and set(named) <= set(bert.ARMS)

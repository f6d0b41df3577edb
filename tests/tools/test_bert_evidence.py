"""Lesson 14b's evidence: what chooses a rate, what reads the test, and its names."""

import re

import numpy as np
import pytest

from benchmarks import bert
from tools.bound_numbers import NOTEBOOKS

OF_PAIRS = "labels_1000", "pairs", 0  # counting pairs tries its settings in each run


def test_the_test_part_is_read_once_and_after_the_choice():
    read = []

    def learn(setting):
        return lambda part: read.append((setting, part)) or [setting == 3]

    found, figures = bert.tuned(*OF_PAIRS, (1, 3, 5), learn)
    assert found == [True] and figures["pairs.peak"] == 3
    assert [figures[f"pairs.tried_{one}"] for one in (1, 3, 5)] == [0, 1, 0]
    assert [one[1] for one in read] == ["validation"] * 3 + ["test"]
    assert read[-1][0] == 3


@pytest.mark.parametrize(
    "peak, more, best",
    [(2, [], 2), (4, [8], 4), (99, [8, 16], 16), (0.4, [0.5, 0.25], 0.5)],
)
def test_a_best_one_at_the_edge_is_followed_two_tries_far(peak, more, best):
    learn = lambda x: lambda part: -abs(np.log(x / peak))  # noqa: E731
    _, found = bert.tuned(*OF_PAIRS, (1, 2, 4), learn)
    assert found.pop("pairs.peak") == best
    assert [*found] == [f"pairs.tried_{one:g}" for one in (1, 2, 4, *more)]
    assert bert.tuned(*OF_PAIRS, (4,), learn)[1] == {"pairs.peak": 4}


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
        assert bert.settings_of("notes_long", "scratch", seed, "trials") == [3e-3]
        assert bert.settings_of("labels_1000", "pairs", seed, "trials") == "trials"
    assert bert.peaks_of("all", "vectors") == [0.75, 1.5, 3]
    assert bert.peaks_of("notes", "vectors") == bert.LESSON["PEAKS"]


def test_the_lesson_reads_what_the_arms_give():
    text = "".join(p.read_text("utf-8") for p in NOTEBOOKS.glob("14*.ipynb"))
    named = re.findall(r"bert\.(labels_\d+|after|notes\w*|all|pretrain_\w+)\.", text)
    assert len(set(named)) > 9 and set(named) <= set(bert.ARMS)

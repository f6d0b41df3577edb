"""Lesson 10's evidence: what is asked is decidable, budgets and plateaus are kept."""

import random

import numpy as np
import pytest

from benchmarks import comparison, lesson_code

LESSON = lesson_code.definitions("10", *comparison.ASSIGNED.split())


@pytest.mark.parametrize("distance", [0, 3, 40, None])
def test_the_verb_agrees_with_the_noun_after_the_last_full_stop(distance):
    for seed in range(60):
        text, plural = LESSON["question"](random.Random(seed), distance)
        assert len(text) == LESSON["LENGTH"] and text[-1] == "?"
        start = len(text) - text[::-1].index(".")
        assert text[start] == "the" and text[start + 1].endswith("s") == plural
        between = len(text) - start - 3
        assert 0 <= between <= 40 and distance in (None, between)


class Learner:
    """Spends what it is given; an operation takes it as long as `speed` says."""

    def __init__(self, speed):
        self.spent, self.speed = {"minutes": 0, "operations": 0}, speed

    def learn(self, seconds):
        self.spent["minutes"] += seconds / 60
        self.spent["operations"] += seconds * self.speed


def test_all_spend_each_budget_in_turns():
    learners = {"slow": Learner(1), "fast": Learner(4)}
    budgets = [["minutes", 1], ["operations", 120]]
    order = list(LESSON["race"](learners, budgets, turn=30))
    spent = [("fast", "operations"), ("slow", "minutes"), ("fast", "minutes")]
    assert [mark[:2] for mark in order] == [*spent, ("slow", "operations")]
    assert learners["slow"].spent["minutes"] == 2
    assert learners["fast"].spent["minutes"] == 1  # it stops when nothing waits


def test_a_plateau_lasts_six_checks():
    falling = [0.9**n for n in range(20)]
    assert not comparison.at_plateau(falling) and not comparison.at_plateau([1.0] * 6)
    assert comparison.at_plateau([1.0] * 7)
    assert not comparison.at_plateau([1.0] * 6 + [0.9])
    assert comparison.at_plateau([1.0, 0.9] + [0.89] * 6)


def marks(*bleu):
    """Return marks with counts of four sentences; the first BLEU has the lower loss."""
    right = np.full((4, 10), 12.0)
    return {
        f"minutes_{n}": {"loss": n, "counts": right * ([x] * 4 + [1] * 6)}
        for n, x in enumerate(bleu, start=1)
    }


@pytest.mark.parametrize("arm", ["trial_1600_2", "pairs_5000", "pair"])
def test_an_arm_reports_what_it_is_for(arm):
    settings = {**comparison.BASE, **comparison.ARMS[arm], "search": ""}
    both = {"transformer": marks(1, 0.5), "gru": marks(0.5, 1)}
    if arm.startswith("trial"):
        both = {name: {"minutes_3": {"loss": 2.5}} for name in both}
    found = comparison.told(LESSON, settings, arm, both, ["a b"] * 4)
    if arm.startswith("trial"):
        assert found == {f"{arm}.{name}_loss": 2.5 for name in both}
    elif arm.startswith("pairs"):  # the model of the lower loss, for each
        assert found["pairs_5000.bleu_difference"] == pytest.approx(50)
    else:
        assert found["minutes_1.bleu_difference"] == pytest.approx(50)
        assert found["minutes_2.bleu_difference"] == pytest.approx(-50)
        assert found["minutes_2.low"] <= found["minutes_2.high"] < 0


def test_a_model_takes_its_best_trial_and_a_trial_its_own(monkeypatch):
    rows = [
        {"name": f"comparison.trial_{rate}.attention_loss", "value": loss, "seed": 0}
        for rate, loss in ((2, 0.3), (4, 0.2), (8, 0.4))
    ]
    monkeypatch.setattr(comparison.evidence, "read", lambda path: {"rows": rows})
    about = LESSON, {"trial": []}, "attention", "RATES"
    assert comparison.recipe(*about) == (4,)
    assert comparison.recipe(LESSON, {"trial": [8]}, *about[2:]) == [8]

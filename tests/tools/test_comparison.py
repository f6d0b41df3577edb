"""Lesson 10's evidence: what is asked is decidable, budgets and plateaus are kept."""

import random

import keras
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


def test_a_reader_ends_when_it_has_learned_or_comes_no_further():
    ended, falling = comparison.has_ended, [0.9**n for n in range(20)]
    assert not ended([]) and not ended(falling) and not ended([1.0] * 9)
    assert ended([1.0] * 10) and not ended([1.0] * 9 + [0.9])
    assert ended([1.0, 0.9, 0.89, 0.88] + [0.88] * 6) and ended([0.7, 0.004])


def test_a_race_goes_on_where_it_was_broken_off(tmp_path):
    x, path, marks = np.eye(9, dtype="float32"), tmp_path / "build" / "race", {}
    rows = LESSON["tf"].data.Dataset.from_tensor_slices((x, x)).batch(2)
    net = keras.Sequential([keras.layers.Dropout(0.5), keras.layers.Dense(9)])
    net.build((None, 9))
    parts = lambda: keras.models.clone_model(net), rows, keras.losses.mse, 0.1, len
    one, other = (LESSON["Trainee"](*parts) for _ in range(2))
    for _ in range(6):
        one.step(*next(one.batches))
    comparison.save(path, "now", {"gru": one}, {"gru": {"minutes_2": 1}})
    comparison.go_on(path, "earlier", {"gru": other}, marks)
    assert not marks and other.optimizer.iterations == 1
    comparison.go_on(path, "now", {"gru": other}, marks)
    for each in [one, other] * 4:
        each.step(*next(each.batches))
    assert marks == {"gru": {"minutes_2": 1}} and other.spent == one.spent
    both = zip(comparison.variables(one), comparison.variables(other), strict=True)
    assert all(np.allclose(a, b) for a, b in both)


def marks(*bleu):
    """Return marks with counts of four sentences; the first BLEU has the lower loss."""
    right = np.full((4, 10), 12.0)
    return {
        f"minutes_{n}": {"loss": n, "counts": right * ([x] * 4 + [1] * 6)}
        for n, x in enumerate(bleu, start=1)
    }


@pytest.mark.parametrize("arm", ["trial_1600_3", "pairs_5000", "pair"])
def test_an_arm_reports_what_it_is_for(arm):
    settings = {**comparison.BASE, **comparison.ARMS[arm], "search": "minutes_2"}
    both = {"transformer": marks(1, 0.5), "gru": marks(0.5, 1)}
    if arm.startswith("trial"):
        both = {name: {"minutes_3": {"loss": 2.5}} for name in both}
    texts, clean = ["a b"] * 2 + ["a " * 5] * 2, np.array([True, False] * 2)
    found = comparison.told(LESSON, settings, arm, both, texts, clean)
    if arm.startswith("trial"):
        assert found == {f"{arm}.{name}_loss": 2.5 for name in both}
    elif arm.startswith("pairs"):  # the model of the lower loss, for each
        assert found["pairs_5000.bleu_difference"] == pytest.approx(50)
    else:
        assert found["minutes_1.bleu_difference"] == pytest.approx(50)
        assert found["minutes_2.bleu_difference"] == pytest.approx(-50)
        assert found["minutes_2.low"] <= found["minutes_2.high"] < 0
        assert found["clean.bleu_difference"] == pytest.approx(-50)
        sentences = [found[f"{part}.sentences"] for part in ("words_5", "words_12")]
        assert [*sentences, found["words_5.gru.bleu"]] == [2, 0, pytest.approx(100)]


def test_a_model_takes_its_best_trial_and_a_trial_its_own(monkeypatch):
    rows = [
        {"name": f"comparison.trial_{rate}.attention_loss", "value": loss, "seed": 0}
        for rate, loss in ((2, 0.3), (4, 0.2), (8, 0.4))
    ]
    monkeypatch.setattr(comparison.evidence, "read", lambda path: {"rows": rows})
    about = LESSON, {"trial": []}, "attention", "RATES"
    assert comparison.recipe(*about) == (4,)
    assert comparison.recipe(LESSON, {"trial": [8]}, *about[2:]) == [8]

"""Lesson 10's evidence: what is asked is decidable, and budgets are kept."""

import random

import keras
import numpy as np
import pytest

from benchmarks import comparison, lesson_code

LESSON = lesson_code.definitions("10", *comparison.ASSIGNED.split())
LESSON["clock"] = iter(range(99)).__next__


@pytest.mark.parametrize("distance", [0, 3, 40, "rare", None])
def test_the_verb_agrees_with_the_noun_after_the_last_full_stop(distance):
    for seed in range(60):
        text, plural = LESSON["question"](random.Random(seed), distance)
        assert len(text) == LESSON["LENGTH"] and text[-1] == "?"
        start = len(text) - text[::-1].index(".")
        assert text[start] == "the" and text[start + 1].endswith("s") == plural
        between = len(text) - start - 3
        assert 0 <= between <= 40 and distance in (None, "rare", between)


class Learner:  # an operation takes it as long as `speed` says
    def __init__(self, speed):
        self.spent, self.speed = {"minutes": 0, "operations": 0}, speed

    def learn(self, seconds):
        self.spent["minutes"] += seconds / 60
        self.spent["operations"] += seconds * self.speed


def test_all_spend_each_budget_in_turns():
    learners = {"slow": Learner(1), "fast": Learner(4)}
    race = LESSON["race"](learners, [["minutes", 1], ["operations", 120]], turn=30)
    order = "fast operations, slow minutes, fast minutes, slow operations"
    assert ", ".join(f"{name} {kind}" for name, kind, _ in race) == order
    assert [one.spent["minutes"] for one in learners.values()] == [2, 1]  # it stops


class Student(Learner):  # is right at half as many words as it has read texts
    average = property(lambda self: lambda far: float(far <= self.spent["rows"] / 2))

    def learn(self, seconds):
        self.spent["rows"] = self.spent.get("rows", 0) + seconds


def test_readers_are_asked_at_each_look_and_never_stopped_early():
    lesson = {"DISTANCES": (0, 5, 40), "questions": lambda *_: (), "RATES": [(2,)]}
    lesson |= {"reader": lambda *_: Student(1), "chosen": lambda *_: (2,)}
    lesson["accuracy_at"] = lambda model, far, *_: model(far)
    settings = {**comparison.BASE, "readers": ["attention"], "looks": [[2, 3], [1, 6]]}
    found = comparison.read(lesson, settings, "attention", 0)
    names = [f"distance_{far}.attention" for far in (0, 5, 40)]
    assert [found[f"{name}_texts"] for name in names] == [3, 12, 12]
    assert [found[name] for name in names] == [1, 1, 0]
    assert [found[f"{name}_learned"] for name in names] == [1, 1, 0]
    found = comparison.read(lesson, {**settings, "trial": [2]}, "trial_2", 0)
    assert found == {"trial_2.attention_loss": pytest.approx(1 - 4 / 9)}


def test_a_race_goes_on_where_it_was_broken_off(tmp_path):
    x, path, marks = np.eye(9, dtype="float32"), tmp_path / "build" / "race", {}
    rows = LESSON["tf"].data.Dataset.from_tensor_slices((x, x)).batch(2)
    net = keras.Sequential([keras.layers.Dropout(0.5), keras.layers.Dense(9)])
    net.build((None, 9))
    clone, loss = keras.models.clone_model, keras.losses.MeanSquaredError()
    parts = lambda: clone(net), rows, loss, 0.1, len
    one, other = LESSON["Trainee"](*parts), LESSON["Trainee"](*parts)
    one.learn(5)
    comparison.save(path, "now", {"gru": one}, {"gru": {"minutes_2": 1}})
    comparison.go_on(path, "earlier", {"gru": other}, marks)
    comparison.go_on(path, "now", {"gru": other}, marks)
    assert len({float(each.step(*next(each.batches))) for each in (one, other)}) == 1
    assert marks == {"gru": {"minutes_2": 1}} and other.spent == one.spent
    assert all(map(np.allclose, *map(comparison.variables, (one, other))))


def marks(*bleu):
    """Return marks with counts of four sentences; the first BLEU has the lower loss."""
    return {
        f"minutes_{n}": {"loss": n, "counts": counts, "budget": n}
        for n, x in enumerate(bleu, start=1)
        for counts in [np.tile([12 * x] * 4 + [12] * 6, (4, 1))]
    }


@pytest.mark.parametrize("arm", ["trial_1600_2", "pairs_5000", "tuned_2", "pair"])
def test_an_arm_reports_what_it_is_for(arm):
    settings = {**comparison.BASE, **comparison.ARMS[arm], "search": "minutes_2"}
    both = {"transformer": marks(1, 0.5), "gru": marks(0.5, 1)}
    texts, clean = ["a b"] * 2 + ["a " * 5] * 2, np.array([True, False] * 2)
    found = comparison.told(LESSON, settings, arm, both, texts, clean)
    if arm.startswith("trial"):
        own = [found[f"{arm}.gru_{name}"] for name in ("loss_1", "loss_2", "loss")]
        assert own == [1, 2, 2]  # the end counts, not the lowest
        assert found[f"{arm}.gru_bleu_2"] == pytest.approx(100)
    elif arm == "pairs_5000":  # the model of the lower loss, for each
        assert found[f"{arm}.bleu_difference"] == pytest.approx(50)
    elif arm.startswith("tuned"):
        gaps = map("tuned_minutes_{}.bleu_difference".format, (1, 2))
        assert [found[gap] for gap in gaps] == pytest.approx([50, -50])
    else:
        gaps = map("{}.bleu_difference".format, ("minutes_1", "minutes_2", "clean"))
        assert [found[gap] for gap in gaps] == pytest.approx([50, -50, -50])
        assert found["minutes_2.low"] <= found["minutes_2.high"] < 0
        assert (found["clean.sentences"], found["words_12.sentences"]) == (2, 0)


def test_a_model_takes_its_best_trial_and_a_trial_its_own(monkeypatch):
    rows = [
        {"name": f"comparison.trial_{rate}.attention_loss{end}", "value": x, "seed": 0}
        for rate, *losses in zip((1, 2, 4, 8, 16), "34299", "76899", strict=True)
        for end, x in zip(("", "_5"), map(int, losses), strict=True)
    ]
    monkeypatch.setattr(comparison.evidence, "read", lambda path: {"rows": rows})
    for own, mark, best in ([], 0, (4,)), ([], 5, (2,)), ([8], 5, [8]):
        settings = {**comparison.BASE, "trial": own, "mark": mark}
        assert comparison.recipe(LESSON, settings, "attention", "RATES") == best

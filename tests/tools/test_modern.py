"""Lesson 19's evidence runs the lesson's code, with the best of the rates tried."""

import numpy as np

from benchmarks import modern
from course_utils.datasets import reviews

SMALL = dict(width=8, num_layers=1, length=8, rows=4, updates=4)
ARMS = {"rotary_rate1": (2e-3, 4), "no_norm_rate1": (0.05, 4)}
ARMS |= {"classic_untied_minutes": (0.2, 4), "classic_muon_minutes": (0.2, 8)}


def test_times_and_arms_in_a_small_size(monkeypatch, tmp_path):
    few = [f"{text} {n}" for n, text in enumerate(reviews.load("train")[0][:260])]
    monkeypatch.setattr(modern, "stored", lambda *_: modern.LESSON["prepared"](few, 1))
    monkeypatch.setitem(modern.LESSON, "RECIPE", SMALL)
    two = {name: modern.FORMS[name] for name in ("classic", "muon")}
    with monkeypatch.context() as forms:
        forms.setattr(modern, "FORMS", two)
        found = modern.speeds(rounds=2, updates=2)
    assert [*found] == [f"{name}.processor_minutes" for name in two]
    assert all(minutes > 0 for minutes in found.values())
    rows = []
    for arm in modern.TRIALS:  # the second rate of each is the best one
        found = {"validation_bits": abs(int(arm[-1]) - 2.2), "rate": int(arm[-1]) / 10}
        rows += [
            dict(name=f"m.{k}", value=v, arm=arm, seed=0) for k, v in found.items()
        ]
    for form in modern.FORMS:
        name, value = f"modern.{form}.processor_minutes", 1 + ("muon" in form)
        rows.append({"name": name, "value": value, "arm": "speed", "seed": 0})
    monkeypatch.setattr(modern.evidence, "read", lambda path: {"rows": rows})
    monkeypatch.setattr(modern.evidence, "load", lambda module: rows)
    for arm, expected in ARMS.items():
        found = modern.measure(arm, 0)
        assert expected == (found[f"modern.{arm}.rate"], found[f"modern.{arm}.updates"])
        assert 3 < found[f"modern.{arm}.bits"] < 9
    for arm in ("rotary", "muon", "tied", "alibi", "no_norm"):  # their own best trials
        assert modern.measure(arm, 0)[f"modern.{arm}.rate"] == 0.2


def test_without_a_gradient_no_weight_moves():
    model = modern.LESSON["new_model"](modern.FORMS["muon"], 9, SMALL)
    modern.LESSON["compile_model"](model, 0.01, 20)
    before, weights = model.get_weights(), model.trainable_weights
    for _ in range(20):
        model.optimizer.apply([0 * w for w in weights], weights)
    assert all(map(np.array_equal, before, model.get_weights()))


def test_a_cut_text_is_read_in_nearly_whole_windows(monkeypatch):
    # Instead of its bits, a target's place in its window.
    monkeypatch.setitem(modern.LESSON, "bits", lambda m, x, y: np.arange(16) + 0 * x)
    found = modern.LESSON["in_parts"](None, *np.zeros((2, 3, 64)), 16)
    assert found.tolist() == 3 * [[*range(16), *24 * [14, 15]]]

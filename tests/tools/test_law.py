"""Lesson 18's fit finds a law that is known, and its intervals hold the truth."""

import numpy as np
import pytest

from benchmarks import law as evidence
from benchmarks import lesson_code

LESSON = lesson_code.definitions("18", *evidence.ASSIGNED)
TRUE, AMOUNTS = (0.8, 0.4, 0.35, 0.35, 0.45), LESSON["AMOUNTS"]
WEIGHTS = dict(zip(LESSON["FIVE"], [25e3, 55e3, 150e3, 340e3, 800e3], strict=True))
N, D = np.repeat(list(WEIGHTS.values()), 4), np.tile(AMOUNTS, 5)


def test_a_law_is_found_and_intervals_hold_the_truth_and_not_much_more():
    losses, inside, widths = LESSON["law"](TRUE, N, D), 0, []
    assert LESSON["fit_law"](N, D, losses) == pytest.approx(TRUE, rel=0.02)
    for seed in range(10):
        noise = np.exp(np.random.default_rng(seed).normal(0, 0.004, len(N)))
        laws = LESSON["resampled_laws"](N, D, losses * noise, 40)
        middle, low, high = LESSON["predict"](1.8e6, 4e6, *laws)
        assert low < middle < high
        inside += low < LESSON["law"](TRUE, 1.8e6, 4e6) < high
        widths.append(high / low - 1)
    assert inside >= 8 and np.median(widths) < 0.05


def test_the_largest_width_is_predicted_before_it_is_trained_or_never(monkeypatch):
    found = {}
    for w, n in WEIGHTS.items():
        losses = {f"loss_{d}": LESSON["law"](TRUE, n, d) for d in AMOUNTS[:-1]}
        found |= evidence.named(f"grid_{w}", losses | {"weights": n})
        found |= evidence.named(f"late_{w}", {"loss": LESSON["law"](TRUE, n, 8e6)})
    rows = [dict(name=name, value=v, seed=0, arm="") for name, v in found.items()]
    monkeypatch.setattr(evidence.evidence, "read", lambda path: {"rows": rows})
    weights = LESSON["block_weights"](LESSON["new_gpt"](192))
    expected = LESSON["law"](TRUE, weights, AMOUNTS[-1])
    monkeypatch.setitem(evidence.PLAN, "times", 2)
    assert evidence.prediction(LESSON, 192)["loss"] == pytest.approx(expected, rel=1e-3)
    rows[0]["arm"] = "grid_192"
    late = pytest.raises(ValueError, evidence.prediction, LESSON, 192)
    late.match("grid_192 is measured")


def test_arms_come_after_those_they_read_and_every_byte_is_read_once():
    order = list(evidence.ARMS)
    last = "prediction_192", "grid_192", "late_192", "speed_128", "budget_32"
    chains = [[f"{k}_{w}" for k in ("rate", "grid", "late", "budget")] for w in WEIGHTS]
    chains.append([*(f"late_{w}" for w in WEIGHTS), *last])
    assert all(arms == sorted(arms, key=order.index) for arms in chains)
    inputs, targets = LESSON["cut"](np.arange(14), 4)
    assert inputs.ravel().tolist() == list(range(12))
    assert (targets == inputs + 1).all() and targets.shape == (3, 4)


def test_the_best_rate_has_worse_ones_on_both_sides():
    for best in (-12, -5, -1):
        search = evidence.search(lambda r, best=best: abs(np.log2(r) - best), 1 / 64)
        assert min(search[1]) < search[0] == 2.0**best < max(search[1])


def test_other_reviews_choose_rates_which_large_budgets_take(monkeypatch):
    trained, known = [], {"late_64.best": 4, "speed_128.per_byte_64": 2e-5}  # else: 8
    lesson = LESSON | dict(
        read_reviews=lambda full: (np.arange(8_000_000), np.arange(200_000)),
        new_gpt=lambda *_, **__: type("", (), {"count_params": int, "blocks": ()}),
        train_gpt=lambda model, text, rate, *_: trained.append((len(text), rate)) or 1,
        nats=lambda model, text: trained[-1][1] * (-1 if len(text) == 128_000 else 1),
    )
    monkeypatch.setattr(evidence.lesson_code, "definitions", lambda *_: lesson)
    monkeypatch.setattr(evidence, "earlier", lambda *name: known.get(".".join(name), 8))
    late = evidence.measure("late_64", 0) | evidence.measure("budget_64", 1)
    assert (late["law.late_64.best"], late["law.late_64.loss"]) == (2, -2)
    assert (late["law.budget_64.loss_15"], late["law.budget_64.tuned_15"]) == (-8, -4)
    small = [(750_000, rate) for rate in (8, 4, 16)]
    assert trained == [(8_000_000, r) for r in (4, 2, 16)] + small + [(6_000_000, 4)]

"""Lesson 18's fit finds a law that is known, and its intervals hold the truth."""

import numpy as np
import pytest

from benchmarks import law as evidence
from benchmarks import lesson_code

LESSON = lesson_code.definitions("18", "SIZES", "LENGTH", "AMOUNTS")
TRUE = (0.8, 0.4, 0.35, 0.35, 0.45)
N = np.repeat([25e3, 55e3, 150e3, 340e3, 800e3], 4)
D = np.tile(LESSON["AMOUNTS"], 5)


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


def test_arms_come_after_those_they_read_and_every_byte_is_read_once():
    order, (*five, _) = list(evidence.ARMS), LESSON["SIZES"]
    for width in five:
        places = [order.index(f"{kind}_{width}") for kind in ("rate", "grid", "budget")]
        assert places == sorted(places)
    inputs, targets = LESSON["cut"](np.arange(14), 4)
    assert inputs.ravel().tolist() == list(range(12))
    assert (targets == inputs + 1).all() and targets.shape == (3, 4)

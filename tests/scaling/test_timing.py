"""Times are plausible, and a known allocation is seen."""

import tracemalloc
from functools import partial
from types import SimpleNamespace

import keras
import numpy as np
import pytest

from course_utils import layers as course_layers
from course_utils.scaling import timing as complexity

MEGABYTE = 2**20


@pytest.fixture
def clock(monkeypatch):
    """Stands in for the module ``time``; only the calls under test move it on."""
    clock = SimpleNamespace(elapsed=0.0, processor=0.0)
    clock.perf_counter = lambda: clock.elapsed
    clock.process_time = lambda: clock.processor
    clock.sleep = lambda seconds: setattr(clock, "elapsed", clock.elapsed + seconds)
    monkeypatch.setattr(complexity, "time", clock)
    return clock


def test_functions_are_timed_in_turns_after_a_first_call(clock):
    order = []

    def run(name, cost, x):
        order.append((name, x))
        clock.elapsed += cost * x
        clock.processor += 2 * cost * x

    functions = {n: partial(run, n, cost) for n, cost in (("slow", 4), ("fast", 1))}
    times = complexity.interleaved_seconds(functions, [1, 3, 2])
    assert times["slow"].elapsed.tolist() == [4, 12, 8]
    assert times["fast"].elapsed.tolist() == [1, 3, 2]
    assert times["fast"].processor.tolist() == [2, 6, 4]
    names = ["fast", "slow"]  # both orders, one after the other
    rounds = [(names, 1), (names, 1), (names[::-1], 3), (names, 2)]
    assert order == [(name, x) for turn, x in rounds for name in turn]


@pytest.mark.parametrize("megabytes", [1, 16])
def test_arrays_that_are_given_back_are_counted(megabytes):
    for _ in range(2):
        grown = (
            complexity.numpy_peak_bytes(
                lambda: np.ones(megabytes * MEGABYTE, "uint8").sum()
            )
            / MEGABYTE
        )
        assert megabytes <= grown < megabytes + 0.1
    kept = np.ones(16 * MEGABYTE, dtype="uint8")  # from before the call
    assert complexity.numpy_peak_bytes(lambda: kept.sum()) < MEGABYTE


@pytest.mark.parametrize("peak", ["numpy_peak_bytes", "_sampled_peak"])
def test_an_error_comes_through_and_ends_the_counting(peak):
    with pytest.raises(ZeroDivisionError):
        getattr(complexity, peak)(lambda: 1 / 0)
    assert not tracemalloc.is_tracing()


def test_the_pairs_of_self_attention_are_seen():
    """A float32 for each pair of 1,024 words takes 4 MB; there may be two arrays."""
    if not complexity._allocator_counts():
        pytest.skip("this TensorFlow doesn't count its memory")
    inputs = keras.Input((None, 8))
    layer = course_layers.MultiHeadAttention(8, num_heads=1)
    model = keras.Model(inputs, layer(inputs, inputs))
    x = np.ones((1, 1024, 8), "float32")
    model.predict_on_batch(x)
    grown = complexity.peak_bytes(lambda: model.predict_on_batch(x)) / MEGABYTE
    assert 4 <= grown < 13

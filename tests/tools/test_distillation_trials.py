"""Trials of lesson 16: from the middle of a grid to a better place nearby."""

from benchmarks.distillation import climb


def test_trials_reach_a_peak_two_steps_away_and_are_as_many_as_allowed():
    found = climb(lambda place: -abs(place[0] - 1) - abs(place[1] - 3), (5, 5), 6)
    assert len(found) == 6 and next(iter(found)) == (2, 2)
    assert max(found, key=found.get) == (1, 3)

"""Lesson 16's evidence: the trials' way through a grid, controls, and students."""

import keras
import numpy as np

from benchmarks import distillation, lesson_code

LESSON = lesson_code.definitions("16", "OWN")


def test_trials_reach_a_peak_two_steps_away_and_are_as_many_as_allowed():
    climb = distillation.climb
    found = climb(lambda place: -abs(place[0] - 1) - abs(place[1] - 3), (5, 5), 6)
    assert len(found) == 6 and next(iter(found)) == (2, 2)
    assert max(found, key=found.get) == (1, 3)
    assert [*climb(lambda place: -place[0], (5, 1), 3)] == [(2, 0), (1, 0), (0, 0)]


def test_shuffled_answers_stay_with_their_label_and_their_side():
    rng = np.random.default_rng(0)
    labels, logits = rng.integers(2, size=99), rng.normal(size=99)
    found = LESSON["shuffled"](labels, logits)
    assert not np.array_equal(found, logits)
    for label, side in np.ndindex(2, 2):
        rows = (labels == label) & ((logits > 0) == side)
        assert sorted(found[rows]) == sorted(logits[rows])


def test_a_student_gets_a_hint_beside_its_logit_and_runs_in_litert(tmp_path):
    keras.backend.clear_session()  # names of layers begin again, as in a new process
    table = np.random.default_rng(0).normal(size=(9, 4)).astype("float32")
    plain, ids = LESSON["new_student"]("neighbours", table), np.array([[1, 2, 3]])
    found = LESSON["with_hint"](plain, 3)(ids)
    assert found.shape == (1, 4) and np.allclose(found[:, :1], plain(ids), atol=1e-6)
    plain.export(path := str(tmp_path / "a.tflite"), format="litert", verbose=False)
    np.testing.assert_allclose(LESSON["lite"](path)(ids), plain(ids), atol=1e-5)

"""Lesson 16's evidence: the trials' way through a grid, controls, and students."""

import keras
import numpy as np
import pytest

from benchmarks import distillation, lesson_code

LESSON = lesson_code.definitions("16", "OWN")
IDS = np.array([[1, 2, 3]])


def test_trials_reach_a_peak_two_steps_away_and_are_as_many_as_allowed():
    climb = distillation.climb
    found = climb(lambda place: -abs(place[0] - 1) - abs(place[1] - 3), (5, 5), 6)
    assert len(found) == 6 and next(iter(found)) == (2, 2)
    assert max(found, key=found.get) == (1, 3)
    one_row = climb(lambda place: -place[0], (5, 1), 3)
    assert [*one_row] == [(2, 0), (1, 0), (0, 0)]


def test_shuffled_answers_stay_with_their_label_and_their_side():
    rng = np.random.default_rng(0)
    labels, logits = rng.integers(2, size=99), rng.normal(size=99)
    found = LESSON["shuffled"](labels, logits)
    assert not np.array_equal(found, logits)
    for label, side in np.ndindex(2, 2):
        rows = (labels == label) & ((logits > 0) == side)
        assert sorted(found[rows]) == sorted(logits[rows])


def student():
    keras.backend.clear_session()  # names of layers begin again, as in a new process
    table = np.random.default_rng(0).normal(size=(9, 4)).astype("float32")
    return LESSON["new_student"]("neighbours", table)


def test_the_hint_stands_beside_the_logit():
    plain = student()
    found = keras.ops.convert_to_numpy(LESSON["with_hint"](plain, 3)(IDS))
    assert found.shape == (1, 4)
    np.testing.assert_allclose(found[:, :1], plain(IDS), atol=1e-6)


def test_a_student_runs_in_litert(tmp_path):
    plain, path = student(), str(tmp_path / "student.tflite")
    plain.export(path, format="litert", verbose=False)
    np.testing.assert_allclose(LESSON["lite"](path)(IDS), plain(IDS), atol=1e-5)


def test_logits_of_other_reviews_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(distillation, "MINILM", tmp_path / "logits.npz")
    np.savez(distillation.MINILM, train=np.zeros(3, "float16"))
    assert distillation.minilm_said({"train": [1, 0, 1]})["train"].dtype == "float32"
    with pytest.raises(ValueError, match="doesn't fit the part 'train'"):
        distillation.minilm_said({"train": [1, 0]})

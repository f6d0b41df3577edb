"""Lesson 16's evidence: the trials' way through a grid, controls, and students."""

import keras
import numpy as np

from benchmarks import distillation, lesson_code

LESSON = lesson_code.definitions("16", "OWN")


def test_trials_find_any_top_and_score_a_small_grid_whole():
    climb = distillation.climb
    for top in np.ndindex(5, 5):
        found = climb(lambda p, top=top: -np.hypot(*np.subtract(p, top)), (5, 5), 10)
        assert len(found) == 10 and next(iter(found)) == distillation.middle((5, 5))
        assert max(found, key=found.get) == top
    assert [*climb(lambda place: -place[0], (5, 1), 3)] == [(2, 0), (1, 0), (0, 0)]
    assert len(climb(lambda place: 0, (5, 1), 10)) == 5  # and equal ones: the lower
    assert [*climb(lambda place: 0, (5, 5), 3)] == [(2, 2), (1, 2), (2, 1)]


def test_an_arm_learns_from_stored_answers_of_another_teacher(monkeypatch, tmp_path):
    kept = {part: np.float16([2.5, -1.5]) for part in ("train", "validation", "test")}
    np.savez(tmp_path / "minilm_logits.npz", **kept)
    parts, taught = dict.fromkeys(kept, np.array([1, 0])), []
    lesson = {
        "OWN": {"soft": "temperature"},
        "accuracy": lambda logits, labels: np.mean((logits > 0) == labels),
        "shorten": lambda rows, most: rows,
        "answer": lambda predict, rows: np.array([1.0, 1.0]),  # one of two is right
        "run": lambda learns, kind, material, *rest: (
            taught.append((learns, material["said"]["train"])) or keras.Sequential()
        ),
    }
    material = {
        "said": dict.fromkeys(kept, -kept["test"]),
        "labels": parts,
        "ids": parts,
    }
    monkeypatch.setattr(distillation.evidence, "FOLDER", tmp_path)
    monkeypatch.setattr(lesson_code, "definitions", lambda *_: lesson)
    monkeypatch.setattr(distillation, "stored", lambda *_: material)
    found = distillation.measure("soft_minilm", 0)
    assert found["distillation.soft_minilm.agreement"] == 0.5
    assert found["distillation.soft_minilm.middle_test_accuracy"] == 0.5
    for learns, answers in taught:
        assert learns == "soft" and answers.dtype == "float32"
        np.testing.assert_array_equal(answers, [2.5, -1.5])


def test_a_decision_stands_where_there_is_no_label():
    known, new = np.array([1, 0]), np.array([-1, -1])
    answers = {"train": np.array([-9.0, 9.0]), "unlabelled": np.array([0.3, -7.0])}
    empty = dict.fromkeys(answers, np.zeros((2, 3)))
    labels = {"train": known, "unlabelled": new}
    material = dict(labels=labels, said=answers, vectors=empty)
    read, targets, loss = LESSON["teach"]("decisions", material, 0, epsilon=0.1)
    assert read == ("train", "unlabelled") and loss.temperature == 1
    np.testing.assert_array_equal(targets[:, 0], [1, 0, -1, -1])
    np.testing.assert_allclose(targets[:, 1], np.log(9) * np.array([1, -1, 1, -1]))


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

"""Lesson 19's evidence runs the lesson's code, with the best of the rates tried."""

from benchmarks import modern
from course_utils.datasets import imdb, reviews

SMALL = dict(width=8, num_layers=1, length=8, rows=4, updates=4)
BITS = {"muon_rate1": 2.2, "muon_rate2": 2.1, "muon_rate3": 2.3, "muon_rate4": 2.4}


def test_an_arm_in_a_small_size(monkeypatch, tmp_path):
    few = [f"{text} {n}" for n, text in enumerate(reviews.load("train")[0][:260])]
    monkeypatch.setattr(imdb, "load", lambda part: (few, None))
    monkeypatch.setattr(modern, "stored", lambda name, key, make: make(1))
    monkeypatch.setitem(modern.LESSON, "RECIPE", SMALL)
    monkeypatch.setattr(modern.evidence, "FOLDER", tmp_path)
    for arm, value in BITS.items():
        row = {"name": f"modern.{arm}.validation_bits", "value": value, "seed": 0}
        modern.evidence.keep(tmp_path / "modern.json", "modern", [row | {"arm": arm}])
    found = modern.measure("alibi", 0)
    assert found["modern.alibi.rate"] == modern.TRIALS["muon_rate2"]["rate"]
    assert 3 < found["modern.alibi.bits"] < 9 and found["modern.alibi.whole_4"] > 3
    assert min(modern.update_seconds(("classic", "muon"), 60, SMALL)) > 0

"""Lesson 19's evidence runs the lesson's code, and its other arms take the best rate."""

from benchmarks import modern
from course_utils.datasets import imdb, reviews

SMALL = dict(width=8, num_layers=1, length=8, rows=4, updates=4)


def test_an_arm_in_a_small_size(monkeypatch, tmp_path):
    few = [f"{text} {n}" for n, text in enumerate(reviews.load("train")[0][:260])]
    monkeypatch.setattr(imdb, "load", lambda part: (few, None))
    monkeypatch.setattr(modern, "stored", lambda name, key, make: make(1))
    monkeypatch.setitem(modern.LESSON, "RECIPE", SMALL)
    monkeypatch.setattr(modern.evidence, "FOLDER", tmp_path)
    bits = {"muon_rate1": 2.2, "muon_rate2": 2.1, "muon_rate3": 2.3}
    for arm, value in bits.items():
        row = {"name": f"modern.{arm}.validation_bits", "value": value, "arm": arm}
        modern.evidence.keep(tmp_path / "modern.json", "modern", [row | {"seed": 0}])
    found = modern.measure("alibi", 0)
    assert found["modern.alibi.rate"] == modern.TRIALS["muon_rate2"]["rate"]
    assert found.keys() > {"modern.alibi.bits", "modern.alibi.whole_4"}
    assert found["modern.alibi.updates"] == 4 and 3 < found["modern.alibi.bits"] < 9
    names = ("classic", "muon")
    assert min(modern.update_seconds(names, 60, SMALL)) > 0

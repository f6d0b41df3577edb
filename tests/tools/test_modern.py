"""Lesson 19's evidence runs the lesson's code, with the best of the rates tried."""

from benchmarks import modern
from course_utils.datasets import imdb, reviews

SMALL = dict(width=8, num_layers=1, length=8, rows=4, updates=4)


def test_an_arm_in_a_small_size(monkeypatch, tmp_path):
    few = [f"{text} {n}" for n, text in enumerate(reviews.load("train")[0][:260])]
    monkeypatch.setattr(imdb, "load", lambda part: (few, None))
    monkeypatch.setattr(modern, "stored", lambda name, key, make: make(1))
    monkeypatch.setitem(modern.LESSON, "RECIPE", SMALL)
    monkeypatch.setattr(modern.evidence, "FOLDER", tmp_path)
    for arm, value in {f"muon_rate{n}": abs(n - 2.2) for n in (1, 2, 3, 4)}.items():
        figures = {"validation_bits": value, "rate": modern.TRIALS[arm]["rate"]}
        rows = [{"name": f"a.{k}", "value": v, "seed": 0} for k, v in figures.items()]
        modern.evidence.keep(
            tmp_path / "modern.json", "modern", [r | {"arm": arm} for r in rows]
        )
    best = modern.TRIALS["muon_rate2"]["rate"]
    found = modern.measure("alibi", 0)
    assert (
        found["modern.alibi.rate"]
        == best
        == modern.measure("muon", 0)["modern.muon.rate"]
    )
    assert 3 < found["modern.alibi.bits"] < 9 and found["modern.alibi.whole_4"] > 3
    assert modern.measure("no_norm_rate1", 0)["modern.no_norm_rate1.rate"] == best / 4
    assert min(modern.update_seconds(("classic", "muon"), 60, SMALL)) > 0

"""Lesson 19's evidence runs the lesson's code, with the best of the rates tried."""

from benchmarks import modern
from course_utils.datasets import reviews

SMALL = dict(width=8, num_layers=1, length=8, rows=4, updates=4)
ARMS = {"alibi": (0.2, 4), "no_norm_rate1": (5e-3, 4), "classic_muon_minutes": (0.2, 8)}


def test_an_arm_in_a_small_size(monkeypatch, tmp_path):
    few = [f"{text} {n}" for n, text in enumerate(reviews.load("train")[0][:260])]
    monkeypatch.setattr(modern, "stored", lambda *_: modern.LESSON["prepared"](few, 1))
    monkeypatch.setitem(modern.LESSON, "RECIPE", SMALL)
    rows = []
    for arm in modern.TRIALS:  # the second rate of each is the best one
        found = {"validation_bits": abs(int(arm[-1]) - 2.2), "rate": int(arm[-1]) / 10}
        found |= {"processor_minutes": 2 if "muon" in arm else 1}
        rows += [{"name": k, "value": v, "arm": arm} for k, v in found.items()]
    monkeypatch.setattr(modern.evidence, "read", lambda path: {"rows": rows})
    for arm, expected in ARMS.items():
        found = modern.measure(arm, 0)
        assert expected == (found[f"modern.{arm}.rate"], found[f"modern.{arm}.updates"])
        assert 3 < found[f"modern.{arm}.bits"] < 9
    assert modern.measure("muon", 0)["modern.muon.rate"] == 0.2

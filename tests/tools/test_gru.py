"""Lesson 08's evidence runs the lesson's code and gives what the lesson reads."""

from benchmarks import gru
from course_utils.datasets import phrasebook, spa_eng


def test_an_arm_in_a_small_size(monkeypatch):
    few = spa_eng.Splits(*[part[:60] for part in phrasebook.load()])
    monkeypatch.setattr(spa_eng, "load", lambda: few)
    small = {"pieces": 60, "embed_dim": 4, "units": 6, "updates": 10}
    monkeypatch.setattr(gru, "BASE", gru.BASE | small)
    found = gru.measure("mean", 0)
    assert found.keys() > {"gru.mean.long_bleu", "gru.mean.words_12"}
    assert 3 < found["gru.mean.new_nats"] < 4.6  # ln 60 is 4.1

"""Lesson 13's evidence runs the lesson's code and gives what the lesson reads."""

import types

import pytest

from benchmarks import imdb, language
from course_utils.datasets import character_windows, reviews


@pytest.fixture(autouse=True)
def small(monkeypatch, tmp_path):
    texts = [reviews.load(part)[0] for part in ("validation", "test", "train")]
    few = [part[:size] for part, size in zip(texts, (20, 20, 200), strict=True)]
    monkeypatch.setattr(character_windows, "imdb_parts", lambda: few)
    (tmp_path / "build").mkdir()
    monkeypatch.setattr(imdb, "ROOT", tmp_path)
    monkeypatch.setattr(language, "BASE", dict(length=32, given=8, order=4))
    some, much = dict(characters=1500), dict(characters=10**9)
    arms = {"ngrams_all": much, "ngrams_cut": some | dict(cut=True)}
    arms["gpt_2m"] = some | dict(embed_dim=8, dense_dim=16, num_layers=1)
    arms["lstm_2m"] = some | dict(embed_dim=8, units=8)
    monkeypatch.setattr(language, "ARMS", arms)


@pytest.mark.parametrize("arm", ["gpt_2m", "lstm_2m", "ngrams_all", "ngrams_cut"])
def test_an_arm_in_a_small_size(arm):
    found = language.measure(arm, 0)
    assert 1 < found[f"language.{arm}.bits"] < 6.3
    assert found.keys() > {f"language.{arm}.{n}" for n in ("place_8", "characters")}
    if arm == "ngrams_cut":  # whole windows
        assert found[f"language.{arm}.characters"] == 1500 // 32 * 32
    if arm == "ngrams_all":  # all that there is, and so it is ahead
        assert found[f"language.{arm}.characters"] > 1e4
        assert found[f"language.{arm}.bits"] < 2
        assert found[f"language.{arm}.best_n"] in (3, 4)


def test_only_the_making_of_tables_is_timed(monkeypatch):
    clock, seconds = iter(range(99)), []
    stopped = types.SimpleNamespace(process_time=clock.__next__)
    monkeypatch.setattr(language, "time", stopped)
    for _ in language.timed("ab", seconds):
        assert next(clock) + 1 == next(clock)  # the scoring takes a while
    assert seconds == [1, 1]

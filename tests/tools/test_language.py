"""Lesson 13's evidence runs the lesson's code and gives what the lesson reads."""

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
    small = dict(characters=1500, embed_dim=8)
    sizes = {"gpt_2m": dict(dense_dim=16, num_layers=1), "lstm_2m": dict(units=8)}
    arms = {arm: small | size for arm, size in sizes.items()}
    arms["ngrams_all"] = dict(characters=10**9)
    monkeypatch.setattr(language, "ARMS", arms)


@pytest.mark.parametrize("arm", ["gpt_2m", "lstm_2m", "ngrams_all"])
def test_an_arm_in_a_small_size(arm):
    found = language.measure(arm, 0)
    assert 1 < found[f"language.{arm}.bits"] < 6.3
    assert found.keys() > {f"language.{arm}.{n}" for n in ("place_8", "characters")}
    if arm == "ngrams_all":  # all that there is, and so it is ahead
        assert found[f"language.{arm}.characters"] > 1e4
        assert found[f"language.{arm}.bits"] < 2

"""Evidence of lesson 07: it runs the lesson's own functions, and they are fair."""

import numpy as np

from benchmarks import when
from benchmarks.when import LESSON


def test_a_run_measures_all_models_with_the_setting_of_seed_0(monkeypatch):
    for name, value in ("EVERY", 1), ("MOST", 2), ("WIDTH", 8):
        monkeypatch.setitem(LESSON, name, value)
    monkeypatch.setitem(when.ARMS, "tiny", {"corpus": "senses", "size": 40})
    names = [f"when.tiny.{kind}.setting" for kind in LESSON["SETTINGS"]]
    rows = [{"name": name, "value": 2, "seed": 0} for name in names]
    monkeypatch.setattr(when.evidence, "load", lambda name: rows)
    found = {k.partition("tiny.")[2]: v for k, v in when.measure("tiny", 1).items()}
    assert (found["labels"], found["tested"], found["gru.updates_of_2"]) == (40, 600, 2)
    assert found["averaged.context_untrained"] == 0.5  # always the same vector
    low, high = (found[f"positions.lead_over_gru_{end}"] for end in ("low", "high"))
    assert low <= found["positions.test_accuracy"] - found["gru.test_accuracy"] <= high
    assert {"averaged.lead_over_words_low", "gru.lead_over_pairs_high"} <= {*found}
    assert {len(settings) for settings in LESSON["SETTINGS"].values()} == {3}


def test_sentences_know_their_review_and_long_texts_keep_both_ends():
    texts = ["One two three four five. No! * * _ * - *.", "A b c d e? f g h i j"]
    sentences, review = LESSON["single_sentences"](texts)
    assert sentences == ["One two three four five.", "A b c d e?", "f g h i j"]
    assert review.tolist() == [0, 1, 1]
    assert LESSON["two_ends"]("a b c d e f", 4) == "a b e f"


def test_no_text_of_training_is_tested_and_a_seed_draws_the_same_texts():
    one, again, other = (LESSON["corpus_of"]("order", 40, s) for s in (0, 0, 1))
    assert one.train.texts == again.train.texts != other.train.texts
    assert len(set(one.train.texts)) == len(one.train.ids) == len(one.validation.ids)
    for part, pairs in (one.train, 20), (one.test, 500):  # whole pairs of twins
        assert np.unique(part.review, return_counts=True)[1].tolist() == [2] * pairs
    assert not set(one.train.texts) & {*one.validation.texts, *one.test.texts}
    mixed = LESSON["shuffled"](one.test, one.vectorizer)
    assert [*map(sorted, mixed.ids)] == [*map(sorted, one.test.ids)]


def test_a_lead_is_drawn_review_by_review():
    right, review = np.array([1, 1, 1, 0]), np.array([7, 7, 7, 9])
    draws = LESSON["leads_by_review"](right, np.zeros(4), review)
    assert set(draws.round(6)) == {0, 0.75, 1}
    assert set(LESSON["leads_by_review"](right, np.zeros(4), [3] * 4)) == {0.75}

"""Evidence of lesson 07: it runs the lesson's own functions, and they are fair."""

import numpy as np
import pytest

from benchmarks import lesson_code, when


@pytest.fixture(scope="module")
def lesson():
    return when.lesson_of(0)


def test_the_lesson_reads_the_arms_that_are_measured(lesson):
    assert lesson_code.definitions("07", "SIZES")["SIZES"] == when.SIZES
    tried = {kind: len(settings) for kind, settings in lesson["SETTINGS"].items()}
    assert tried == dict.fromkeys((*lesson["BAGS"], *lesson["NETWORKS"]), 3)


def test_sentences_know_their_review_and_long_texts_keep_both_ends(lesson):
    texts = ["One two three four five. No! * * _ * - *.", "A b c d e? f g h i j"]
    sentences, review = lesson["single_sentences"](texts)
    assert sentences == ["One two three four five.", "A b c d e?", "f g h i j"]
    assert review.tolist() == [0, 1, 1]
    assert lesson["two_ends"]("a b c d e f", 4) == "a b e f"


def test_no_text_of_training_is_tested_and_a_seed_draws_the_same_texts(lesson):
    one, again, other = (lesson["corpus_of"]("order", 40, s) for s in (0, 0, 1))
    assert one.train.texts == again.train.texts != other.train.texts
    assert len(one.train.ids) == len(set(one.train.texts)) == 40
    assert not set(one.train.texts) & {*one.validation.texts, *one.test.texts}
    mixed = lesson["shuffled"](one.test, one.vectorizer)
    assert [*map(sorted, mixed.ids)] == [*map(sorted, one.test.ids)]


def test_a_lead_is_drawn_review_by_review(lesson):
    right, review = np.array([1, 1, 1, 0]), np.array([7, 7, 7, 9])
    draws = lesson["leads_by_review"](right, np.zeros(4), review)
    assert set(draws.round(6)) == {0, 0.75, 1}
    assert set(lesson["leads_by_review"](right, np.zeros(4), [3] * 4)) == {0.75}

"""Diversity: by hand, at the extremes, and bad input."""

import pytest

from course_utils.generation import diversity


def test_distinct_counts_over_all_texts():
    assert diversity.distinct(["a b", "a b"], n=1) == 0.5
    assert diversity.distinct(["a b", "a b"], n=2) == 0.5
    assert diversity.distinct(["a b c", "d e f"], n=2) == 1
    assert diversity.distinct(["a"], n=2) == 0


def test_repeated_counts_within_each_text():
    assert diversity.repeated(["a b c d", "a b c d"]) == 0
    loop = "it is good and " * 10
    assert diversity.repeated([loop]) == pytest.approx(1 - 4 / 37)
    assert diversity.repeated([loop, "a b c d"]) == pytest.approx((1 - 4 / 37) / 2)
    assert diversity.repeated([loop, "too short"]) == pytest.approx(1 - 4 / 37)
    assert diversity.repeated(["too short"]) == 0


def test_self_bleu_of_equal_and_different_texts():
    one, other = "the plot is dull and long", "we saw a very charming film"
    assert diversity.self_bleu([one, one, one]) == 100
    assert diversity.self_bleu([one, other]) < 15
    assert 30 < diversity.self_bleu([one, one, other]) < 80


def test_known_words_ignore_capitals_and_signs():
    known = {"it's", "a", "film"}
    assert diversity.known_words(["It's a FILM!"], known) == 1
    assert diversity.known_words(["It's a flim."], known) == pytest.approx(2 / 3)
    assert diversity.known_words(["7 — ?"], known) == 0

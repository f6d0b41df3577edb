"""Repetition and known words: by hand, at the extremes."""

import pytest

from course_utils.generation import diversity


def test_repeated_counts_within_each_text():
    assert diversity.repeated(["a b c d", "a b c d"]) == 0
    loop = "it is good and " * 10
    assert diversity.repeated([loop]) == pytest.approx(1 - 4 / 37)
    assert diversity.repeated([loop, "a b c d"]) == pytest.approx((1 - 4 / 37) / 2)
    assert diversity.repeated([loop, "too short"]) == pytest.approx(1 - 4 / 37)
    assert diversity.repeated(["too short"]) == 0


def test_known_words_ignores_capitals_and_signs():
    known = {"it's", "a", "film"}
    assert diversity.known_words(["It's a FILM!"], known) == 1
    assert diversity.known_words(["It's a flim."], known) == pytest.approx(2 / 3)
    assert diversity.known_words(["7 — ?"], known) == 0


@pytest.mark.parametrize(
    "texts, said", [("a b c", "texts is one string"), ([], "there are no texts")]
)
def test_texts_that_cannot_be_counted_are_refused(texts, said):
    with pytest.raises(ValueError, match=said):
        diversity.repeated(texts)

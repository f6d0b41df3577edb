"""Pairs are chosen by counts, and joined best first, within one text only."""

import numpy as np
import pytest

from course_utils.text import choose_pairs, join_pairs

A, B, C, D, V = 2, 3, 4, 5, 10
TEXTS = [[A, B, C], [D, A, B], [C, D, 1], [1, 1, D]] * 20


def test_choose_pairs_takes_the_clearest_first():
    pairs = choose_pairs(TEXTS, V, count=9)
    assert pairs[0] == A * V + B
    assert len(choose_pairs(TEXTS, V, count=1)) == 1
    assert len(choose_pairs(TEXTS, V, count=9, least=41)) == 0


def test_choose_pairs_leaves_unknown_words_out():
    pairs = choose_pairs(TEXTS, V, count=9)
    assert set(pairs) <= {A * V + B, B * V + C, D * V + A, C * V + D}


def test_choose_pairs_takes_none_that_chance_explains():
    texts = [[A, B], [B, A], [A, A], [B, B]] * 20
    assert len(choose_pairs(texts, V, count=4, least=1)) == 0


def test_choose_pairs_of_no_texts():
    assert len(choose_pairs([], V, count=4)) == 0


def test_join_pairs_stays_within_a_text_and_prefers_the_better_pair():
    pairs = np.array([A * V + B, B * V + C, C * V + C])
    assert join_pairs([[A, B, C], [B, C]], pairs, V) == [[10, C], [11]]
    assert join_pairs([[A], [B], []], pairs, V) == [[A], [B], []]
    assert join_pairs([[C, C, C]], pairs, V) == [[12, C]]


@pytest.mark.parametrize("texts", [[], [[A, B]], [[A], []]])
def test_join_pairs_without_pairs_changes_nothing(texts):
    pairs = choose_pairs(texts, V, count=3)
    assert join_pairs(texts, pairs, V) == texts

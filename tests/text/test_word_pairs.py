"""Pairs are chosen by counts, and joined best first, within one text only."""

import numpy as np

from course_utils.text import choose_pairs, join_pairs

A, B, C, D, V = 2, 3, 4, 5, 10
TEXTS = [[A, B, C], [D, A, B], [C, D, 1], [1, 1, D]] * 20


def test_the_clearest_pair_comes_first_and_unknown_words_join_none():
    pairs = choose_pairs(TEXTS, V, count=9)
    assert pairs[0] == A * V + B
    assert set(pairs) <= {A * V + B, B * V + C, D * V + A, C * V + D}
    assert len(choose_pairs(TEXTS, V, count=1)) == 1
    assert len(choose_pairs(TEXTS, V, count=9, least=41)) == 0


def test_pairs_are_joined_within_a_text_and_the_better_one_wins():
    pairs = np.array([A * V + B, B * V + C, C * V + C])
    assert join_pairs([[A, B, C], [B, C]], pairs, V) == [[10, C], [11]]
    assert join_pairs([[A], [B], []], pairs, V) == [[A], [B], []]
    assert join_pairs([[C, C, C]], pairs, V) == [[12, C]]

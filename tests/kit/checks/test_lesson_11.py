"""Exercises of lesson 11: right answers are accepted, likely mistakes rejected."""

import numpy as np
import pytest
from exercise_battery import accepts, agrees, rejects

from course_utils.kit.checks import lesson_11 as checks
from course_utils.kit.checks.answers import lesson_11 as answers

# first_merges


def first_merges_no_continuation_sign():
    return "ug", "zq", 20 / (20 * 25)  # wrong


def first_merges_frequent_pair():
    return "##ug", "hu", 20 / (20 * 25)  # wrong


def first_merges_sum_of_counts():
    return "##ug", "zq", 20 / 77  # wrong


def first_merges_other_pair():
    return "##ug", "zq", 15 / (15 * 20)  # wrong


@pytest.mark.parametrize(
    "wrong, says",
    [
        (first_merges_no_continuation_sign, "with ## where it belongs"),
        (first_merges_frequent_pair, ""),
        (first_merges_sum_of_counts, ""),
        (first_merges_other_pair, ""),
    ],
)
def test_first_merges_rejects(wrong, says):
    rejects(checks.first_merges, wrong, says)


def test_first_merges_accepts():
    accepts(checks.first_merges, answers.first_merges)


@pytest.mark.parametrize(
    "arguments, value",
    [((), ("##ug", "zq", 0.04))],
)
def test_first_merges_by_hand(arguments, value):
    agrees(answers.first_merges, arguments, value)


# whole_words


def whole_words_pieces_after_only(pieces, chosen):
    word_of = np.cumsum([not piece.startswith("##") for piece in pieces])
    words = {word_of[place] for place in chosen}
    # wrong:
    return [
        place
        for place, word in enumerate(word_of)
        if any(word == word_of[c] and place >= c for c in chosen)
    ]


def whole_words_neighbours_only(pieces, chosen):
    word_of = np.cumsum([not piece.startswith("##") for piece in pieces])
    words = {word_of[place] for place in chosen}
    # wrong:
    return [
        place
        for place, word in enumerate(word_of)
        if any(word == word_of[c] and abs(place - c) < 2 for c in chosen)
    ]


def whole_words_nothing_added(pieces, chosen):
    word_of = np.cumsum([not piece.startswith("##") for piece in pieces])
    words = {word_of[place] for place in chosen}
    return sorted(chosen)  # wrong


def whole_words_repeated_positions(pieces, chosen):
    word_of = np.cumsum([not piece.startswith("##") for piece in pieces])
    words = {word_of[place] for place in chosen}
    # wrong:
    return [
        place
        for c in chosen
        for place, word in enumerate(word_of)
        if word == word_of[c]
    ]


def whole_words_by_chosen_order(pieces, chosen):
    word_of = np.cumsum([not piece.startswith("##") for piece in pieces])
    words = {word_of[place] for place in chosen}
    # wrong:
    return [
        place
        for c in dict.fromkeys(word_of[c] for c in chosen)
        for place, word in enumerate(word_of)
        if word == c
    ]


def whole_words_unsorted(pieces, chosen):
    word_of = np.cumsum([not piece.startswith("##") for piece in pieces])
    words = {word_of[place] for place in chosen}
    return list({place for place, word in enumerate(word_of) if word in words})  # wrong


def whole_words_single_sign(pieces, chosen):
    word_of = np.cumsum([not piece.startswith("#") for piece in pieces])  # wrong
    words = {word_of[place] for place in chosen}
    return [place for place, word in enumerate(word_of) if word in words]


@pytest.mark.parametrize(
    "wrong, says",
    [
        (whole_words_pieces_after_only, "before a chosen"),
        (whole_words_neighbours_only, ""),
        (whole_words_nothing_added, ""),
        (whole_words_repeated_positions, "each position once"),
        (whole_words_by_chosen_order, ""),
        (whole_words_unsorted, ""),
        (whole_words_single_sign, ""),
    ],
)
def test_whole_words_rejects(wrong, says):
    rejects(checks.whole_words, wrong, says)


def test_whole_words_accepts():
    accepts(checks.whole_words, answers.whole_words)


@pytest.mark.parametrize(
    "arguments, value",
    [
        (
            (
                ["the", "#", "1"],
                [1],
            ),
            [1],
        ),
        (
            (
                ["[CLS]", "un", "##watch", "##able", "films", "[SEP]"],
                [4],
            ),
            [4],
        ),
        (
            (
                ["[CLS]", "un", "##watch", "##able", "films", "[SEP]"],
                [3],
            ),
            [1, 2, 3],
        ),
        (
            (
                ["[CLS]", "un", "##watch", "##able", "films", "[SEP]"],
                [4, 1],
            ),
            [1, 2, 3, 4],
        ),
        (
            (
                ["[CLS]", "un", "##watch", "##able", "films", "[SEP]"],
                [4, 1, 2],
            ),
            [1, 2, 3, 4],
        ),
        (
            (
                ["[CLS]", "un", "##watch", "##able", "films", "[SEP]"],
                [],
            ),
            [],
        ),
    ],
)
def test_whole_words_by_hand(arguments, value):
    agrees(answers.whole_words, arguments, value)


# around


def around_negative_start(ids, position, reach):
    left = list(ids[position - reach : position])  # wrong
    right = list(ids[position + 1 : position + 1 + reach])
    return [2, *left, 4, *right, 3], len(left) + 1


def around_gap_at_reach(ids, position, reach):
    left = list(ids[max(0, position - reach) : position])
    right = list(ids[position + 1 : position + 1 + reach])
    return [2, *left, 4, *right, 3], reach + 1  # wrong


def around_right_side_short(ids, position, reach):
    left = list(ids[max(0, position - reach) : position])
    right = list(ids[position + 1 : position + reach])  # wrong
    return [2, *left, 4, *right, 3], len(left) + 1


def around_token_shown(ids, position, reach):
    left = list(ids[max(0, position - reach) : position])
    right = list(ids[position + 1 : position + 1 + reach])
    return [2, *left, ids[position], *right, 3], len(left) + 1  # wrong


def around_gap_one_early(ids, position, reach):
    left = list(ids[max(0, position - reach) : position])
    right = list(ids[position + 1 : position + 1 + reach])
    return [2, *left, 4, *right, 3], len(left)  # wrong


@pytest.mark.parametrize(
    "wrong, says",
    [
        (around_negative_start, "an index below 0"),
        (around_gap_at_reach, "beginning"),
        (around_right_side_short, "how many pieces"),
        (around_token_shown, "how many pieces"),
        (around_gap_one_early, ""),
    ],
)
def test_around_rejects(wrong, says):
    rejects(checks.around, wrong, says)


def test_around_accepts():
    accepts(checks.around, answers.around)


@pytest.mark.parametrize(
    "arguments, value",
    [
        (
            (
                [7, 8, 9, 10, 11],
                2,
                1,
            ),
            ([2, 8, 4, 10, 3], 2),
        ),
        (
            (
                [7, 8, 9, 10, 11],
                0,
                2,
            ),
            ([2, 4, 8, 9, 3], 1),
        ),
        (
            (
                [7, 8, 9, 10, 11],
                1,
                9,
            ),
            ([2, 7, 4, 9, 10, 11, 3], 2),
        ),
    ],
)
def test_around_by_hand(arguments, value):
    agrees(answers.around, arguments, value)


class Draws:
    """A generator whose draws are known: the positions, then what becomes of each."""

    def __init__(self, positions, *draws):
        self.positions, self.draws = positions, list(draws)

    def choice(self, open_positions, count, replace):
        assert not replace and count == len(self.positions)
        return np.array(self.positions)

    def random(self):
        return self.draws.pop(0)

    def integers(self, low, high):
        return low + 1


TEXT = [2, *range(21, 35), 3, 0]  # 14 tokens: 2 are chosen

HIDDEN = [2, 4, 6, *range(23, 35), 3, 0]

SHORT, PADDED = [2, *range(21, 32), 3], [2, *range(21, 30), 3, 0, 0, 0]


# mended_masking


def mended_masking_labels_after_masking(ids, vocab_size, rng):
    open_positions = [i for i, token in enumerate(ids) if token not in (0, 2, 3)]
    count = max(1, round(0.15 * len(open_positions)))
    chosen = sorted(rng.choice(open_positions, count, replace=False).tolist())
    hidden = ids  # wrong
    for position in chosen:
        draw = rng.random()
        if draw < 0.8:
            hidden[position] = 4
        elif draw < 0.9:
            hidden[position] = int(rng.integers(5, vocab_size))
    return hidden, chosen, [ids[position] for position in chosen]


def mended_masking_separator_chosen(ids, vocab_size, rng):
    open_positions = [i for i, token in enumerate(ids) if token not in (0, 2)]  # wrong
    count = max(1, round(0.15 * len(open_positions)))
    chosen = sorted(rng.choice(open_positions, count, replace=False).tolist())
    hidden = list(ids)
    for position in chosen:
        draw = rng.random()
        if draw < 0.8:
            hidden[position] = 4
        elif draw < 0.9:
            hidden[position] = int(rng.integers(5, vocab_size))
    return hidden, chosen, [ids[position] for position in chosen]


def mended_masking_always_replaced(ids, vocab_size, rng):
    open_positions = [i for i, token in enumerate(ids) if token not in (0, 2, 3)]
    count = max(1, round(0.15 * len(open_positions)))
    chosen = sorted(rng.choice(open_positions, count, replace=False).tolist())
    hidden = list(ids)
    for position in chosen:
        draw = rng.random()
        if draw < 0.8:
            hidden[position] = 4
        elif draw < 1.0:  # wrong
            hidden[position] = int(rng.integers(5, vocab_size))
    return hidden, chosen, [ids[position] for position in chosen]


def mended_masking_always_masked(ids, vocab_size, rng):
    open_positions = [i for i, token in enumerate(ids) if token not in (0, 2, 3)]
    count = max(1, round(0.15 * len(open_positions)))
    chosen = sorted(rng.choice(open_positions, count, replace=False).tolist())
    hidden = list(ids)
    for position in chosen:
        draw = rng.random()
        if draw < 1.0:  # wrong
            hidden[position] = 4
        elif draw < 0.9:
            hidden[position] = int(rng.integers(5, vocab_size))
    return hidden, chosen, [ids[position] for position in chosen]


def mended_masking_labels_of_hidden(ids, vocab_size, rng):
    open_positions = [i for i, token in enumerate(ids) if token not in (0, 2, 3)]
    count = max(1, round(0.15 * len(open_positions)))
    chosen = sorted(rng.choice(open_positions, count, replace=False).tolist())
    hidden = list(ids)
    for position in chosen:
        draw = rng.random()
        if draw < 0.8:
            hidden[position] = 4
        elif draw < 0.9:
            hidden[position] = int(rng.integers(5, vocab_size))
    return hidden, chosen, [hidden[position] for position in chosen]  # wrong


def mended_masking_changes_text(ids, vocab_size, rng):
    open_positions = [i for i, token in enumerate(ids) if token not in (0, 2, 3)]
    count = max(1, round(0.15 * len(open_positions)))
    chosen = sorted(rng.choice(open_positions, count, replace=False).tolist())
    hidden, ids = ids, list(ids)  # wrong
    for position in chosen:
        draw = rng.random()
        if draw < 0.8:
            hidden[position] = 4
        elif draw < 0.9:
            hidden[position] = int(rng.integers(5, vocab_size))
    return hidden, chosen, [ids[position] for position in chosen]


def mended_masking_may_choose_none(ids, vocab_size, rng):
    open_positions = [i for i, token in enumerate(ids) if token not in (0, 2, 3)]
    count = round(0.15 * len(open_positions))  # wrong
    chosen = sorted(rng.choice(open_positions, count, replace=False).tolist())
    hidden = list(ids)
    for position in chosen:
        draw = rng.random()
        if draw < 0.8:
            hidden[position] = 4
        elif draw < 0.9:
            hidden[position] = int(rng.integers(5, vocab_size))
    return hidden, chosen, [ids[position] for position in chosen]


def mended_masking_rounds_down(ids, vocab_size, rng):
    open_positions = [i for i, token in enumerate(ids) if token not in (0, 2, 3)]
    count = max(1, int(0.15 * len(open_positions)))  # wrong
    chosen = sorted(rng.choice(open_positions, count, replace=False).tolist())
    hidden = list(ids)
    for position in chosen:
        draw = rng.random()
        if draw < 0.8:
            hidden[position] = 4
        elif draw < 0.9:
            hidden[position] = int(rng.integers(5, vocab_size))
    return hidden, chosen, [ids[position] for position in chosen]


def mended_masking_by_position(ids, vocab_size, rng):
    open_positions = list(range(1, len(ids) - 2))  # wrong
    count = max(1, round(0.15 * len(open_positions)))
    chosen = sorted(rng.choice(open_positions, count, replace=False).tolist())
    hidden = list(ids)
    for position in chosen:
        draw = rng.random()
        if draw < 0.8:
            hidden[position] = 4
        elif draw < 0.9:
            hidden[position] = int(rng.integers(5, vocab_size))
    return hidden, chosen, [ids[position] for position in chosen]


@pytest.mark.parametrize(
    "wrong, says",
    [
        (mended_masking_labels_after_masking, "the labels"),
        (mended_masking_separator_chosen, "what may be chosen"),
        (mended_masking_always_replaced, ""),
        (mended_masking_always_masked, ""),
        (mended_masking_labels_of_hidden, ""),
        (mended_masking_changes_text, ""),
        (mended_masking_may_choose_none, ""),
        (mended_masking_rounds_down, ""),
        (mended_masking_by_position, ""),
    ],
)
def test_mended_masking_rejects(wrong, says):
    rejects(checks.mended_masking, wrong, says)


def test_mended_masking_accepts():
    accepts(checks.mended_masking, answers.mended_masking)


@pytest.mark.parametrize(
    "arguments, value",
    [
        ((TEXT, 50, Draws([2, 1], 0.1, 0.85)), (HIDDEN, [1, 2], [21, 22])),
        ((TEXT, 50, Draws([1, 2], 0.95, 0.99)), (TEXT, [1, 2], [21, 22])),
        (([2, 7, 8, 3], 50, Draws([1], 0.79)), ([2, 4, 8, 3], [1], [7])),
        (
            (SHORT, 50, Draws([1, 2], 0.1, 0.1)),
            ([2, 4, 4, *SHORT[3:]], [1, 2], [21, 22]),
        ),
        ((PADDED, 50, Draws([1], 0.1)), ([2, 4, *PADDED[2:]], [1], [21])),
    ],
)
def test_mended_masking_by_hand(arguments, value):
    agrees(answers.mended_masking, arguments, value)

"""The checks of lesson 14 accept right answers and reject plausible wrong ones."""

import numpy as np
import pytest
from exercise_battery import tells_right_from_wrong

from course_utils.checks import lesson_14 as checks


def right_cut(word, vocabulary):
    pieces, start = [], 0
    while start < len(word):
        for stop in range(len(word), start, -1):
            piece = "##" * (start > 0) + word[start:stop]
            if piece in vocabulary:
                break
        else:
            return ["[UNK]"]
        pieces.append(piece)
        start = stop
    return pieces


def cut_without_signs(word, vocabulary):
    return [piece.removeprefix("##") for piece in right_cut(word, vocabulary)]


def shortest_first(word, vocabulary):
    pieces, start = [], 0
    while start < len(word):
        for stop in range(start + 1, len(word) + 1):
            piece = "##" * (start > 0) + word[start:stop]
            if piece in vocabulary:
                break
        else:
            return ["[UNK]"]
        pieces.append(piece)
        start = stop
    return pieces


def unknown_rest(word, vocabulary):
    for stop in range(len(word), 0, -1):
        if word[:stop] in vocabulary:
            if stop == len(word):
                return [word]
            rest = "##" + word[stop:]
            return [word[:stop], rest if rest in vocabulary else "[UNK]"]
    return ["[UNK]"]


def log_probs_of(logits):
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def right_loss(logits, labels):
    used = labels > 0
    return -log_probs_of(logits)[used, labels[used]].mean()


def loss_everywhere(logits, labels):
    return -log_probs_of(logits)[np.arange(len(labels)), labels].mean()


def sum_over_used_mean_over_all(logits, labels):
    return right_loss(logits, labels) * np.mean(labels > 0)


def summed_loss(logits, labels):
    return right_loss(logits, labels) * np.sum(labels > 0)


def overflowing_loss(logits, labels):
    with np.errstate(all="ignore"):
        shares = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
        used = labels > 0
        return -np.log(shares[used, labels[used]]).mean()


def loss_in_bits(logits, labels):
    return right_loss(logits, labels) / np.log(2)


def right_words(pieces, chosen):
    words = np.cumsum([not piece.startswith("##") for piece in pieces])
    kept = {words[place] for place in chosen}
    return [place for place, word in enumerate(words) if word in kept]


def only_forwards(pieces, chosen):
    places = set(chosen)
    for place in chosen:
        while place + 1 < len(pieces) and pieces[place + 1].startswith("##"):
            place += 1
            places.add(place)
    return sorted(places)


def only_neighbours(pieces, chosen):
    places = set(chosen)
    for place in chosen:
        if pieces[place].startswith("##"):
            places.add(place - 1)
        if place + 1 < len(pieces) and pieces[place + 1].startswith("##"):
            places.add(place + 1)
    return sorted(places)


def with_repeats(pieces, chosen):
    return sorted(p for place in chosen for p in right_words(pieces, [place]))


ANSWERS = {
    checks.cut_word: (
        right_cut,
        [
            cut_without_signs,
            shortest_first,
            unknown_rest,
            lambda word, vocabulary: [word] if word in vocabulary else ["[UNK]"],
        ],
    ),
    checks.masked_loss: (
        right_loss,
        [
            loss_everywhere,
            sum_over_used_mean_over_all,
            summed_loss,
            overflowing_loss,
            loss_in_bits,
        ],
    ),
    checks.whole_words: (
        right_words,
        [
            only_forwards,
            only_neighbours,
            with_repeats,
            lambda pieces, chosen: chosen,
        ],
    ),
}


@pytest.mark.parametrize("check", ANSWERS, ids=lambda check: check.__name__)
def test_check_tells_right_from_wrong(check):
    tells_right_from_wrong(check, *ANSWERS[check])


@pytest.mark.parametrize(
    "check, number, hint",
    [
        (checks.cut_word, 0, "begin with ##"),
        (checks.cut_word, 1, "longest match"),
        (checks.cut_word, 2, "all of the word"),
        (checks.masked_loss, 0, "label 0"),
        (checks.masked_loss, 3, "overflow"),
        (checks.masked_loss, 4, "natural logarithm"),
        (checks.whole_words, 0, "before a chosen"),
        (checks.whole_words, 2, "each place once"),
    ],
)
def test_a_hint_fits_its_mistake(check, number, hint):
    mistake = ANSWERS[check][1][number]
    assert hint in check(mistake).partition("; look at ")[2]

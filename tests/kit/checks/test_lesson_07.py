"""Exercises of lesson 07: right answers are accepted, likely mistakes rejected."""

import re
from collections import Counter

import numpy as np
import pytest
from exercise_battery import accepts, agrees, rejects

from course_utils.kit.checks import lesson_07 as checks
from course_utils.kit.checks.answers import lesson_07 as answers
from course_utils.kit.checks.answers.lesson_07 import blanked, runs_of

# tokens_needed


def tokens_needed_no_smallest_length(r, b):
    least = np.ceil(r / (1 - np.log(b / 100)))
    return int(least)  # wrong


def tokens_needed_rounds_down(r, b):
    least = 1 + np.floor(r / (1 - np.log(b / 100)))  # wrong
    return max(4, int(least))


@pytest.mark.parametrize(
    "wrong, says",
    [
        (tokens_needed_no_smallest_length, "runs of four"),
        (tokens_needed_rounds_down, "a whole number"),
    ],
)
def test_tokens_needed_rejects(wrong, says):
    rejects(checks.tokens_needed, wrong, says)


def test_tokens_needed_accepts():
    accepts(checks.tokens_needed, answers.tokens_needed)


# 12 / (1 + 0.693) is 7.09, and 6 / (1 + 1.204) only 2.7: a run of four needs four.
@pytest.mark.parametrize(
    "arguments, value",
    [
        (
            (
                12,
                50,
            ),
            8,
        ),
        (
            (
                10,
                100,
            ),
            10,
        ),
        (
            (
                6,
                30,
            ),
            4,
        ),
    ],
)
def test_tokens_needed_by_hand(arguments, value):
    agrees(answers.tokens_needed, arguments, value)


# chrf


def chrf_weighs_alike(text, reference):
    text, reference = text.replace(" ", ""), reference.replace(" ", "")
    precisions, recalls = [], []
    for n in range(1, 7):
        own, theirs = runs_of(text, n), runs_of(reference, n)
        if own and theirs:
            right = (own & theirs).total()
            precisions.append(right / own.total())
            recalls.append(right / theirs.total())
    p, r = np.mean(precisions), np.mean(recalls)
    return 100 * 2 * p * r / (p + r) if p + r else 0.0  # wrong


def chrf_keeps_spaces(text, reference):
    text, reference = text, reference.replace(" ", "")  # wrong
    precisions, recalls = [], []
    for n in range(1, 7):
        own, theirs = runs_of(text, n), runs_of(reference, n)
        if own and theirs:
            right = (own & theirs).total()
            precisions.append(right / own.total())
            recalls.append(right / theirs.total())
    p, r = np.mean(precisions), np.mean(recalls)
    return 100 * 5 * p * r / (4 * p + r) if p + r else 0.0


def chrf_drops_signs(text, reference):
    # wrong:
    text, reference = (
        "".join(re.findall(r"\w", text)),
        "".join(re.findall(r"\w", reference)),
    )
    precisions, recalls = [], []
    for n in range(1, 7):
        own, theirs = runs_of(text, n), runs_of(reference, n)
        if own and theirs:
            right = (own & theirs).total()
            precisions.append(right / own.total())
            recalls.append(right / theirs.total())
    p, r = np.mean(precisions), np.mean(recalls)
    return 100 * 5 * p * r / (4 * p + r) if p + r else 0.0


def chrf_fails_without_room_for_own(text, reference):
    text, reference = text.replace(" ", ""), reference.replace(" ", "")
    precisions, recalls = [], []
    for n in range(1, 7):
        own, theirs = runs_of(text, n), runs_of(reference, n)
        if own:  # wrong
            right = (own & theirs).total()
            precisions.append(right / own.total())
            recalls.append(right / theirs.total())
    p, r = np.mean(precisions), np.mean(recalls)
    return 100 * 5 * p * r / (4 * p + r) if p + r else 0.0


def chrf_four_letters(text, reference):
    text, reference = text.replace(" ", ""), reference.replace(" ", "")
    precisions, recalls = [], []
    for n in range(1, 5):  # wrong
        own, theirs = runs_of(text, n), runs_of(reference, n)
        if own and theirs:
            right = (own & theirs).total()
            precisions.append(right / own.total())
            recalls.append(right / theirs.total())
    p, r = np.mean(precisions), np.mean(recalls)
    return 100 * 5 * p * r / (4 * p + r) if p + r else 0.0


def chrf_divides_by_zero(text, reference):
    text, reference = text.replace(" ", ""), reference.replace(" ", "")
    precisions, recalls = [], []
    for n in range(1, 7):
        own, theirs = runs_of(text, n), runs_of(reference, n)
        if own and theirs:
            right = (own & theirs).total()
            precisions.append(right / own.total())
            recalls.append(right / theirs.total())
    p, r = np.mean(precisions), np.mean(recalls)
    return 100 * 5 * p * r / (4 * p + r)  # wrong


@pytest.mark.parametrize(
    "wrong, says",
    [
        (chrf_weighs_alike, "precision and recall"),
        (chrf_keeps_spaces, "spaces"),
        (chrf_drops_signs, "signs"),
        (chrf_fails_without_room_for_own, "room for"),
        (chrf_four_letters, "one to six"),
        (chrf_divides_by_zero, "nothing in common"),
    ],
)
def test_chrf_rejects(wrong, says):
    rejects(checks.chrf, wrong, says)


def test_chrf_accepts():
    accepts(checks.chrf, answers.chrf)


# sal, sol: 2/3, 0, 0. casas, casa: precisions 4/5, 3/4, 2/3, 1/2; all recalls are 1.
@pytest.mark.parametrize(
    "arguments, value",
    [
        (
            (
                "sal",
                "sol",
            ),
            22.222222,
        ),
        (
            (
                "casas",
                "casa",
            ),
            91.367713,
        ),
        (
            (
                "uno",
                "sal",
            ),
            0,
        ),
        (
            (
                "a b",
                "ab",
            ),
            100,
        ),
        (
            (
                "a!",
                "a",
            ),
            83.333333,
        ),
        (
            (
                "casa azul",
                "casa azul",
            ),
            100,
        ),
    ],
)
def test_chrf_by_hand(arguments, value):
    agrees(answers.chrf, arguments, value)


# honest_counts


def honest_counts_adds_references(tokens, others):
    right, written = [], []
    for n in (1, 2, 3, 4):
        own, allowed = runs_of(tokens, n), Counter()
        for other in others:
            allowed += runs_of(other, n)  # wrong
        right.append((own & allowed).total())
        written.append(own.total())
    nearest = min(map(len, others), key=lambda r: (abs(r - len(tokens)), r))
    return np.array([*right, *written, len(tokens), nearest])


def honest_counts_no_clipping(tokens, others):
    right, written = [], []
    for n in (1, 2, 3, 4):
        own, allowed = runs_of(tokens, n), Counter()
        for other in others:
            allowed |= runs_of(other, n)
        right.append(own.total())  # wrong
        written.append(own.total())
    nearest = min(map(len, others), key=lambda r: (abs(r - len(tokens)), r))
    return np.array([*right, *written, len(tokens), nearest])


def honest_counts_counts_kinds(tokens, others):
    right, written = [], []
    for n in (1, 2, 3, 4):
        own, allowed = runs_of(tokens, n), Counter()
        for other in others:
            allowed |= runs_of(other, n)
        right.append(len(own & allowed))  # wrong
        written.append(own.total())
    nearest = min(map(len, others), key=lambda r: (abs(r - len(tokens)), r))
    return np.array([*right, *written, len(tokens), nearest])


def honest_counts_best_reference_only(tokens, others):
    right, written = [], []
    for n in (1, 2, 3, 4):
        own, allowed = runs_of(tokens, n), Counter()
        for other in others:
            # wrong:
            allowed = max(
                allowed, runs_of(other, n), key=lambda one: (own & one).total()
            )
        right.append((own & allowed).total())
        written.append(own.total())
    nearest = min(map(len, others), key=lambda r: (abs(r - len(tokens)), r))
    return np.array([*right, *written, len(tokens), nearest])


def honest_counts_longer_reference(tokens, others):
    right, written = [], []
    for n in (1, 2, 3, 4):
        own, allowed = runs_of(tokens, n), Counter()
        for other in others:
            allowed |= runs_of(other, n)
        right.append((own & allowed).total())
        written.append(own.total())
    nearest = min(map(len, others), key=lambda r: (abs(r - len(tokens)), -r))  # wrong
    return np.array([*right, *written, len(tokens), nearest])


def honest_counts_no_nearest(tokens, others):
    right, written = [], []
    for n in (1, 2, 3, 4):
        own, allowed = runs_of(tokens, n), Counter()
        for other in others:
            allowed |= runs_of(other, n)
        right.append((own & allowed).total())
        written.append(own.total())
    nearest = min(map(len, others), default=0)  # wrong
    return np.array([*right, *written, len(tokens), nearest])


def honest_counts_first_of_equally_near(tokens, others):
    right, written = [], []
    for n in (1, 2, 3, 4):
        own, allowed = runs_of(tokens, n), Counter()
        for other in others:
            allowed |= runs_of(other, n)
        right.append((own & allowed).total())
        written.append(own.total())
    nearest = min(map(len, others), key=lambda r: abs(r - len(tokens)))  # wrong
    return np.array([*right, *written, len(tokens), nearest])


@pytest.mark.parametrize(
    "wrong, says",
    [
        (honest_counts_adds_references, "several references"),
        (honest_counts_no_clipping, "clipping"),
        (honest_counts_counts_kinds, "several references"),
        (honest_counts_best_reference_only, "several references"),
        (honest_counts_longer_reference, "the shorter"),
        (honest_counts_no_nearest, "nearest"),
        (honest_counts_first_of_equally_near, "the shorter"),
    ],
)
def test_honest_counts_rejects(wrong, says):
    rejects(checks.honest_counts, wrong, says)


def test_honest_counts_accepts():
    accepts(checks.honest_counts, answers.honest_counts)


@pytest.mark.parametrize(
    "arguments, value",
    [
        (
            (
                ["a", "b", "a"],
                [["a"], ["a", "b", "c", "c"]],
            ),
            [2, 1, 0, 0, 3, 2, 1, 0, 3, 4],
        ),
        (
            (
                ["a", "a", "b"],
                [["a", "a", "c"], ["b", "d"]],
            ),
            [3, 1, 0, 0, 3, 2, 1, 0, 3, 3],
        ),
        (
            (
                ["a", "a"],
                [["b", "c", "d"], ["b"]],
            ),
            [0, 0, 0, 0, 2, 1, 0, 0, 2, 1],
        ),
    ],
)
def test_honest_counts_by_hand(arguments, value):
    agrees(answers.honest_counts, arguments, value)


# near_copies


def near_copies_forgets_place(tests, training):
    def blanked(text):
        words = re.findall(r"\w+", text.lower())
        return {(*words[:i], *words[i + 1 :]) for i in range(len(words))}  # wrong

    keys = set().union(*map(blanked, training))
    return np.array([not keys.isdisjoint(blanked(text)) for text in tests])


def near_copies_drops_every_such_word(tests, training):
    def blanked(text):
        words = re.findall(r"\w+", text.lower())
        # wrong:
        return {(i, *[w for w in words if w != words[i]]) for i in range(len(words))}

    keys = set().union(*map(blanked, training))
    return np.array([not keys.isdisjoint(blanked(text)) for text in tests])


def near_copies_joins_words(tests, training):
    def blanked(text):
        words = re.findall(r"\w+", text.lower())
        # wrong:
        return {(i, "".join(words[:i] + words[i + 1 :])) for i in range(len(words))}

    keys = set().union(*map(blanked, training))
    return np.array([not keys.isdisjoint(blanked(text)) for text in tests])


def near_copies_pairs_texts_in_order(tests, training):
    keys = set().union(*map(blanked, training))
    # wrong:
    return np.array(
        [not blanked(a).isdisjoint(blanked(b)) for a, b in zip(tests, training)]
    )


def near_copies_ascii_words(tests, training):
    def blanked(text):
        words = re.findall(r"[a-z]+", text.lower())  # wrong
        return {(i, *words[:i], *words[i + 1 :]) for i in range(len(words))}

    keys = set().union(*map(blanked, training))
    return np.array([not keys.isdisjoint(blanked(text)) for text in tests])


def near_copies_keeps_case(tests, training):
    def blanked(text):
        words = re.findall(r"\w+", text)  # wrong
        return {(i, *words[:i], *words[i + 1 :]) for i in range(len(words))}

    keys = set().union(*map(blanked, training))
    return np.array([not keys.isdisjoint(blanked(text)) for text in tests])


def near_copies_splits_at_spaces(tests, training):
    def blanked(text):
        words = text.lower().split()  # wrong
        return {(i, *words[:i], *words[i + 1 :]) for i in range(len(words))}

    keys = set().union(*map(blanked, training))
    return np.array([not keys.isdisjoint(blanked(text)) for text in tests])


def near_copies_skips_a_word(tests, training):
    def blanked(text):
        words = re.findall(r"\w+", text.lower())
        return {(i, *words[:i], *words[i + 2 :]) for i in range(len(words))}  # wrong

    keys = set().union(*map(blanked, training))
    return np.array([not keys.isdisjoint(blanked(text)) for text in tests])


@pytest.mark.parametrize(
    "wrong, says",
    [
        (near_copies_forgets_place, "the place"),
        (near_copies_drops_every_such_word, "stands twice"),
        (near_copies_joins_words, "two words"),
        (near_copies_pairs_texts_in_order, "all of training"),
        (near_copies_ascii_words, "as `plain`"),
        (near_copies_keeps_case, "capitals"),
        (near_copies_splits_at_spaces, "capitals"),
        (near_copies_skips_a_word, ""),
    ],
)
def test_near_copies_rejects(wrong, says):
    rejects(checks.near_copies, wrong, says)


def test_near_copies_accepts():
    accepts(checks.near_copies, answers.near_copies)


@pytest.mark.parametrize(
    "arguments, value",
    [
        (
            (
                ["I see him!", "We go."],
                ["i see HER", "We all go."],
            ),
            [1, 0],
        ),
        (
            (
                ["We sing now."],
                ["Now we sing."],
            ),
            [0],
        ),
        (
            (
                ["We left.", "I see him."],
                ["Come here!", "She sang.", "I see her."],
            ),
            [0, 1],
        ),
        (
            (
                ["The cat that I know saw the dog."],
                ["The cat that I know saw a dog."],
            ),
            [1],
        ),
        (
            (
                ["No where to go."],
                ["Now here to go."],
            ),
            [0],
        ),
        (
            (
                ["We have 10."],
                ["We left."],
            ),
            [0],
        ),
    ],
)
def test_near_copies_by_hand(arguments, value):
    agrees(answers.near_copies, arguments, value)

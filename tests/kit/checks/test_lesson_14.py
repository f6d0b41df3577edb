"""Exercises of lesson 14: right answers are accepted, likely mistakes rejected."""

import difflib

import numpy as np
import pytest
from exercise_battery import accepts, agrees, rejects
from numpy import array

from course_utils.kit.checks import lesson_14 as checks
from course_utils.kit.checks.answers import lesson_14 as answers
from course_utils.kit.checks.answers.lesson_14 import common

# calibrated_by_hand


def calibrated_by_hand_three_above_threshold():
    return 3 / 4, 3 / 4, 4 / 4  # wrong


def calibrated_by_hand_median_misses_one():
    return 3 / 4, 2 / 4, 3 / 4  # wrong


@pytest.mark.parametrize(
    "wrong, says",
    [
        (calibrated_by_hand_three_above_threshold, "above 2.5"),
        (calibrated_by_hand_median_misses_one, ""),
    ],
)
def test_calibrated_by_hand_rejects(wrong, says):
    rejects(checks.calibrated_by_hand, wrong, says)


def test_calibrated_by_hand_accepts():
    accepts(checks.calibrated_by_hand, answers.calibrated_by_hand)


@pytest.mark.parametrize(
    "arguments, value",
    [((), (0.75, 0.5, 1.0))],
)
def test_calibrated_by_hand_by_hand(arguments, value):
    agrees(answers.calibrated_by_hand, arguments, value)


def bag(summary, right):
    both = sum(min(summary.count(w), right.count(w)) for w in set(summary))
    return 2 * both / max(len(summary) + len(right), 1)


def greedy(summary, right):
    at = both = 0
    for word in summary:
        if word in right[at:]:
            at, both = right.index(word, at) + 1, both + 1
    return 2 * both / max(len(summary) + len(right), 1)


def blocks(summary, right):
    matcher = difflib.SequenceMatcher(None, summary, right, autojunk=False)
    return matcher.ratio() if summary or right else 0.0


# rouge_l


def rouge_l_runs_only(summary, right):
    table = [[0] * (len(right) + 1) for _ in range(len(summary) + 1)]
    for i, word in enumerate(summary):
        for j, other in enumerate(right):
            if word == other:
                table[i + 1][j + 1] = table[i][j] + 1
            else:
                table[i + 1][j + 1] = 0  # wrong
    words = len(summary) + len(right)
    return 2 * table[-1][-1] / words if words else 0.0


def rouge_l_one_neighbour(summary, right):
    table = [[0] * (len(right) + 1) for _ in range(len(summary) + 1)]
    for i, word in enumerate(summary):
        for j, other in enumerate(right):
            if word == other:
                table[i + 1][j + 1] = table[i][j] + 1
            else:
                table[i + 1][j + 1] = table[i][j + 1]  # wrong
    words = len(summary) + len(right)
    return 2 * table[-1][-1] / words if words else 0.0


def rouge_l_recall_only(summary, right):
    table = [[0] * (len(right) + 1) for _ in range(len(summary) + 1)]
    for i, word in enumerate(summary):
        for j, other in enumerate(right):
            if word == other:
                table[i + 1][j + 1] = table[i][j] + 1
            else:
                table[i + 1][j + 1] = max(table[i][j + 1], table[i + 1][j])
    words = len(summary) + len(right)
    return table[-1][-1] / max(len(right), 1) if words else 0.0  # wrong


def rouge_l_empty_texts_fail(summary, right):
    table = [[0] * (len(right) + 1) for _ in range(len(summary) + 1)]
    for i, word in enumerate(summary):
        for j, other in enumerate(right):
            if word == other:
                table[i + 1][j + 1] = table[i][j] + 1
            else:
                table[i + 1][j + 1] = max(table[i][j + 1], table[i + 1][j])
    words = len(summary) + len(right)
    return 2 * table[-1][-1] / words  # wrong


@pytest.mark.parametrize(
    "wrong, says",
    [
        (rouge_l_runs_only, ""),
        (rouge_l_one_neighbour, ""),
        (rouge_l_recall_only, ""),
        (rouge_l_empty_texts_fail, "two empty texts"),
        (bag, "the order"),
        (greedy, "too soon"),
        (lambda summary, right: greedy(right, summary), "too soon"),
        (blocks, "too soon"),
    ],
)
def test_rouge_l_rejects(wrong, says):
    rejects(checks.rouge_l, wrong, says)


def test_rouge_l_accepts():
    accepts(checks.rouge_l, answers.rouge_l)


@pytest.mark.parametrize(
    "arguments, value",
    [
        (
            (
                ["a", "b", "c", "d"],
                ["a", "x", "b", "x", "d"],
            ),
            0.66666667,
        ),
        (
            (
                ["x", "y", "z"],
                ["z", "y", "x"],
            ),
            0.33333333,
        ),
        (
            (
                [],
                [],
            ),
            0.0,
        ),
        (
            (
                ["x", "y", "a", "b", "c"],
                ["a", "d", "b", "d", "c", "x", "y"],
            ),
            0.5,
        ),
        (
            (
                ["a", "d", "b", "d", "c", "x", "y"],
                ["x", "y", "a", "b", "c"],
            ),
            0.5,
        ),
    ],
)
def test_rouge_l_by_hand(arguments, value):
    agrees(answers.rouge_l, arguments, value)


# Each has two words of the review, "Fun." and "Old." have none.
POOL = [("Fun.", 1), ("Old.", 0), ("A slow one.", 0), ("A fun film.", 1)]


# own_examples_out


def own_examples_out_keeps_copies(review, pool, shots):
    words = review.lower().split()
    near = sorted(pool, key=lambda example: -common(review, example[0]))
    others = [e for e in near]  # wrong
    return [e for k in (0, 1) for e in [e for e in others if e[1] == k][:shots]]


def own_examples_out_exact_text_only(review, pool, shots):
    words = review.lower().split()
    near = sorted(pool, key=lambda example: -common(review, example[0]))
    others = [e for e in near if e[0] != review]  # wrong
    return [e for k in (0, 1) for e in [e for e in others if e[1] == k][:shots]]


def own_examples_out_any_shared_word(review, pool, shots):
    words = review.lower().split()
    near = sorted(pool, key=lambda example: -common(review, example[0]))
    # wrong:
    others = [
        e
        for e in near
        if e[0].lower().split() != words and not {*e[0].lower().split()} & {*words}
    ]
    return [e for k in (0, 1) for e in [e for e in others if e[1] == k][:shots]]


def own_examples_out_first_of_all(review, pool, shots):
    words = review.lower().split()
    near = sorted(pool, key=lambda example: -common(review, example[0]))
    others = [e for e in near if e[0].lower().split() != words]
    return [e for e in others[: 2 * shots]]  # wrong


def own_examples_out_label_one_first(review, pool, shots):
    words = review.lower().split()
    near = sorted(pool, key=lambda example: -common(review, example[0]))
    others = [e for e in near if e[0].lower().split() != words]
    # wrong:
    return [e for k in (1, 0) for e in [e for e in others if e[1] == k][:shots]]


def own_examples_out_last_ones(review, pool, shots):
    words = review.lower().split()
    near = sorted(pool, key=lambda example: -common(review, example[0]))
    others = [e for e in near if e[0].lower().split() != words]
    # wrong:
    return [e for k in (0, 1) for e in [e for e in others if e[1] == k][-shots:]]


def own_examples_out_order_of_words_ignored(review, pool, shots):
    words = review.lower().split()
    near = sorted(pool, key=lambda example: -common(review, example[0]))
    others = [e for e in near if sorted(e[0].lower().split()) != sorted(words)]  # wrong
    return [e for k in (0, 1) for e in [e for e in others if e[1] == k][:shots]]


def own_examples_out_texts_that_contain_it(review, pool, shots):
    words = review.lower().split()
    near = sorted(pool, key=lambda example: -common(review, example[0]))
    # wrong:
    others = [e for e in near if " ".join(words) not in " ".join(e[0].lower().split())]
    return [e for k in (0, 1) for e in [e for e in others if e[1] == k][:shots]]


def own_examples_out_order_of_pool(review, pool, shots):
    words = review.lower().split()
    near = pool  # wrong
    others = [e for e in near if e[0].lower().split() != words]
    return [e for k in (0, 1) for e in [e for e in others if e[1] == k][:shots]]


def own_examples_out_least_alike(review, pool, shots):
    words = review.lower().split()
    near = sorted(pool, key=lambda example: common(review, example[0]))  # wrong
    others = [e for e in near if e[0].lower().split() != words]
    return [e for k in (0, 1) for e in [e for e in others if e[1] == k][:shots]]


def own_examples_out_removes_while_looping(review, pool, shots):
    words = review.lower().split()
    near = sorted(pool, key=lambda example: -common(review, example[0]))
    others = near  # wrong
    for e in others:  # wrong
        if e[0].lower().split() == words:  # wrong
            others.remove(e)  # wrong
    return [e for k in (0, 1) for e in [e for e in others if e[1] == k][:shots]]


def own_examples_out_all_words_shared(review, pool, shots):
    words = review.lower().split()
    near = sorted(pool, key=lambda example: -common(review, example[0]))
    # wrong:
    others = [
        e
        for e in near
        if e[0].lower().split() != words
        and len({*e[0].lower().split()} & {*words}) < len({*words})
    ]
    return [e for k in (0, 1) for e in [e for e in others if e[1] == k][:shots]]


@pytest.mark.parametrize(
    "wrong, says",
    [
        (own_examples_out_keeps_copies, "the review itself"),
        (own_examples_out_exact_text_only, "copies"),
        (own_examples_out_any_shared_word, "no copy"),
        (own_examples_out_first_of_all, ""),
        (own_examples_out_label_one_first, ""),
        (own_examples_out_last_ones, "of equally alike ones the first"),
        (own_examples_out_order_of_words_ignored, ""),
        (own_examples_out_texts_that_contain_it, ""),
        (own_examples_out_order_of_pool, "the most alike"),
        (own_examples_out_least_alike, "the most alike"),
        (own_examples_out_removes_while_looping, ""),
        (own_examples_out_all_words_shared, ""),
    ],
)
def test_own_examples_out_rejects(wrong, says):
    rejects(checks.own_examples_out, wrong, says)


def test_own_examples_out_accepts():
    accepts(checks.own_examples_out, answers.own_examples_out)


@pytest.mark.parametrize(
    "arguments, value",
    [
        (("A slow film.", POOL, 1), [("A slow one.", 0), ("A fun film.", 1)]),
        (
            (
                "it is fun.",
                [["It is dull.", 0], ["It is  FUN. ", 1], ["Fun.", 1], ["Dull.", 0]],
                1,
            ),
            [["It is dull.", 0], ["Fun.", 1]],
        ),
        (
            (
                "Man bites dog",
                [["Dog bites man", 0], ["Man bites dog or not", 1]],
                1,
            ),
            [["Dog bites man", 0], ["Man bites dog or not", 1]],
        ),
        (
            (
                "Fun.",
                [["Fun.", 1], ["fun. ", 1], ["Good.", 1]],
                1,
            ),
            [["Good.", 1]],
        ),
        (
            (
                "Bad.",
                [["It is dull.", 0], ["It is  FUN. ", 1], ["Fun.", 1], ["Dull.", 0]],
                2,
            ),
            [["It is dull.", 0], ["Dull.", 0], ["It is  FUN. ", 1], ["Fun.", 1]],
        ),
    ],
)
def test_own_examples_out_by_hand(arguments, value):
    agrees(answers.own_examples_out, arguments, value)


LABELS = array([[1, 1, 0], [1, 0, 0], [1, 0, 1], [1, 1, 0]])


# disagreement


def disagreement_always_yes_disagrees(labels, truth):
    votes = labels.mean(axis=0)  # (N,)
    right = np.where(votes == 0.5, 0.5, (votes > 0.5) == truth)
    return np.mean(votes > 0), np.mean(right)  # wrong


def disagreement_mean_of_prompts(labels, truth):
    votes = labels.mean(axis=1)  # wrong
    right = np.where(votes == 0.5, 0.5, (votes > 0.5) == truth)
    return np.mean((votes > 0) & (votes < 1)), np.mean(right)


def disagreement_ties_are_no(labels, truth):
    votes = labels.mean(axis=0)  # (N,)
    right = (votes > 0.5) == truth  # wrong
    return np.mean((votes > 0) & (votes < 1)), np.mean(right)


@pytest.mark.parametrize(
    "wrong, says",
    [
        (disagreement_always_yes_disagrees, ""),
        (disagreement_mean_of_prompts, ""),
        (disagreement_ties_are_no, ""),
        (
            lambda labels, truth: (
                np.mean(labels.std(axis=0)),
                np.mean(labels == truth),
            ),
            "",
        ),
    ],
)
def test_disagreement_rejects(wrong, says):
    rejects(checks.disagreement, wrong, says)


def test_disagreement_accepts():
    accepts(checks.disagreement, answers.disagreement)


@pytest.mark.parametrize(
    "arguments, value",
    [((LABELS, array([1, 0, 1])), (2 / 3, (1 + 0.5 + 0) / 3))],
)
def test_disagreement_by_hand(arguments, value):
    agrees(answers.disagreement, arguments, value)

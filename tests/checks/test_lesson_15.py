"""The checks of lesson 15 accept right answers and reject plausible wrong ones."""

import numpy as np
import pytest
from exercise_battery import tells_right_from_wrong

from course_utils.checks import lesson_15 as checks


def right_share(texts, unknown):
    tokens = [token for text in texts for token in text]
    return tokens.count(unknown) / len(tokens)


def mean_of_shares(texts, unknown):
    return np.mean([text.count(unknown) / len(text) for text in texts])


def share_of_texts(texts, unknown):
    return np.mean([unknown in text for text in texts])


def known_share(texts, unknown):
    return 1 - right_share(texts, unknown)


def share_of_different_tokens(texts, unknown):
    return (unknown in sum(texts, [])) / len(set(sum(texts, [])))


def right_candidates(logits, candidates):
    powers = np.exp(logits[candidates] - logits[candidates].max())
    return powers / powers.sum()


def candidates_by_a_loop(logits, candidates):
    largest = max(logits[i] for i in candidates)
    powers = [float(np.exp(logits[i] - largest)) for i in candidates]
    return [power / sum(powers) for power in powers]


def shares_of_the_whole_softmax(logits, candidates):
    powers = np.exp(logits - logits.max())
    return powers[candidates] / powers.sum()


def shares_of_logits(logits, candidates):
    return logits[candidates] / (logits[candidates].sum() or 1)


def sorted_shares(logits, candidates):
    return np.sort(right_candidates(logits, candidates))[::-1]


def overflowing_shares(logits, candidates):
    with np.errstate(all="ignore"):
        powers = np.exp(logits[candidates])
        return powers / powers.sum()


def right_difference(rows):
    distances = np.abs(rows[:, None] - rows[None]).sum(axis=-1) / 2
    return distances.sum() / (len(rows) * (len(rows) - 1))


def difference_by_a_loop(rows):
    found = []
    for i in range(len(rows)):
        for j in range(i + 1, len(rows)):
            found.append(np.maximum(rows[i] - rows[j], 0).sum())
    return sum(found) / len(found)


def difference_without_the_half(rows):
    return 2 * right_difference(rows)


def difference_with_the_diagonal(rows):
    return (np.abs(rows[:, None] - rows[None]).sum(axis=-1) / 2).mean()


def largest_difference(rows):
    return (np.abs(rows[:, None] - rows[None]).sum(axis=-1) / 2).max()


def difference_to_the_mean(rows):
    return np.mean(np.abs(rows - rows.mean(axis=0)).sum(axis=-1))


def squared_difference(rows):
    distances = ((rows[:, None] - rows[None]) ** 2).sum(axis=-1) / 2
    return distances.sum() / (len(rows) * (len(rows) - 1))


ANSWERS = {
    checks.unknown_share: (
        right_share,
        [mean_of_shares, share_of_texts, known_share, share_of_different_tokens],
    ),
    checks.candidate_shares: (
        right_candidates,
        [
            shares_of_the_whole_softmax,
            shares_of_logits,
            sorted_shares,
            overflowing_shares,
        ],
    ),
    checks.mean_difference: (
        right_difference,
        [
            difference_without_the_half,
            difference_with_the_diagonal,
            largest_difference,
            difference_to_the_mean,
            squared_difference,
        ],
    ),
}


@pytest.mark.parametrize("check", ANSWERS, ids=lambda check: check.__name__)
def test_check_tells_right_from_wrong(check):
    tells_right_from_wrong(check, *ANSWERS[check])


@pytest.mark.parametrize(
    "check, answer",
    [
        (checks.candidate_shares, candidates_by_a_loop),
        (checks.mean_difference, difference_by_a_loop),
    ],
)
def test_answers_by_loops_are_right_too(check, answer):
    assert check(answer) == "correct"


@pytest.mark.parametrize(
    "check, number, hint",
    [
        (checks.unknown_share, 0, "all texts together"),
        (checks.unknown_share, 2, "the unknown token"),
        (checks.candidate_shares, 0, "over the candidates alone"),
        (checks.candidate_shares, 3, "subtracting the largest"),
        (checks.mean_difference, 0, "factor 1/2"),
        (checks.mean_difference, 2, "each two different groups once"),
    ],
)
def test_a_hint_fits_its_mistake(check, number, hint):
    mistake = ANSWERS[check][1][number]
    assert hint in check(mistake).partition("; look at ")[2]

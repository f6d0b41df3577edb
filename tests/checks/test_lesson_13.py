"""The checks of lesson 13 accept right answers and reject plausible wrong ones."""

import numpy as np
import pytest
from exercise_battery import tells_right_from_wrong

from course_utils.checks import lesson_13 as checks


def right_perplexity(log_probs, scored):
    return np.exp(-log_probs[scored].mean())


def perplexity_by_a_sum(log_probs, scored):
    return np.exp(-(log_probs * scored).sum() / scored.sum())


def mean_of_rows(log_probs, scored):
    rows = (log_probs * scored).sum(axis=1) / scored.sum(axis=1)
    return np.exp(-rows.mean())


def perplexity_of_rows(log_probs, scored):
    rows = (log_probs * scored).sum(axis=1) / scored.sum(axis=1)
    return np.exp(-rows).mean()


def right_mixture(counts, shorter):
    kinds = np.count_nonzero(counts)
    if kinds == 0:
        return shorter
    return (counts + kinds * shorter) / (counts.sum() + kinds)


def mixture_with(kinds):
    """Return an answer that takes another number for the kinds of followers."""

    def answer(counts, shorter):
        if not counts.any():
            return shorter
        many = kinds(counts)
        return (counts + many * shorter) / (counts.sum() + many)

    return answer


def mixture_without_the_unseen(counts, shorter):
    kinds = np.count_nonzero(counts)
    return (counts + kinds * shorter) / (counts.sum() + kinds)


def half_and_half(counts, shorter):
    return 0.5 * counts / max(counts.sum(), 1) + 0.5 * shorter


def grams(words, n):
    return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]


def right_share(words, n):
    found = grams(words, n)
    return 1 - len(set(found)) / len(found) if found else 0.0


def share_by_a_loop(words, n):
    seen, again = [], 0
    for gram in grams(words, n):
        again += gram in seen
        seen.append(gram)
    return again / max(len(seen), 1)


def share_of_all_that_occur_twice(words, n):
    found = grams(words, n)
    return sum(found.count(gram) > 1 for gram in found) / max(len(found), 1)


def share_of_words(words, n):
    return 1 - len(set(words)) / len(words)


def share_without_overlap(words, n):
    found = [tuple(words[i : i + n]) for i in range(0, len(words) - n + 1, n)]
    return 1 - len(set(found)) / max(len(found), 1) if found else 0.0


def share_of_the_words(words, n):
    found = grams(words, n)
    return (len(found) - len(set(found))) / len(words)


def share_that_divides_by_zero(words, n):
    found = grams(words, n)
    return 1 - len(set(found)) / len(found)


ANSWERS = {
    checks.perplexity: (
        right_perplexity,
        [
            lambda log_probs, scored: np.exp(log_probs[scored].mean()),
            lambda log_probs, scored: 2 ** -log_probs[scored].mean(),
            lambda log_probs, scored: np.exp(-log_probs.mean()),
            lambda log_probs, scored: np.exp(-(log_probs * scored).mean()),
            mean_of_rows,
            perplexity_of_rows,
            lambda log_probs, scored: 4.0,
        ],
    ),
    checks.witten_bell: (
        right_mixture,
        [
            mixture_without_the_unseen,
            mixture_with(lambda counts: counts.sum()),
            mixture_with(len),
            mixture_with(lambda counts: 1),
            half_and_half,
        ],
    ),
    checks.repeated_share: (
        right_share,
        [
            share_of_all_that_occur_twice,
            share_of_words,
            share_without_overlap,
            share_of_the_words,
            share_that_divides_by_zero,
            lambda words, n: 1 - right_share(words, n),
        ],
    ),
}


@pytest.mark.parametrize("check", ANSWERS, ids=lambda check: check.__name__)
def test_check_tells_right_from_wrong(check):
    tells_right_from_wrong(check, *ANSWERS[check])


@pytest.mark.parametrize(
    "check, answer",
    [
        (checks.perplexity, perplexity_by_a_sum),
        (checks.repeated_share, share_by_a_loop),
        (checks.witten_bell, lambda *pair: right_mixture(*pair).tolist()),
    ],
)
def test_other_ways_are_right_too(check, answer):
    assert check(answer) == "correct"


@pytest.mark.parametrize(
    "check, number, hint",
    [
        (checks.perplexity, 0, "the sign"),
        (checks.perplexity, 2, "divide by"),
        (checks.perplexity, 4, "not one for each row"),
        (checks.witten_bell, 0, "never occurred"),
        (checks.witten_bell, 1, "kinds"),
        (checks.repeated_share, 0, "the first time"),
        (checks.repeated_share, 2, "overlap"),
        (checks.repeated_share, 4, "less than n words"),
    ],
)
def test_a_hint_fits_its_mistake(check, number, hint):
    mistake = ANSWERS[check][1][number]
    assert hint in check(mistake).partition("; look at ")[2]

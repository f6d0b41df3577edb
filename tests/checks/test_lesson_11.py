"""The checks of lesson 11 accept right answers and reject plausible wrong ones."""

import numpy as np
import pytest
from exercise_battery import tells_right_from_wrong

from course_utils.checks import lesson_11 as checks


def right_penalty(log_prob, length, alpha):
    return log_prob / ((5 + length) / 6) ** alpha


def right_nucleus(probabilities, p):
    order = np.argsort(-probabilities)
    number = np.searchsorted(np.cumsum(probabilities[order]), p) + 1
    kept = np.zeros_like(probabilities)
    kept[order[:number]] = probabilities[order[:number]]
    return kept / kept.sum()


def nucleus_by_a_loop(probabilities, p):
    result, total = [0.0] * len(probabilities), 0.0
    while total < p:
        best = max(
            (i for i in range(len(result)) if not result[i]),
            key=lambda i: probabilities[i],
        )
        result[best] = probabilities[best]
        total += probabilities[best]
    return [share / total for share in result]


def nucleus_of(take, renormalise=True):
    """Return an answer that keeps what ``take(sorted, cumulated, p)`` says."""

    def answer(probabilities, p):
        order = np.argsort(-probabilities)
        shares = probabilities[order]
        kept = np.zeros_like(probabilities)
        kept[order] = np.where(take(shares, np.cumsum(shares), p), shares, 0)
        return kept / max(kept.sum(), 1e-9) if renormalise else kept

    return answer


def nucleus_in_sorted_order(probabilities, p):
    return np.sort(right_nucleus(probabilities, p))[::-1]


def right_step(scores, log_probs, k):
    total = scores[:, None] + log_probs
    best = np.argsort(-total, axis=None)[:k]
    parents, tokens = np.divmod(best, total.shape[1])
    return parents, tokens, total[parents, tokens]


def step_by_a_loop(scores, log_probs, k):
    total = [
        (score + log_prob, parent, token)
        for parent, (score, row) in enumerate(zip(scores, log_probs, strict=True))
        for token, log_prob in enumerate(row)
    ]
    new_scores, parents, tokens = zip(*sorted(total, reverse=True)[:k], strict=True)
    return list(parents), list(tokens), list(new_scores)


def step_without_old_scores(scores, log_probs, k):
    return right_step(np.zeros_like(scores), log_probs, k)


def step_that_returns_log_probs(scores, log_probs, k):
    parents, tokens, _ = right_step(scores, log_probs, k)
    return parents, tokens, log_probs[parents, tokens]


def k_of_each_beam(scores, log_probs, k):
    tokens = np.argsort(-log_probs, axis=1)[:, :k]
    parents = np.repeat(np.arange(len(scores)), tokens.shape[1])
    tokens = tokens.reshape(-1)
    return parents, tokens, scores[parents] + log_probs[parents, tokens]


def best_of_each_beam(scores, log_probs, k):
    total = scores[:, None] + log_probs
    parents = np.argsort(-total.max(axis=1))[:k]
    tokens = total.argmax(axis=1)[parents]
    return parents, tokens, total[parents, tokens]


def parent_and_token_exchanged(scores, log_probs, k):
    parents, tokens, new_scores = right_step(scores, log_probs, k)
    return tokens, parents, new_scores


def divided_by_the_number_of_beams(scores, log_probs, k):
    total = scores[:, None] + log_probs
    best = np.argsort(-total, axis=None)[:k]
    return best // len(scores), best % len(scores), total.reshape(-1)[best]


def worst_first(scores, log_probs, k):
    return tuple(values[::-1] for values in right_step(scores, log_probs, k))


ANSWERS = {
    checks.penalised: (
        right_penalty,
        [
            lambda log_prob, length, alpha: log_prob / ((6 + length) / 6) ** alpha,
            lambda log_prob, length, alpha: log_prob * ((5 + length) / 6) ** alpha,
            lambda log_prob, length, alpha: log_prob / ((5 + length) / 6 * alpha + 1),
            lambda log_prob, length, alpha: log_prob / ((5 + length) ** alpha / 6),
            lambda log_prob, length, alpha: log_prob / length**alpha,
            lambda log_prob, length, alpha: log_prob / ((5 + length) / 6),
        ],
    ),
    checks.nucleus: (
        right_nucleus,
        [
            nucleus_of(lambda shares, reached, p: reached <= p),  # one too few
            nucleus_of(lambda shares, reached, p: reached - shares <= p),  # too many
            nucleus_of(lambda shares, reached, p: shares >= p),
            nucleus_of(lambda shares, reached, p: reached - shares < p, False),
            nucleus_in_sorted_order,
        ],
    ),
    checks.beam_step: (
        right_step,
        [
            step_without_old_scores,
            step_that_returns_log_probs,
            k_of_each_beam,
            best_of_each_beam,
            parent_and_token_exchanged,
            divided_by_the_number_of_beams,
            worst_first,
        ],
    ),
}


@pytest.mark.parametrize("check", ANSWERS, ids=lambda check: check.__name__)
def test_check_tells_right_from_wrong(check):
    tells_right_from_wrong(check, *ANSWERS[check])


@pytest.mark.parametrize(
    "check, answer",
    [(checks.nucleus, nucleus_by_a_loop), (checks.beam_step, step_by_a_loop)],
)
def test_answers_as_lists_are_right_too(check, answer):
    assert check(answer) == "correct"


@pytest.mark.parametrize(
    "check, number, hint",
    [
        (checks.penalised, 0, "length 1"),
        (checks.penalised, 1, "what you divide by"),
        (checks.nucleus, 0, "it stays"),
        (checks.nucleus, 1, "equal to p"),
        (checks.nucleus, 4, "the order"),
        (checks.beam_step, 0, "old scores"),
        (checks.beam_step, 4, "order of the results"),
        (checks.beam_step, 5, "n // V"),
        (checks.beam_step, 6, "best first"),
    ],
)
def test_a_hint_fits_its_mistake(check, number, hint):
    mistake = ANSWERS[check][1][number]
    assert hint in check(mistake).partition("; look at ")[2]

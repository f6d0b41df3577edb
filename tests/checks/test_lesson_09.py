"""The checks of lesson 09 accept right answers and reject plausible wrong ones."""

import numpy as np
import pytest
from exercise_battery import tells_right_from_wrong

from course_utils.checks import lesson_09 as checks
from course_utils.text.vectorizers import END, START


def right_mask(target):
    length = target.shape[1]
    return np.tril(np.ones((length, length), bool)) & (target[:, None, :] != 0)


def mask_without_padding(target):
    length = target.shape[1]
    return np.broadcast_to(np.tril(np.ones((length, length), bool)), shape(target))


def shape(target):
    return (*target.shape, target.shape[1])


def mask_of_queries(target):
    length = target.shape[1]
    return np.tril(np.ones((length, length), bool)) & (target[:, :, None] != 0)


def mask_of_the_past_only(target):
    length = target.shape[1]
    return np.tril(np.ones((length, length), bool), -1) & (target[:, None, :] != 0)


def smoothed(logits, label, target):
    return -(target * (logits - np.log(np.exp(logits).sum()))).sum()


def right_loss(logits, label, epsilon):
    target = np.full(len(logits), epsilon / len(logits))
    target[label] += 1 - epsilon
    return smoothed(logits, label, target)


def loss_over_the_wrong_tokens(logits, label, epsilon):
    target = np.full(len(logits), epsilon / (len(logits) - 1))
    target[label] = 1 - epsilon
    return smoothed(logits, label, target)


def loss_without_smoothing(logits, label, epsilon):
    return right_loss(logits, label, 0.0)


def search(next_scores, max_length, keep_end=False, keep_start=False, extra=0):
    tokens = [START]
    while len(tokens) <= max_length + extra:
        best = int(np.argmax(next_scores(tokens)))
        if best == END:
            tokens += [END] * keep_end
            break
        tokens.append(best)
    return tokens if keep_start else tokens[1:]


def endless(next_scores, max_length):
    tokens = [START]
    for _ in range(max_length):
        tokens.append(int(np.argmax(next_scores(tokens))))
    return tokens[1:]


ANSWERS = {
    checks.decoder_mask: (
        right_mask,
        [mask_without_padding, mask_of_queries, mask_of_the_past_only],
    ),
    checks.smoothed_loss: (
        right_loss,
        [loss_over_the_wrong_tokens, loss_without_smoothing],
    ),
    checks.greedy_tokens: (
        search,
        [
            endless,
            lambda scores, limit: search(scores, limit, keep_end=True),
            lambda scores, limit: search(scores, limit, keep_start=True),
            lambda scores, limit: search(scores, limit, extra=1),
        ],
    ),
}


@pytest.mark.parametrize("check", ANSWERS, ids=lambda check: check.__name__)
def test_check_tells_right_from_wrong(check):
    tells_right_from_wrong(check, *ANSWERS[check])

"""The checks of lesson 18 accept right answers and reject plausible wrong ones."""

import numpy as np
import pytest
from exercise_battery import tells_right_from_wrong

from course_utils.checks import lesson_18 as checks
from course_utils.scaling import flops as scaling


def right_bytes(weights, slots, policy):
    return (2 if policy == "bfloat16" else 4) * weights * (2 + slots)


def right_join(gradients, tokens):
    return np.tensordot(tokens / tokens.sum(), gradients, axes=1)


def join_by_a_loop(gradients, tokens):
    total = 0 * gradients[0]
    for gradient, number in zip(gradients, tokens, strict=True):
        total = total + gradient * number
    return (total / sum(tokens)).tolist()


ANSWERS = {
    checks.cross_attention_flops: (
        scaling.attention_flops,
        [
            lambda b, t, s, d: 4 * b * t * s * d,  # no projections
            lambda b, t, s, d: scaling.attention_flops(b, t, s, d) // 2,
            lambda b, t, s, d: scaling.attention_flops(b, t, t, d),
            lambda b, t, s, d: scaling.attention_flops(1, t, s, d),
            lambda b, t, s, d: scaling.attention_flops(b, t, s, d) + 2 * b * t * s * d,
        ],
    ),
    checks.training_bytes: (
        right_bytes,
        [
            lambda weights, slots, policy: 4 * weights * (1 + slots),
            lambda weights, slots, policy: 4 * (2 * weights + slots),
            lambda weights, slots, policy: 4 * weights * (2 + slots),
            lambda weights, slots, policy: (
                (2 if "bfloat16" in policy else 4) * weights * (2 + slots)
            ),
        ],
    ),
    checks.join_gradients: (
        right_join,
        [
            lambda gradients, tokens: gradients.mean(axis=0),
            lambda gradients, tokens: gradients.sum(axis=0),
            lambda gradients, tokens: np.tensordot(tokens, gradients, axes=1),
            lambda gradients, tokens: np.average(
                gradients, axis=0, weights=1 / np.maximum(tokens, 1)
            ),
        ],
    ),
}


@pytest.mark.parametrize("check", ANSWERS, ids=lambda check: check.__name__)
def test_check_tells_right_from_wrong(check):
    tells_right_from_wrong(check, *ANSWERS[check])


def test_answers_as_lists_are_right_too():
    assert checks.join_gradients(join_by_a_loop) == "correct"


@pytest.mark.parametrize(
    "check, number, hint",
    [
        (checks.cross_attention_flops, 0, "four projections"),
        (checks.cross_attention_flops, 2, "keys and values S"),
        (checks.cross_attention_flops, 3, "the batch"),
        (checks.training_bytes, 0, "gradients"),
        (checks.training_bytes, 1, "as large as the weights"),
        (checks.training_bytes, 2, "without 'mixed'"),
        (checks.training_bytes, 3, "keeps weights"),
        (checks.join_gradients, 0, "its share"),
        (checks.join_gradients, 1, "plain mean"),
    ],
)
def test_a_hint_fits_its_mistake(check, number, hint):
    mistake = ANSWERS[check][1][number]
    assert hint in check(mistake).partition("; look at ")[2]

"""The checks of lesson 16 accept right answers and reject plausible wrong ones."""

import numpy as np
import pytest
from exercise_battery import tells_right_from_wrong

from course_utils.checks import lesson_16 as checks


def right_soften(logits, temperature):
    scores = logits / temperature
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


def soften_by_powers(logits, temperature):
    """Another right way: the T-th root of the probabilities, and a new sum."""
    log_shares = logits - logits.max(axis=1, keepdims=True)
    roots = np.exp(log_shares) ** (1 / temperature)
    return roots / roots.sum(axis=1, keepdims=True)


def soften_times(logits, temperature):
    return right_soften(logits * temperature, 1.0)


def soften_ignoring_temperature(logits, temperature):
    return right_soften(logits, 1.0)


def soften_the_probabilities(logits, temperature):
    return right_soften(logits, 1.0) / temperature


def soften_over_the_batch(logits, temperature):
    return right_soften(logits.T, temperature).T


def soften_with_overflow(logits, temperature):
    with np.errstate(over="ignore", invalid="ignore"):
        shares = np.exp(logits / temperature)
        return shares / shares.sum(axis=1, keepdims=True)


def cross_entropy(target, logit):
    return np.log1p(np.exp(logit)) - target * logit


def sigmoid(logit):
    return 1 / (1 + np.exp(-logit))


def mixed(
    squared=True, soft_student=True, hard_at=lambda T: 1.0, swap=False, skip=True
):
    """Return an answer with one part of the formula as asked."""

    def answer(labels, teacher, student, temperature, alpha):
        inner = student / temperature if soft_student else student
        soft = cross_entropy(sigmoid(teacher / temperature), inner)
        soft = soft * temperature**2 if squared else soft
        hard = cross_entropy(labels, student / hard_at(temperature))
        hard = np.where(labels == -1, 0, hard) if skip else hard
        alpha = 1 - alpha if swap else alpha
        return (1 - alpha) * hard + alpha * soft

    return answer


def mixed_without_unlabelled(labels, teacher, student, temperature, alpha):
    """Leave a text without a label out altogether."""
    losses = mixed()(labels, teacher, student, temperature, alpha)
    return np.where(labels == -1, 0, losses)


def mixed_as_a_mean(*arguments):
    return mixed()(*arguments).mean()


def right_rows(table):
    largest = np.abs(table).max(axis=1)
    steps = np.where(largest == 0, 1.0, largest / 127)
    return np.round(table / steps[:, None]).astype("int8"), steps


def rows_with_one_step(table):
    step = np.abs(table).max() / 127
    return np.round(table / step).astype("int8"), np.full(len(table), step)


def rows_cut_off(table):
    steps = right_rows(table)[1]
    return (table / steps[:, None]).astype("int8"), steps


def rows_that_divide_by_zero(table):
    steps = np.abs(table).max(axis=1) / 127
    with np.errstate(invalid="ignore"):
        return np.round(table / steps[:, None]).astype("int8"), steps


def rows_of_the_largest_not_its_size(table):
    steps = np.maximum(table.max(axis=1), 1e-9) / 127
    with np.errstate(invalid="ignore"):
        return np.clip(np.round(table / steps[:, None]), -127, 127).astype(
            "int8"
        ), steps


def rows_as_floats(table):
    numbers, steps = right_rows(table)
    return numbers.astype("float64"), steps


def rows_that_return_scales(table):
    numbers, steps = right_rows(table)
    return numbers, 1 / steps


ANSWERS = {
    checks.softened: (
        right_soften,
        [
            soften_times,
            soften_ignoring_temperature,
            soften_the_probabilities,
            soften_over_the_batch,
            soften_with_overflow,
        ],
    ),
    checks.mixed_loss: (
        mixed(),
        [
            mixed(squared=False),
            mixed(soft_student=False),
            mixed(hard_at=lambda temperature: temperature),
            mixed(swap=True),
            mixed(skip=False),
            mixed_without_unlabelled,
            mixed_as_a_mean,
        ],
    ),
    checks.rows_as_int8: (
        right_rows,
        [
            rows_with_one_step,
            rows_cut_off,
            rows_that_divide_by_zero,
            rows_of_the_largest_not_its_size,
            rows_as_floats,
            rows_that_return_scales,
        ],
    ),
}


@pytest.mark.parametrize("check", ANSWERS, ids=lambda check: check.__name__)
def test_check_tells_right_from_wrong(check):
    tells_right_from_wrong(check, *ANSWERS[check])


def test_roots_of_probabilities_are_right_too():
    assert checks.softened(soften_by_powers) == "correct"


@pytest.mark.parametrize(
    "check, number, hint",
    [
        (checks.softened, 0, "where T divides"),
        (checks.softened, 3, "axis"),
        (checks.softened, 4, "subtract it"),
        (checks.mixed_loss, 0, "T²"),
        (checks.mixed_loss, 2, "T has no place"),
        (checks.mixed_loss, 3, "which part α|the hard part"),
        (checks.mixed_loss, 4, "no hard part"),
        (checks.rows_as_int8, 0, "one for each row"),
        (checks.rows_as_int8, 1, "nearest"),
        (checks.rows_as_int8, 2, "can't divide"),
    ],
)
def test_a_hint_fits_its_mistake(check, number, hint):
    mistake = ANSWERS[check][1][number]
    found = check(mistake).partition("; look at ")[2]
    assert any(part in found for part in hint.split("|"))

"""Exercises of "Distillation": right answers pass, likely mistakes do not."""

import numpy as np
import pytest
from exercise_battery import accepts, agrees, rejects
from numpy import array, log

from course_utils.kit.checks import distillation as checks
from course_utils.kit.checks.answers import distillation as answers

# clear_review


@pytest.mark.parametrize(
    "wrong, says",
    [
        (lambda: (4 / 5, 2 / 3, 0.6), "has to rise"),
        (lambda: (16 / 33, 4 / 17, -0.6), "the odds 16 : 1"),
        (lambda: (4 / 5, 2 / 3, -0.15), "expected -0.6"),  # without T²
    ],
)
def test_clear_review_rejects(wrong, says):
    rejects(checks.clear_review, wrong, says)


def test_clear_review_accepts():
    accepts(checks.clear_review, answers.clear_review)


@pytest.mark.parametrize(
    "arguments, value",
    [((), (0.8, 1 - 1 / 3, -0.6))],
)
def test_clear_review_by_hand(arguments, value):
    agrees(answers.clear_review, arguments, value)


# serve_patiently


def serve_patiently_starts_while_busy(arrivals, seconds, most, patience):
    waited, first, free = np.zeros(len(arrivals)), 0, 0.0
    while first < len(arrivals):
        full = first + most - 1
        full_at = arrivals[full] if full < len(arrivals) else np.inf
        begin = max(0.0, min(full_at, arrivals[first] + patience))  # wrong
        waiting = np.searchsorted(arrivals, begin, side="right") - first
        count = min(waiting, most)
        free = begin + seconds[count]
        waited[first : first + count] = free - arrivals[first : first + count]
        first += count
    return waited


def serve_patiently_no_patience(arrivals, seconds, most, patience):
    waited, first, free = np.zeros(len(arrivals)), 0, 0.0
    while first < len(arrivals):
        full = first + most - 1
        full_at = arrivals[full] if full < len(arrivals) else np.inf
        begin = max(free, min(full_at, arrivals[first]))  # wrong
        waiting = np.searchsorted(arrivals, begin, side="right") - first
        count = min(waiting, most)
        free = begin + seconds[count]
        waited[first : first + count] = free - arrivals[first : first + count]
        first += count
    return waited


def serve_patiently_waits_for_full(arrivals, seconds, most, patience):
    waited, first, free = np.zeros(len(arrivals)), 0, 0.0
    while first < len(arrivals):
        full = first + most - 1
        full_at = arrivals[full] if full < len(arrivals) else np.inf
        begin = max(free, full_at)  # wrong
        waiting = np.searchsorted(arrivals, begin, side="right") - first
        count = min(waiting, most)
        free = begin + seconds[count]
        waited[first : first + count] = free - arrivals[first : first + count]
        first += count
    return waited


def serve_patiently_one_at_a_time(arrivals, seconds, most, patience):
    waited, first, free = np.zeros(len(arrivals)), 0, 0.0
    while first < len(arrivals):
        full = first + most - 1
        full_at = arrivals[full] if full < len(arrivals) else np.inf
        begin = max(free, min(full_at, arrivals[first] + patience))
        waiting = np.searchsorted(arrivals, begin, side="right") - first
        count = min(1, waiting)  # wrong
        free = begin + seconds[count]
        waited[first : first + count] = free - arrivals[first : first + count]
        first += count
    return waited


def serve_patiently_full_one_later(arrivals, seconds, most, patience):
    waited, first, free = np.zeros(len(arrivals)), 0, 0.0
    while first < len(arrivals):
        full = first + most  # wrong
        full_at = arrivals[full] if full < len(arrivals) else np.inf
        begin = max(free, min(full_at, arrivals[first] + patience))
        waiting = np.searchsorted(arrivals, begin, side="right") - first
        count = min(waiting, most)
        free = begin + seconds[count]
        waited[first : first + count] = free - arrivals[first : first + count]
        first += count
    return waited


def serve_patiently_waiting_only(arrivals, seconds, most, patience):
    waited, first, free = np.zeros(len(arrivals)), 0, 0.0
    while first < len(arrivals):
        full = first + most - 1
        full_at = arrivals[full] if full < len(arrivals) else np.inf
        begin = max(free, min(full_at, arrivals[first] + patience))
        waiting = np.searchsorted(arrivals, begin, side="right") - first
        count = min(waiting, most)
        free = begin + seconds[count]
        waited[first : first + count] = begin - arrivals[first : first + count]  # wrong
        first += count
    return waited


def serve_patiently_full_or_before_begin(arrivals, seconds, most, patience):
    waited, first, free = np.zeros(len(arrivals)), 0, 0.0
    while first < len(arrivals):
        full = first + most - 1
        full_at = arrivals[full] if full < len(arrivals) else np.inf
        begin = max(free, min(full_at, arrivals[first] + patience))
        waiting = np.searchsorted(arrivals, begin, side="right") - first
        # wrong:
        count = (
            most
            if full_at <= begin
            else max(1, np.searchsorted(arrivals, begin, side="left") - first)
        )
        free = begin + seconds[count]
        waited[first : first + count] = free - arrivals[first : first + count]
        first += count
    return waited


def serve_patiently_knows_the_last(arrivals, seconds, most, patience):
    waited, first, free = np.zeros(len(arrivals)), 0, 0.0
    while first < len(arrivals):
        full = first + most - 1
        # wrong:
        full_at = (
            arrivals[full]
            if full < len(arrivals)
            else (arrivals[-1] if first < len(arrivals) - 1 else np.inf)
        )
        begin = max(free, min(full_at, arrivals[first] + patience))
        waiting = np.searchsorted(arrivals, begin, side="right") - first
        count = min(waiting, most)
        free = begin + seconds[count]
        waited[first : first + count] = free - arrivals[first : first + count]
        first += count
    return waited


@pytest.mark.parametrize(
    "wrong, says",
    [
        (serve_patiently_starts_while_busy, ""),
        (serve_patiently_no_patience, "full"),
        (serve_patiently_waits_for_full, ""),
        (serve_patiently_one_at_a_time, "section 7"),
        (serve_patiently_full_one_later, ""),
        (serve_patiently_waiting_only, ""),
        (serve_patiently_full_or_before_begin, ""),
        (serve_patiently_knows_the_last, ""),
    ],
)
def test_serve_patiently_rejects(wrong, says):
    rejects(checks.serve_patiently, wrong, says)


def test_serve_patiently_accepts():
    accepts(checks.serve_patiently, answers.serve_patiently)


@pytest.mark.parametrize(
    "arguments, value",
    [
        (
            (
                np.array([0.0, 1.0, 6.0, 6.5]),
                np.array([0.0, 2.0, 3.0]),
                2,
                0.5,
            ),
            [2.5, 3.5, 3.5, 3.0],
        ),
        (
            (
                np.array([0.0, 1.0]),
                np.array([0.0, 2.0, 3.0]),
                3,
                1.0,
            ),
            [4.0, 3.0],
        ),
        (
            (
                np.array([0.0, 1.0]),
                np.array([0.0, 2.0, 3.0]),
                3,
                2.0,
            ),
            [5.0, 4.0],
        ),
        (
            (
                np.array([0.0, 1.0, 6.0, 6.5]),
                np.array([0.0, 2.0, 3.0]),
                2,
                4.0,
            ),
            [4.0, 3.0, 3.5, 3.0],
        ),
    ],
)
def test_serve_patiently_by_hand(arguments, value):
    agrees(answers.serve_patiently, arguments, value)


HARD = "np.logaddexp(0, z) - labels * z"

# The logit 0 is the probability 1/2; 2 log 3 is 9/10, and 3/4 at T = 2.
ZERO, NINE = array([0.0]), array([2 * log(3)])


# mended_loss


def mended_loss_no_squared_temperature(labels, teacher, z, temperature, alpha):
    hard = np.where(labels == -1, 0.0, np.logaddexp(0, z) - labels * z)
    target = 1 / (1 + np.exp(-teacher / temperature))
    soft = np.logaddexp(0, z / temperature) - target * z / temperature
    return (1 - alpha) * hard + alpha * soft  # wrong


def mended_loss_student_not_softened(labels, teacher, z, temperature, alpha):
    hard = np.where(labels == -1, 0.0, np.logaddexp(0, z) - labels * z)
    target = 1 / (1 + np.exp(-teacher / temperature))
    soft = np.logaddexp(0, z) - target * z  # wrong
    return (1 - alpha) * hard + alpha * temperature**2 * soft


def mended_loss_alpha_swapped(labels, teacher, z, temperature, alpha):
    hard = np.where(labels == -1, 0.0, np.logaddexp(0, z) - labels * z)
    target = 1 / (1 + np.exp(-teacher / temperature))
    soft = np.logaddexp(0, z / temperature) - target * z / temperature
    return alpha * hard + (1 - alpha) * temperature**2 * soft  # wrong


def mended_loss_labels_below_minus_one(labels, teacher, z, temperature, alpha):
    hard = np.where(labels < -1, 0.0, np.logaddexp(0, z) - labels * z)  # wrong
    target = 1 / (1 + np.exp(-teacher / temperature))
    soft = np.logaddexp(0, z / temperature) - target * z / temperature
    return (1 - alpha) * hard + alpha * temperature**2 * soft


def mended_loss_hard_part_softened(labels, teacher, z, temperature, alpha):
    # wrong:
    hard = np.where(
        labels == -1, 0.0, np.logaddexp(0, z / temperature) - labels * z / temperature
    )
    target = 1 / (1 + np.exp(-teacher / temperature))
    soft = np.logaddexp(0, z / temperature) - target * z / temperature
    return (1 - alpha) * hard + alpha * temperature**2 * soft


@pytest.mark.parametrize(
    "wrong, says",
    [
        (mended_loss_no_squared_temperature, "T²"),
        (mended_loss_student_not_softened, "both logits"),
        (mended_loss_alpha_swapped, "the hard part"),
        (mended_loss_labels_below_minus_one, "no hard part"),
        (mended_loss_hard_part_softened, "no place"),
    ],
)
def test_mended_loss_rejects(wrong, says):
    rejects(checks.mended_loss, wrong, says)


def test_mended_loss_accepts():
    accepts(checks.mended_loss, answers.mended_loss)


@pytest.mark.parametrize(
    "arguments, value",
    [
        ((array([1.0]), NINE, ZERO, 1.0, 0.0), [log(2)]),
        ((array([-1.0]), ZERO, NINE, 2.0, 0.5), [2 * log(4) - log(3)]),
        ((array([1.0]), ZERO, NINE, 2.0, 1.0), [4 * (log(4) - log(3) / 2)]),
        ((array([1.0]), ZERO, NINE, 2.0, 0.5), [2 * log(4) - log(3) + log(10 / 9) / 2]),
    ],
)
def test_mended_loss_by_hand(arguments, value):
    agrees(answers.mended_loss, arguments, value)


RIGHT = array([[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 1, 0]], bool)  # the teacher first

DRAWS = array([[0, 0, 0, 0], [2, 2, 2, 2], [0, 1, 2, 3]])


def with_an_interval(teacher, students, draws):
    points = 100 * (students.mean(axis=0) - teacher)
    return points.mean(), np.percentile(points[draws].mean(axis=1), [2.5, 97.5])


# lead


def lead_first_student(teacher, students, draws):
    points = 100 * (1.0 * students[0] - teacher)  # wrong
    drawn = points[draws].mean(axis=1)  # (K,)
    return points.mean(), *np.percentile(drawn, [2.5, 97.5])


def lead_fraction(teacher, students, draws):
    points = students.mean(axis=0) - teacher  # wrong
    drawn = points[draws].mean(axis=1)  # (K,)
    return points.mean(), *np.percentile(drawn, [2.5, 97.5])


def lead_other_percentiles(teacher, students, draws):
    points = 100 * (students.mean(axis=0) - teacher)  # (N,)
    drawn = points[draws].mean(axis=1)  # (K,)
    return points.mean(), *np.percentile(drawn, [5, 95])  # wrong


def lead_axis_of_draws(teacher, students, draws):
    points = 100 * (students.mean(axis=0) - teacher)  # (N,)
    drawn = points[draws].mean(axis=0)  # wrong
    return points.mean(), *np.percentile(drawn, [2.5, 97.5])


@pytest.mark.parametrize(
    "wrong, says",
    [
        (lead_first_student, "their mean"),
        (lead_fraction, "points"),
        (lead_other_percentiles, ""),
        (lead_axis_of_draws, ""),
    ],
)
def test_lead_rejects(wrong, says):
    rejects(checks.lead, wrong, says)


@pytest.mark.parametrize(
    "right",
    [
        answers.lead,
        with_an_interval,
    ],
)
def test_lead_accepts(right):
    accepts(checks.lead, right)


@pytest.mark.parametrize(
    "arguments, value",
    [((RIGHT[0], RIGHT[1:], DRAWS), (12.5, 0.625, 95.625))],
)
def test_lead_by_hand(arguments, value):
    agrees(answers.lead, arguments, value)

"""Exercises of "Many devices": right answers pass, likely mistakes do not."""

import math

import numpy as np
import pytest
from exercise_battery import accepts, agrees, rejects

from course_utils.kit.checks import many_devices as checks
from course_utils.kit.checks.answers import many_devices as answers

# exchange


@pytest.mark.parametrize(
    "wrong, says",
    [
        (lambda: (496.0, 19.84), "2 (W - 1) pieces"),  # all of it, once
        (lambda: (992.0, 39.68), "2 (W - 1) pieces"),  # all of it, to one and back
        (lambda: (434.0, 17.36), "2 (W - 1) pieces"),  # one way round
    ],
)
def test_exchange_rejects(wrong, says):
    rejects(checks.exchange, wrong, says)


def test_exchange_accepts():
    accepts(checks.exchange, answers.exchange)


@pytest.mark.parametrize(
    "arguments, value",
    [((), (2 * 7 * 4 * 124 / 8, 2 * 7 * 4 * 124 / 8 / 25))],
)
def test_exchange_by_hand(arguments, value):
    agrees(answers.exchange, arguments, value)


# plan


def plan_minutes_for_hours(euros, price, flops, utilisation, gigabytes):
    operations = 60 * euros / price * flops * utilisation  # wrong
    weights = math.sqrt(operations / (6 * 20))
    gpus = math.ceil(16 * weights / (gigabytes * 1e9 / 2))
    return weights / 1e9, 20 * weights / 1e9, gpus, euros / price / gpus


def plan_no_utilisation(euros, price, flops, utilisation, gigabytes):
    operations = 3600 * euros / price * flops  # wrong
    weights = math.sqrt(operations / (6 * 20))
    gpus = math.ceil(16 * weights / (gigabytes * 1e9 / 2))
    return weights / 1e9, 20 * weights / 1e9, gpus, euros / price / gpus


def plan_whole_memory(euros, price, flops, utilisation, gigabytes):
    operations = 3600 * euros / price * flops * utilisation
    weights = math.sqrt(operations / (6 * 20))
    gpus = math.ceil(16 * weights / (gigabytes * 1e9))  # wrong
    return weights / 1e9, 20 * weights / 1e9, gpus, euros / price / gpus


def plan_rounded_to_nearest(euros, price, flops, utilisation, gigabytes):
    operations = 3600 * euros / price * flops * utilisation
    weights = math.sqrt(operations / (6 * 20))
    gpus = max(1, round(16 * weights / (gigabytes * 1e9 / 2)))  # wrong
    return weights / 1e9, 20 * weights / 1e9, gpus, euros / price / gpus


def plan_always_one_more(euros, price, flops, utilisation, gigabytes):
    operations = 3600 * euros / price * flops * utilisation
    weights = math.sqrt(operations / (6 * 20))
    gpus = int(16 * weights / (gigabytes * 1e9 / 2)) + 1  # wrong
    return weights / 1e9, 20 * weights / 1e9, gpus, euros / price / gpus


def plan_hours_not_shared(euros, price, flops, utilisation, gigabytes):
    operations = 3600 * euros / price * flops * utilisation
    weights = math.sqrt(operations / (6 * 20))
    gpus = math.ceil(16 * weights / (gigabytes * 1e9 / 2))
    return weights / 1e9, 20 * weights / 1e9, gpus, euros / price  # wrong


def plan_fixed_price(euros, price, flops, utilisation, gigabytes):
    operations = 3600 * euros / price * flops * utilisation
    weights = math.sqrt(operations / (6 * 20))
    gpus = math.ceil(16 * weights / (gigabytes * 1e9 / 2))
    return weights / 1e9, 20 * weights / 1e9, gpus, euros / 2 / gpus  # wrong


@pytest.mark.parametrize(
    "wrong, says",
    [
        (plan_minutes_for_hours, "the operations"),
        (plan_no_utilisation, "the operations"),
        (plan_whole_memory, "how many GPUs"),
        (plan_rounded_to_nearest, "rounded up"),
        (plan_always_one_more, "three fit exactly"),
        (plan_hours_not_shared, "how many GPUs"),
        (plan_fixed_price, ""),
    ],
)
def test_plan_rejects(wrong, says):
    rejects(checks.plan, wrong, says)


def test_plan_accepts():
    accepts(checks.plan, answers.plan)


# 4.32e21 = 120 N² for 6 billion, 96 GB; 1.8e18 for 122 million, 1.96 GB: halves of 3.2.
@pytest.mark.parametrize(
    "arguments, value",
    [
        (
            (
                12000.0,
                2.0,
                400000000000000.0,
                0.5,
                64.0,
            ),
            (6.0, 120.0, 3, 2000.0),
        ),
        (
            (
                3.0,
                3.0,
                1000000000000000.0,
                0.5,
                3.2,
            ),
            (0.12247449, 2.44948974, 2, 0.5),
        ),
    ],
)
def test_plan_by_hand(arguments, value):
    agrees(answers.plan, arguments, value)


# token_weights


def token_weights_share_of_all_places(labels):
    real = np.asarray(labels) != 0
    return real / real.size  # wrong


def token_weights_no_division(labels):
    real = np.asarray(labels) != 0
    return 1.0 * real  # wrong


def token_weights_mean_of_rows(labels):
    real = np.asarray(labels) != 0
    return real / np.maximum(real.sum(axis=1, keepdims=True), 1) / len(real)  # wrong


@pytest.mark.parametrize(
    "wrong, says",
    [
        (token_weights_share_of_all_places, "a token of a short row"),
        (token_weights_no_division, "the sum of all weights"),
        (token_weights_mean_of_rows, "a token of a short row"),
    ],
)
def test_token_weights_rejects(wrong, says):
    rejects(checks.token_weights, wrong, says)


def test_token_weights_accepts():
    accepts(checks.token_weights, answers.token_weights)


@pytest.mark.parametrize(
    "arguments, value",
    [((np.array([[5, 6, 7], [8, 0, 0]]),), [[0.25, 0.25, 0.25], [0.25, 0, 0]])],
)
def test_token_weights_by_hand(arguments, value):
    agrees(answers.token_weights, arguments, value)


# noise_scale


def noise_scale_not_by_rows(small, big, of_small, of_big):
    noise = (of_small - of_big) / (small - big)  # wrong
    signal = (big * of_big - small * of_small) / (big - small)
    return noise / signal


def noise_scale_noise_in_signal(small, big, of_small, of_big):
    noise = (of_small - of_big) / (1 / small - 1 / big)
    signal = of_big  # wrong
    return noise / signal


def noise_scale_reversed(small, big, of_small, of_big):
    noise = (of_small - of_big) / (1 / small - 1 / big)
    signal = (big * of_big - small * of_small) / (big - small)
    return signal / noise  # wrong


def noise_scale_sign_reversed(small, big, of_small, of_big):
    noise = (of_big - of_small) / (1 / small - 1 / big)  # wrong
    signal = (big * of_big - small * of_small) / (big - small)
    return noise / signal


@pytest.mark.parametrize(
    "wrong, says",
    [
        (noise_scale_not_by_rows, "by that of 1 / rows"),
        (noise_scale_noise_in_signal, "the noise"),
        (noise_scale_reversed, ""),
        (noise_scale_sign_reversed, ""),
    ],
)
def test_noise_scale_rejects(wrong, says):
    rejects(checks.noise_scale, wrong, says)


def test_noise_scale_accepts():
    accepts(checks.noise_scale, answers.noise_scale)


# A signal of 2 and a noise of 24: 2 + 24 / 8 = 5 and 2 + 24 / 16 = 3.5.
@pytest.mark.parametrize(
    "arguments, value",
    [
        (
            (
                8,
                16,
                5.0,
                3.5,
            ),
            12.0,
        ),
        (
            (
                4,
                8,
                8.0,
                5.0,
            ),
            12.0,
        ),
    ],
)
def test_noise_scale_by_hand(arguments, value):
    agrees(answers.noise_scale, arguments, value)

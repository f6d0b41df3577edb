"""Exercises of lesson 09: right answers are accepted, likely mistakes rejected."""

import math
from collections import Counter

import numpy as np
import pytest
from exercise_battery import accepts, agrees, rejects
from numpy import array

from course_utils.kit.checks import lesson_09 as checks
from course_utils.kit.checks.answers import lesson_09 as answers

# narrow_beam


@pytest.mark.parametrize(
    "wrong, says",
    [
        (lambda: (0.176, 0.187, 0.198, 0.154), "each step"),  # the second step's alone
        (lambda: (0.22, 0.187, 0.198, 0.22), "the seven"),
        (lambda: (0.176, 0.198, 0.198, 0.22), "the seven"),
    ],
)
def test_narrow_beam_rejects(wrong, says):
    rejects(checks.narrow_beam, wrong, says)


def test_narrow_beam_accepts():
    accepts(checks.narrow_beam, answers.narrow_beam)


@pytest.mark.parametrize(
    "arguments, value",
    [((), (0.176, 0.187, 0.198, 0.22))],
)
def test_narrow_beam_by_hand(arguments, value):
    agrees(answers.narrow_beam, arguments, value)


# typical


def typical_by_surprise(probabilities, mass):
    possible = probabilities > 0
    surprise = -np.log(np.where(possible, probabilities, 1.0))  # (V,)
    entropy = (probabilities * surprise).sum()
    distance = np.where(possible, surprise, np.inf)  # wrong
    order = np.argsort(distance, kind="stable")
    before = np.cumsum(probabilities[order]) - probabilities[order]
    kept = np.zeros_like(probabilities)
    chosen = order[before < mass]
    kept[chosen] = probabilities[chosen]
    return kept / kept.sum()


def typical_not_a_distance(probabilities, mass):
    possible = probabilities > 0
    surprise = -np.log(np.where(possible, probabilities, 1.0))  # (V,)
    entropy = (probabilities * surprise).sum()
    distance = np.where(possible, np.abs(probabilities - entropy), np.inf)  # wrong
    order = np.argsort(distance, kind="stable")
    before = np.cumsum(probabilities[order]) - probabilities[order]
    kept = np.zeros_like(probabilities)
    chosen = order[before < mass]
    kept[chosen] = probabilities[chosen]
    return kept / kept.sum()


def typical_larger_id_first(probabilities, mass):
    possible = probabilities > 0
    surprise = -np.log(np.where(possible, probabilities, 1.0))  # (V,)
    entropy = (probabilities * surprise).sum()
    distance = np.where(possible, np.abs(surprise - entropy), np.inf)
    order = len(distance) - 1 - np.argsort(distance[::-1], kind="stable")  # wrong
    before = np.cumsum(probabilities[order]) - probabilities[order]
    kept = np.zeros_like(probabilities)
    chosen = order[before < mass]
    kept[chosen] = probabilities[chosen]
    return kept / kept.sum()


def typical_keeps_all_equal(probabilities, mass):
    possible = probabilities > 0
    surprise = -np.log(np.where(possible, probabilities, 1.0))  # (V,)
    entropy = (probabilities * surprise).sum()
    distance = np.where(possible, np.abs(surprise - entropy), np.inf)
    order = np.argsort(distance, kind="stable")
    before = np.cumsum(probabilities[order]) - probabilities[order]
    kept = np.zeros_like(probabilities)
    chosen = order[before < mass]
    kept = np.where(distance <= distance[chosen[-1]], probabilities, 0)  # wrong
    return kept / kept.sum()


def typical_one_token_too_many(probabilities, mass):
    possible = probabilities > 0
    surprise = -np.log(np.where(possible, probabilities, 1.0))  # (V,)
    entropy = (probabilities * surprise).sum()
    distance = np.where(possible, np.abs(surprise - entropy), np.inf)
    order = np.argsort(distance, kind="stable")
    before = np.cumsum(probabilities[order]) - probabilities[order]
    kept = np.zeros_like(probabilities)
    chosen = order[before <= mass]  # wrong
    kept[chosen] = probabilities[chosen]
    return kept / kept.sum()


def typical_stops_before_mass(probabilities, mass):
    possible = probabilities > 0
    surprise = -np.log(np.where(possible, probabilities, 1.0))  # (V,)
    entropy = (probabilities * surprise).sum()
    distance = np.where(possible, np.abs(surprise - entropy), np.inf)
    order = np.argsort(distance, kind="stable")
    before = np.cumsum(probabilities[order]) - probabilities[order]
    kept = np.zeros_like(probabilities)
    chosen = order[before + probabilities[order] <= mass]  # wrong
    kept[chosen] = probabilities[chosen]
    return kept / kept.sum()


def typical_no_new_sum(probabilities, mass):
    possible = probabilities > 0
    surprise = -np.log(np.where(possible, probabilities, 1.0))  # (V,)
    entropy = (probabilities * surprise).sum()
    distance = np.where(possible, np.abs(surprise - entropy), np.inf)
    order = np.argsort(distance, kind="stable")
    before = np.cumsum(probabilities[order]) - probabilities[order]
    kept = np.zeros_like(probabilities)
    chosen = order[before < mass]
    kept[chosen] = probabilities[chosen]
    return kept  # wrong


def typical_logarithm_of_zero(probabilities, mass):
    possible = probabilities > 0
    surprise = -np.log(probabilities)  # wrong
    entropy = (probabilities * surprise).sum()
    distance = np.where(possible, np.abs(surprise - entropy), np.inf)
    order = np.argsort(distance, kind="stable")
    before = np.cumsum(probabilities[order]) - probabilities[order]
    kept = np.zeros_like(probabilities)
    chosen = order[before < mass]
    kept[chosen] = probabilities[chosen]
    return kept / kept.sum()


@pytest.mark.parametrize(
    "wrong, says",
    [
        (typical_by_surprise, "may be left out"),
        (typical_not_a_distance, ""),
        (typical_larger_id_first, "the smaller id"),
        (typical_keeps_all_equal, "the smaller id"),
        (typical_one_token_too_many, "equal to the mass"),
        (typical_stops_before_mass, "it stays"),
        (typical_no_new_sum, "the new sum"),
        (typical_logarithm_of_zero, "probability 0"),
    ],
)
def test_typical_rejects(wrong, says):
    rejects(checks.typical, wrong, says)


def test_typical_accepts():
    accepts(checks.typical, answers.typical)


@pytest.mark.parametrize(
    "arguments, value",
    [
        (
            (
                np.array([0.5, 0.25, 0.15, 0.1]),
                0.6,
            ),
            [0.66666667, 0.33333333, 0, 0],
        ),
        (
            (
                np.array([0.4, 0.12, 0.12, 0.12, 0.12, 0.12]),
                0.2,
            ),
            [0, 0.5, 0.5, 0, 0, 0],
        ),
        (
            (
                np.array([0.4, 0.12, 0.12, 0.12, 0.12, 0.12]),
                0.5,
            ),
            [0, 0.2, 0.2, 0.2, 0.2, 0.2],
        ),
        (
            (
                np.array([0.25, 0.5, 0.125, 0.125]),
                0.25,
            ),
            [1, 0, 0, 0],
        ),
        (
            (
                np.array([0.0, 0.25, 0.75]),
                0.5,
            ),
            [0, 0, 1],
        ),
    ],
)
def test_typical_by_hand(arguments, value):
    agrees(answers.typical, arguments, value)


class Ones:
    """A model whose encoder gives ones, and whose decoder has no block."""

    decoder_blocks = ()

    def encode(self, source):
        return 0 * array(source)[..., None] + 1


# mended_memory


def mended_memory_wherever_encoded(model, source):
    encoded = model.encode(source)  # (B, S, D)
    real = (encoded != 0).numpy().any(axis=-1)  # wrong
    attentions = [block.cross_attention for block in model.decoder_blocks]
    return [one.project_keys_values(encoded) for one in attentions], real


def mended_memory_reversed(model, source):
    encoded = model.encode(source)  # (B, S, D)
    real = source == 0  # wrong
    attentions = [block.cross_attention for block in model.decoder_blocks]
    return [one.project_keys_values(encoded) for one in attentions], real


def mended_memory_without_low_ids(model, source):
    encoded = model.encode(source)  # (B, S, D)
    real = source > 4  # wrong
    attentions = [block.cross_attention for block in model.decoder_blocks]
    return [one.project_keys_values(encoded) for one in attentions], real


def mended_memory_mask_of_first_row(model, source):
    encoded = model.encode(source)  # (B, S, D)
    real = 0 * source + source[:1] != 0  # wrong
    attentions = [block.cross_attention for block in model.decoder_blocks]
    return [one.project_keys_values(encoded) for one in attentions], real


def mended_memory_columns_of_any_row(model, source):
    encoded = model.encode(source)  # (B, S, D)
    real = (0 * source + (source != 0).any(axis=0)) > 0  # wrong
    attentions = [block.cross_attention for block in model.decoder_blocks]
    return [one.project_keys_values(encoded) for one in attentions], real


def mended_memory_without_id_one(model, source):
    encoded = model.encode(source)  # (B, S, D)
    real = source > 1  # wrong
    attentions = [block.cross_attention for block in model.decoder_blocks]
    return [one.project_keys_values(encoded) for one in attentions], real


@pytest.mark.parametrize(
    "wrong, says",
    [
        (mended_memory_wherever_encoded, "the mask"),
        (mended_memory_reversed, "right before"),
        (mended_memory_without_low_ids, "right before"),
        (mended_memory_mask_of_first_row, "its own"),
        (mended_memory_columns_of_any_row, "its own"),
        (mended_memory_without_id_one, "its own"),
    ],
)
def test_mended_memory_rejects(wrong, says):
    rejects(checks.mended_memory, wrong, says)


def test_mended_memory_accepts():
    accepts(checks.mended_memory, answers.mended_memory)


@pytest.mark.parametrize(
    "arguments, value",
    [
        ((Ones(), array([[5, 4, 0]])), ([], [[True, True, False]])),
        ((Ones(), array([[5, 4], [1, 0]])), ([], [[True, True], [True, False]])),
    ],
)
def test_mended_memory_by_hand(arguments, value):
    agrees(answers.mended_memory, arguments, value)


# honest_bleu


def honest_bleu_below_zero(hypotheses, references):
    matches, totals, ours, theirs = [0] * 4, [0] * 4, 0, 0
    for text, reference in zip(hypotheses, references):
        words, wanted = text.split(), reference.split()
        for n in range(1, 5):
            grams = Counter(zip(*(words[i:] for i in range(n))))
            known = Counter(zip(*(wanted[i:] for i in range(n))))
            matches[n - 1] += sum((grams & known).values())
            totals[n - 1] += len(words) - n + 1  # wrong
        ours, theirs = ours + len(words), theirs + len(wanted)
    if 0 in matches:
        return 0.0
    precisions = [m / t for m, t in zip(matches, totals)]
    brevity = min(1.0, math.exp(1 - theirs / ours))
    return 100 * brevity * math.prod(precisions) ** 0.25


def honest_bleu_empty_texts_do_not_count(hypotheses, references):
    matches, totals, ours, theirs = [0] * 4, [0] * 4, 0, 0
    for text, reference in zip(hypotheses, references):
        words, wanted = text.split(), reference.split()
        for n in range(1, 5):
            grams = Counter(zip(*(words[i:] for i in range(n))))
            known = Counter(zip(*(wanted[i:] for i in range(n))))
            matches[n - 1] += sum((grams & known).values())
            totals[n - 1] += max(0, len(words) - n + 1)
        ours, theirs = ours + len(words), theirs + len(wanted) * bool(words)  # wrong
    if 0 in matches:
        return 0.0
    precisions = [m / t for m, t in zip(matches, totals)]
    brevity = min(1.0, math.exp(1 - theirs / ours))
    return 100 * brevity * math.prod(precisions) ** 0.25


def honest_bleu_no_clipping(hypotheses, references):
    matches, totals, ours, theirs = [0] * 4, [0] * 4, 0, 0
    for text, reference in zip(hypotheses, references):
        words, wanted = text.split(), reference.split()
        for n in range(1, 5):
            grams = Counter(zip(*(words[i:] for i in range(n))))
            known = Counter(zip(*(wanted[i:] for i in range(n))))
            matches[n - 1] += sum(grams.values())  # wrong
            totals[n - 1] += max(0, len(words) - n + 1)
        ours, theirs = ours + len(words), theirs + len(wanted)
    if 0 in matches:
        return 0.0
    precisions = [m / t for m, t in zip(matches, totals)]
    brevity = min(1.0, math.exp(1 - theirs / ours))
    return 100 * brevity * math.prod(precisions) ** 0.25


def honest_bleu_lower_case(hypotheses, references):
    matches, totals, ours, theirs = [0] * 4, [0] * 4, 0, 0
    for text, reference in zip(hypotheses, references):
        words, wanted = text.lower().split(), reference.lower().split()  # wrong
        for n in range(1, 5):
            grams = Counter(zip(*(words[i:] for i in range(n))))
            known = Counter(zip(*(wanted[i:] for i in range(n))))
            matches[n - 1] += sum((grams & known).values())
            totals[n - 1] += max(0, len(words) - n + 1)
        ours, theirs = ours + len(words), theirs + len(wanted)
    if 0 in matches:
        return 0.0
    precisions = [m / t for m, t in zip(matches, totals)]
    brevity = min(1.0, math.exp(1 - theirs / ours))
    return 100 * brevity * math.prod(precisions) ** 0.25


def honest_bleu_longer_length(hypotheses, references):
    matches, totals, ours, theirs = [0] * 4, [0] * 4, 0, 0
    for text, reference in zip(hypotheses, references):
        words, wanted = text.split(), reference.split()
        for n in range(1, 5):
            grams = Counter(zip(*(words[i:] for i in range(n))))
            known = Counter(zip(*(wanted[i:] for i in range(n))))
            matches[n - 1] += sum((grams & known).values())
            totals[n - 1] += max(0, len(words) - n + 1)
        ours, theirs = ours + len(words), theirs + max(len(words), len(wanted))  # wrong
    if 0 in matches:
        return 0.0
    precisions = [m / t for m, t in zip(matches, totals)]
    brevity = min(1.0, math.exp(1 - theirs / ours))
    return 100 * brevity * math.prod(precisions) ** 0.25


def honest_bleu_rewards_length(hypotheses, references):
    matches, totals, ours, theirs = [0] * 4, [0] * 4, 0, 0
    for text, reference in zip(hypotheses, references):
        words, wanted = text.split(), reference.split()
        for n in range(1, 5):
            grams = Counter(zip(*(words[i:] for i in range(n))))
            known = Counter(zip(*(wanted[i:] for i in range(n))))
            matches[n - 1] += sum((grams & known).values())
            totals[n - 1] += max(0, len(words) - n + 1)
        ours, theirs = ours + len(words), theirs + len(wanted)
    if 0 in matches:
        return 0.0
    precisions = [m / t for m, t in zip(matches, totals)]
    brevity = 1 * math.exp(1 - theirs / ours)  # wrong
    return 100 * brevity * math.prod(precisions) ** 0.25


@pytest.mark.parametrize(
    "wrong, says",
    [
        (honest_bleu_below_zero, "fewer than 0"),
        (honest_bleu_empty_texts_do_not_count, "it counts"),
        (honest_bleu_no_clipping, "the precisions"),
        (honest_bleu_lower_case, "its own reference"),
        (honest_bleu_longer_length, ""),
        (honest_bleu_rewards_length, "precisions"),
    ],
)
def test_honest_bleu_rejects(wrong, says):
    rejects(checks.honest_bleu, wrong, says)


def test_honest_bleu_accepts():
    accepts(checks.honest_bleu, answers.honest_bleu)


# Two right; one word too many: 100 (1/5)^¼; a text of nothing: 100 / e; no run of four.
@pytest.mark.parametrize(
    "arguments, value",
    [
        (
            (
                ["a b c d", "a b"],
                ["a b c d", "a b"],
            ),
            100,
        ),
        (
            (
                ["a b c d d"],
                ["a b c d"],
            ),
            66.8740305,
        ),
        (
            (
                ["a b c d", ""],
                ["a b c d", "e f g h"],
            ),
            36.7879441,
        ),
        (
            (
                ["a b c"],
                ["a b c"],
            ),
            0,
        ),
        (
            (
                ["A b c d"],
                ["a b c d"],
            ),
            0,
        ),
    ],
)
def test_honest_bleu_by_hand(arguments, value):
    agrees(answers.honest_bleu, arguments, value)


# The second setting is the best; the third comes near it on average only.
SKEW = array([[1.0, 1, 1, 9], [2, 2, 2, 2]])

LATE = array([[1.0] * 40, [0.9] * 39 + [-99]])  # 97.5 % of its draws are near

DRAWN = array([[40, 41, 42, 43, 44], [41, 42, 43, 44, 45], 5 * [42.9]])


# setting_to_ship


def setting_to_ship_half_of_draws(drawn, seconds, margin):
    best = np.mean(drawn, axis=1).argmax()
    near = (drawn >= drawn[best] - margin).mean(axis=1)  # (settings,)
    good = np.flatnonzero(near >= 0.5)  # wrong
    return good[np.argmin(np.array(seconds)[good])]


def setting_to_ship_strictly_more(drawn, seconds, margin):
    best = np.mean(drawn, axis=1).argmax()
    near = (drawn >= drawn[best] - margin).mean(axis=1)  # (settings,)
    good = np.flatnonzero(near > 0.975)  # wrong
    return good[np.argmin(np.array(seconds)[good])]


def setting_to_ship_against_mean_of_best(drawn, seconds, margin):
    best = np.mean(drawn, axis=1).argmax()
    near = (drawn >= drawn[best].mean() - margin).mean(axis=1)  # wrong
    good = np.flatnonzero(near >= 0.975)
    return good[np.argmin(np.array(seconds)[good])]


def setting_to_ship_two_sided(drawn, seconds, margin):
    best = np.mean(drawn, axis=1).argmax()
    near = (np.abs(drawn - drawn[best]) <= margin).mean(axis=1)  # wrong
    good = np.flatnonzero(near >= 0.975)
    return good[np.argmin(np.array(seconds)[good])]


def setting_to_ship_median(drawn, seconds, margin):
    best = np.median(drawn, axis=1).argmax()  # wrong
    near = (drawn >= drawn[best] - margin).mean(axis=1)  # (settings,)
    good = np.flatnonzero(near >= 0.975)
    return good[np.argmin(np.array(seconds)[good])]


def setting_to_ship_first_good_one(drawn, seconds, margin):
    best = np.mean(drawn, axis=1).argmax()
    near = (drawn >= drawn[best] - margin).mean(axis=1)  # (settings,)
    good = np.flatnonzero(near >= 0.975)
    return good[0]  # wrong


def setting_to_ship_margin_added(drawn, seconds, margin):
    best = np.mean(drawn, axis=1).argmax()
    near = (drawn >= drawn[best] + margin).mean(axis=1)  # wrong
    good = np.flatnonzero(near >= 0.975)
    return good[np.argmin(np.array(seconds)[good])]


@pytest.mark.parametrize(
    "wrong, says",
    [
        (setting_to_ship_half_of_draws, ""),
        (setting_to_ship_strictly_more, "at least"),
        (setting_to_ship_against_mean_of_best, "never behind itself"),
        (setting_to_ship_two_sided, "one side"),
        (setting_to_ship_median, "largest mean"),
        (setting_to_ship_first_good_one, "the fastest"),
        (setting_to_ship_margin_added, ""),
    ],
)
def test_setting_to_ship_rejects(wrong, says):
    rejects(checks.setting_to_ship, wrong, says)


def test_setting_to_ship_accepts():
    accepts(checks.setting_to_ship, answers.setting_to_ship)


@pytest.mark.parametrize(
    "arguments, value",
    [((DRAWN, [3, 2, 1], m), index) for m, index in ((0.5, 1), (1, 1), (3, 2))]
    + [((SKEW, [2, 1], 0.5), 0), ((LATE, [2, 1], 0.5), 1)],
)
def test_setting_to_ship_by_hand(arguments, value):
    agrees(answers.setting_to_ship, arguments, value)

"""The bottleneck's exercise: right answers are accepted, likely mistakes rejected."""

from types import SimpleNamespace

import numpy as np
import pytest
from exercise_battery import accepts, agrees, rejects
from numpy import array

from course_utils.kit.checks import bottleneck_measured as checks
from course_utils.kit.checks.answers import bottleneck_measured as answers

TOKENS, WROTE = array([[2, 5, 6], [2, 7, 0]]), array([[11, 0, 13], [14, 15, 16]])

# Stands in for a generator: 0.9, 0.1, 0.9 in the first row, 0.1, 0.9, 0.1 in the other.
DRAWS = SimpleNamespace(random=lambda shape: np.resize([0.9, 0.1], shape))


# mix_inputs


def mix_inputs_one_draw_a_column(tokens, wrote, rate, rng):
    own = np.concatenate([tokens[:, :1], wrote[:, :-1]], axis=1)  # (B, T)
    replaced = (rng.random(tokens.shape[1]) < rate) & (tokens != 0)  # wrong
    return np.where(replaced, own, tokens)


def mix_inputs_own_generator(tokens, wrote, rate, rng):
    own = np.concatenate([tokens[:, :1], wrote[:, :-1]], axis=1)  # (B, T)
    # wrong:
    replaced = (np.random.default_rng(0).random(tokens.shape) < rate) & (tokens != 0)
    return np.where(replaced, own, tokens)


def mix_inputs_changes_tokens_in_place(tokens, wrote, rate, rng):
    own = np.concatenate([tokens[:, :1], wrote[:, :-1]], axis=1)  # (B, T)
    replaced = (rng.random(tokens.shape) < rate) & (tokens != 0)
    tokens[replaced] = own[replaced]  # wrong
    return tokens  # wrong


def mix_inputs_spares_padding_written(tokens, wrote, rate, rng):
    own = np.concatenate([tokens[:, :1], wrote[:, :-1]], axis=1)  # (B, T)
    replaced = (rng.random(tokens.shape) < rate) & (tokens != 0) & (own != 0)  # wrong
    return np.where(replaced, own, tokens)


def mix_inputs_not_shifted_right(tokens, wrote, rate, rng):
    own = np.concatenate([tokens[:, :1], wrote[:, 1:]], axis=1)  # wrong
    replaced = (rng.random(tokens.shape) < rate) & (tokens != 0)
    return np.where(replaced, own, tokens)


def mix_inputs_not_shifted(tokens, wrote, rate, rng):
    own = np.concatenate([wrote], axis=1)  # wrong
    replaced = (rng.random(tokens.shape) < rate) & (tokens != 0)
    return np.where(replaced, own, tokens)


def mix_inputs_replaces_padding(tokens, wrote, rate, rng):
    own = np.concatenate([tokens[:, :1], wrote[:, :-1]], axis=1)  # (B, T)
    replaced = rng.random(tokens.shape) < rate  # wrong
    return np.where(replaced, own, tokens)


def mix_inputs_replaces_the_rest(tokens, wrote, rate, rng):
    own = np.concatenate([tokens[:, :1], wrote[:, :-1]], axis=1)  # (B, T)
    replaced = (rng.random(tokens.shape) > rate) & (tokens != 0)  # wrong
    return np.where(replaced, own, tokens)


def mix_inputs_one_draw_a_row(tokens, wrote, rate, rng):
    own = np.concatenate([tokens[:, :1], wrote[:, :-1]], axis=1)  # (B, T)
    replaced = (rng.random((len(tokens), 1)) < rate) & (tokens != 0)  # wrong
    return np.where(replaced, own, tokens)


@pytest.mark.parametrize(
    "wrong, says",
    [
        (mix_inputs_one_draw_a_column, "one for each token"),
        (mix_inputs_own_generator, "from rng"),
        (mix_inputs_changes_tokens_in_place, "a new array"),
        (mix_inputs_spares_padding_written, ""),
        (mix_inputs_not_shifted_right, "the shift"),
        (mix_inputs_not_shifted, "[start]"),
        (mix_inputs_replaces_padding, "padding"),
        (mix_inputs_replaces_the_rest, "nothing is replaced"),
        (mix_inputs_one_draw_a_row, "one for each token"),
        (lambda tokens, wrote, rate, rng: tokens if rate < 0.5 else wrote, ""),
    ],
)
def test_mix_inputs_rejects(wrong, says):
    rejects(checks.mix_inputs, wrong, says)


def test_mix_inputs_accepts():
    accepts(checks.mix_inputs, answers.mix_inputs)


@pytest.mark.parametrize(
    "arguments, value",
    [
        ((TOKENS, WROTE, 0.0, np.random.default_rng(0)), TOKENS),
        ((TOKENS, WROTE, 1.0, np.random.default_rng(0)), [[2, 11, 0], [2, 14, 0]]),
        ((TOKENS, WROTE, 0.5, DRAWS), [[2, 11, 6], [2, 7, 0]]),
    ],
)
def test_mix_inputs_by_hand(arguments, value):
    agrees(answers.mix_inputs, arguments, value)

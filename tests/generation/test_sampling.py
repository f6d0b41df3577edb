"""Sampling keeps what it should, and draws with the probabilities that it should."""

import math
import re

import keras
import numpy as np
import pytest
import search_models as models
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from keras import ops
from search_models import VOCAB_SIZE, A, B, TableModel, at_the_limits
from tiny_language_models import make_gpt

from course_utils.generation import generate, sampling
from course_utils.generation.fast_search import fast_generate, fast_sample_search
from course_utils.generation.sampling import NEVER, keep_top_k, keep_top_p
from course_utils.generation.search import greedy_search, sample_search
from course_utils.text.vectorizers import END, PAD, START, pad

LOGITS = st.lists(st.integers(-3, 3), min_size=2, max_size=8)  # ties are common


a_few = settings(max_examples=50, derandomize=True)


def kept(logits, k=None, p=1.0):
    """Return the ids that stay, best first, by a plain loop."""
    order = sorted(range(len(logits)), key=lambda i: (-logits[i], i))[:k]
    weights = [math.exp(logits[i] - max(logits)) for i in order]
    total = 0.0
    for number, weight in enumerate(weights, 1):
        total += weight / sum(weights)
        if total >= p:
            return order[:number]
    return order


def check_kept(keep, logits, limit, ids):
    """Keeping those up to a limit leaves the logits of these ids alone."""
    right = [logit if i in ids else NEVER for i, logit in enumerate(logits)]
    (found,) = keep(np.array([logits], "float32"), limit)
    np.testing.assert_array_equal(found, np.array(right, "float32"))


@a_few
@given(LOGITS, st.integers(1, 10), st.floats(0.01, 0.99))
def test_keep_top_k_and_keep_top_p_equal_a_plain_loop(logits, k, p):
    check_kept(keep_top_k, logits, k, kept(logits, k))
    # Where a sum is p but for rounding, both answers are right.
    assume(kept(logits, p=p - 1e-5) == kept(logits, p=p + 1e-5))
    check_kept(keep_top_p, logits, p, kept(logits, p=p))


@pytest.mark.parametrize(
    "p, number", [(0.25, 1), (0.2500001, 2), (0.5, 2), (0.51, 3), (1, 4), (1e-9, 1)]
)
def test_keep_top_p_of_equal_tokens_keeps_the_first(p, number):
    logits = [1.0] * 4  # their sums are exact
    check_kept(keep_top_p, logits, p, range(number))
    check_kept(keep_top_k, logits, number, range(number))


def test_keep_top_k_and_keep_top_p_of_all_tokens_change_nothing():
    """Also where the float32 sum of probabilities is 1 long before the last token."""
    logits = np.random.default_rng(0).normal(0, 12, (20, 50)).astype("float32")
    for k, p in ((50, 1), (50, 1.0), (99, 1)):
        best = keep_top_k(logits, k)
        for result in (best, keep_top_p(logits, p), keep_top_p(best, p)):
            np.testing.assert_array_equal(result, logits)


def test_draw_tokens_never_draws_the_impossible():
    """Not even with the smallest and the largest draw there is."""
    logits = np.random.default_rng(0).normal(0, 5, (40, 300)).astype("float32")
    never = [0, 1, 50, 298, 299]
    logits[:, never] = NEVER
    for uniform in (0.0, 0.5, 1 - 2**-24):
        tokens = sampling.draw_tokens(logits, np.full(40, uniform, "float32"))
        assert not np.isin(tokens, never).any()


# At every step the same four words, with the same probabilities.
CHANCES = {1: 0.1, START: 0.2, A: 0.4, B: 0.3}


def dice():
    table = np.full((1, models.STATES, VOCAB_SIZE), -40.0)
    for token, chance in CHANCES.items():
        table[..., token] = math.log(chance)
    return TableModel(table)


def fits(counts, shares):
    """Compare counts with shares by a chi-square test, at about 1 in 1000."""
    counts, shares = np.ravel(counts), np.ravel(shares)
    if counts[shares == 0].any():
        return False
    counts, expected = counts[shares > 0], counts.sum() * shares[shares > 0]
    assert expected.min() > 5  # else the test isn't valid
    statistic = ((counts - expected) ** 2 / expected).sum()
    freedom = len(counts) - 1
    return statistic <= freedom + 5 * math.sqrt(2 * freedom)


def shares_of(chances):
    shares = np.array([chances.get(token, 0) for token in range(VOCAB_SIZE)])
    return shares / shares.sum()


@pytest.mark.parametrize(
    "options, chances",
    [
        ({}, CHANCES),
        ({"temperature": 0.5}, {token: p**2 for token, p in CHANCES.items()}),
        ({"temperature": 2.0}, {token: p**0.5 for token, p in CHANCES.items()}),
        ({"top_k": 2}, {A: 0.4, B: 0.3}),
        ({"top_k": 9}, CHANCES),
        ({"top_p": 0.75}, {START: 0.2, A: 0.4, B: 0.3}),
        ({"top_p": 1.0}, CHANCES),
        # Of the first three, two have 0.7 / 0.9 of the probability.
        ({"top_k": 3, "top_p": 0.75}, {A: 0.4, B: 0.3}),
        # Squares: the first has 0.16 / 0.3.
        ({"temperature": 0.5, "top_p": 0.5}, {A: 1.0}),
    ],
)
def test_sample_search_frequencies_are_the_probabilities(options, chances):
    tokens = sample_search(dice(), np.zeros((4000, 1)), 1, **options)
    counts = np.bincount(tokens[:, 0], minlength=VOCAB_SIZE)
    assert fits(counts, shares_of(chances))
    assert not fits(counts, shares_of({1: 1, START: 1, A: 1, B: 1}))


def pair_counts(one, other):
    return np.bincount(one * VOCAB_SIZE + other, minlength=VOCAB_SIZE**2)


def test_sample_search_steps_rows_and_seeds_are_independent():
    """Pairs of tokens are as frequent as the products of their probabilities say."""
    model, source = dice(), np.zeros((3000, 1))
    tokens = sample_search(model, source, 2)
    other = sample_search(model, source, 2, seed=1)
    shares = np.outer(shares_of(CHANCES), shares_of(CHANCES))
    assert fits(pair_counts(tokens[:, 0], tokens[:, 1]), shares)
    assert fits(pair_counts(tokens[:-1, 0], tokens[1:, 0]), shares)
    assert fits(pair_counts(tokens[:-1, 0], tokens[1:, 1]), shares)
    assert fits(pair_counts(tokens[:, 0], other[:, 0]), shares)
    assert not fits(pair_counts(tokens[:, 0], tokens[:, 0]), shares)


def test_sample_search_depends_on_seed_and_place_only():
    """Not on the rows after it, how many tokens may follow, other random numbers."""
    model = TableModel(models.random_tables(3, seed=5))
    source = np.array([[0], [1], [2], [1]])
    full = sample_search(model, source, 7, seed=3)
    models.check_padding_after_end(full)
    keras.utils.set_random_seed(1)
    np.testing.assert_array_equal(sample_search(model, source, 7, seed=3), full)
    assert not np.array_equal(sample_search(model, source, 7, seed=8), full)
    part = sample_search(model, source[:2], 4, seed=3)
    np.testing.assert_array_equal(part, full[:2, :4])
    limits = np.array([2, 7, 4, 3])
    found = sample_search(model, source, limits, seed=3)
    np.testing.assert_array_equal(found, full * (np.arange(7) < limits[:, None]))


@at_the_limits
def test_sample_search_at_its_limits_is_greedy_search(options, transformer, sources):
    table, kinds = TableModel(models.random_tables(4, seed=2)), [[0], [1], [2], [3]] * 3
    cases = (table, np.array(kinds), 3), (transformer, pad(sources), 1)
    for model, source, seeds in cases:
        for seed in range(seeds):
            found = sample_search(model, source, 10, seed=seed, **options)
            np.testing.assert_array_equal(found, greedy_search(model, source, 10))


def outside(model, source, tokens, temperature, k=None, p=1.0):
    """Count the tokens that the whole model, run without a cache, rules out."""
    shifted = np.concatenate([np.full((len(tokens), 1), START), tokens[:, :-1]], axis=1)
    logits = ops.convert_to_numpy(model((source, shifted.astype("int32"))))
    counted = ~np.isin(shifted, (END, PAD))
    return sum(
        token not in kept(row / temperature, k, p)
        for token, row in zip(tokens[counted], logits[counted], strict=True)
    )


def test_sample_search_draws_among_the_best(transformer, sources):
    source = pad(sources * 5)
    for k, p in ((3, None), (None, 0.7), (4, 0.9)):
        limits = {"temperature": 3.0, "k": k, "p": p or 1.0}
        tokens = sample_search(transformer, source, 10, 3.0, top_k=k, top_p=p)
        ended = (tokens == END).any(axis=1)
        assert ended.any() and not ended.all()
        models.check_padding_after_end(tokens)
        assert outside(transformer, source, tokens, **limits) == 0
        free = sample_search(transformer, source, 10, temperature=3.0)
        assert outside(transformer, source, free, **limits) > 20


def test_sample_search_compiles_one_graph_for_all_settings():
    model = TableModel(models.random_tables(2, seed=0))
    for rows, length, seed in [(1, 3, 0), (4, 5, 1), (4, 9, 2)]:
        source = np.ones((rows, length))
        sample_search(model, source, length, temperature=1 + seed, seed=seed)
    for top_p in (0.2, 0.9, 1):
        sample_search(model, np.ones((2, 3)), 4, top_p=top_p)
    sample_search(model, np.ones((2, 3)), 4, top_k=2)
    assert model.traces == 1


def test_impossible_sets_of_tokens_are_refused():
    row = np.zeros((1, 3))
    with pytest.raises(ValueError, match="k is 0"):
        keep_top_k(row, 0)
    with pytest.raises(ValueError, match="p is 2"):
        keep_top_p(row, 2)


BAD_SAMPLING = [
    ({"temperature": -1.0}, "temperature is -1.0"),
    ({"temperature": np.nan}, "temperature is nan"),
    ({"temperature": np.inf}, "temperature is inf"),
    ({"top_k": 0}, "top_k is 0"),
    ({"top_p": 0.0}, "top_p is 0.0"),
    ({"top_p": 1.5}, "top_p is 1.5"),
    ({"seed": -1}, "seed is -1"),
    ({"seed": None}, "seed is None"),
]


@pytest.mark.parametrize("options, said", BAD_SAMPLING)
def test_impossible_options_of_sampling_are_refused(options, said, transformer):
    with pytest.raises(ValueError, match=re.escape(said)):
        sample_search(transformer, np.ones((1, 2)), 5, **options)
    with pytest.raises(ValueError, match=re.escape(said)):
        fast_sample_search(transformer, np.ones((1, 2)), 5, **options)
    with pytest.raises(ValueError, match=re.escape(said)):
        generate(make_gpt(), [[START]], 4, **options)
    with pytest.raises(ValueError, match=re.escape(said)):
        fast_generate(make_gpt(), [[START]], 4, **options)

"""Greedy search, sampling and beam search do what they should, and are compiled once.

Most tests search a table whose right answer follows from going through every sequence.
"""

import gc
import itertools
import math
import weakref

import keras
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from keras import ops

from course_utils import generation
from course_utils.generation import (
    NEVER,
    beam_search,
    greedy_search,
    keep_top_k,
    keep_top_p,
    sample_search,
)
from course_utils.seq2seq import TranslationTransformer
from course_utils.text import END, PAD, START, pad

A, B = 4, 5
VOCAB_SIZE = 6
STATES = 7


class TableModel:
    """A step function whose log-probabilities stand in a table.

    The first source token of a row picks one table of (STATES, V) rows. The state
    lives in the cache and depends on all tokens so far, so that a search that mixes
    up its cache gives wrong answers.
    """

    def __init__(self, tables):
        self.tables = np.asarray(tables, dtype="float32")
        self.traces = 0
        self.steps = keras.Variable(0, dtype="int32", trainable=False)
        self.rows = keras.Variable(0, dtype="int32", trainable=False)

    def encode_for_steps(self, source):
        return source[:, 0]

    def empty_cache(self, rows, length):
        return [(ops.zeros((rows, 1), "int32"), ops.zeros((rows, length), "int32"))]

    def step(self, tokens, position, cache, kind):
        self.traces += 1
        self.steps.assign_add(1)
        self.rows.assign_add(ops.shape(tokens)[0])
        state = (cache[0][0] * 3 + ops.expand_dims(tokens, 1)) % STATES  # (R, 1)
        sentences = ops.shape(kind)[0]
        rows = ops.reshape(state, (sentences, -1)) + ops.expand_dims(kind, 1) * STATES
        table = ops.reshape(ops.convert_to_tensor(self.tables), (-1, VOCAB_SIZE))
        logits = ops.take(table, ops.reshape(rows, (-1,)), axis=0)  # (R, V)
        return logits, [(state, cache[0][1])]

    def log_prob(self, kind, tokens):
        """Return the log-probability of one sequence, by a plain loop."""
        state, last, total = 0, START, 0.0
        for token in tokens:
            state = (state * 3 + last) % STATES
            row = self.tables[kind, state].astype("float64")
            total += row[token] - np.log(np.exp(row).sum())
            last = token
        return total

    def best(self, kind, max_length, length_penalty):
        """Go through every sequence; return the best and its penalised score."""
        words = [token for token in range(VOCAB_SIZE) if token not in (PAD, END)]
        sequences = [
            [*beginning, END]
            for length in range(max_length)
            for beginning in itertools.product(words, repeat=length)
        ]
        sequences += [list(s) for s in itertools.product(words, repeat=max_length)]
        scored = [
            (self.log_prob(kind, s) / penalty(len(s), length_penalty), s)
            for s in sequences
        ]
        return max(scored)


def penalty(length, length_penalty):
    return ((5 + length) / 6) ** length_penalty


def random_tables(kinds, seed, never=(PAD, START)):
    tables = np.random.default_rng(seed).normal(0, 2, (kinds, STATES, VOCAB_SIZE))
    tables[:, :, list(never)] = -40
    return tables


def table_of(rows):
    """Build one table from {prefix: {token: probability}}; elsewhere END is certain."""
    table = np.full((STATES, VOCAB_SIZE), -40.0)
    table[:, END] = 0
    for prefix, probabilities in rows.items():
        state = 0
        for token in (START, *prefix):
            state = (state * 3 + token) % STATES
        table[state] = -40
        for token, probability in probabilities.items():
            table[state, token] = math.log(probability)
    return table


# The likelier first word leads to doubt, the other one to certainty.
GARDEN_PATH = table_of(
    {
        (): {A: 0.6, B: 0.4},
        (A,): {A: 0.4, B: 0.3, END: 0.3},
        (B,): {END: 1.0},
    }
)
# Ends at once with probability 0.4, or goes on for three words.
SHORT_OR_LONG = table_of({(): {END: 0.4, A: 0.35, B: 0.25}, (A,): {B: 0.99, END: 0.01}})
END_AT_ONCE = table_of({})
ENDLESS = np.where(
    np.arange(VOCAB_SIZE) == A, 0.0, np.full((STATES, VOCAB_SIZE), -40.0)
)


def strip(row):
    """Return the ids up to the end, which is included."""
    return [int(token) for token in row if token != PAD]


def check_padding_after_end(tokens):
    for row in tokens:
        ended = np.flatnonzero((row == END) | (row == PAD))
        assert not len(ended) or not row[ended[0] + 1 :].any()


def test_beam_search_finds_what_greedy_search_misses():
    model = TableModel([GARDEN_PATH])
    assert strip(greedy_search(model, np.zeros((1, 1)), 6)[0])[0] == A
    tokens, scores = beam_search(model, np.zeros((1, 1)), 6, 2, length_penalty=0.0)
    assert strip(tokens[0]) == [B, END]
    np.testing.assert_allclose(scores, [math.log(0.4)], atol=1e-5)
    greedy = strip(greedy_search(model, np.zeros((1, 1)), 6)[0])
    assert model.log_prob(0, greedy) < scores[0] - 0.1


@pytest.mark.parametrize("length_penalty", [0.0, 1.0, 2.0])
def test_wide_beam_search_equals_exhaustive_search(length_penalty):
    """216 beams hold all beginnings; there are more of them than tokens."""
    model = TableModel(random_tables(3, seed=1))
    kinds = np.array([[2], [0], [1]])
    tokens, scores = beam_search(model, kinds, 4, 216, length_penalty)
    for row, score, kind in zip(tokens, scores, kinds[:, 0], strict=True):
        best_score, best = model.best(kind, 4, length_penalty)
        assert strip(row) == best
        assert score == pytest.approx(best_score, abs=1e-4)


@pytest.mark.parametrize("seed", range(2))
def test_scores_are_those_of_the_returned_tokens(seed):
    """So a finished beam's score never changes while other beams go on."""
    model = TableModel(random_tables(4, seed))
    kinds = np.array([[0], [1], [2], [3], [0]])
    for beam_width in (2, 5):
        tokens, scores = beam_search(model, kinds, 9, beam_width)
        check_padding_after_end(tokens)
        for row, score, kind in zip(tokens, scores, kinds[:, 0], strict=True):
            ids = strip(row)
            right = model.log_prob(kind, ids) / penalty(len(ids), 1.0)
            assert score == pytest.approx(right, abs=1e-4)
        assert np.array_equal(tokens[0], tokens[-1])


def test_a_finished_beam_can_only_be_padded():
    logits = np.random.default_rng(0).normal(size=(3, VOCAB_SIZE))
    last = np.array([END, PAD, A], dtype="int32")
    done = generation._finished(ops.convert_to_tensor(last), 2, np.array([9, 9, 9]))
    tokens, log_probs = generation._extensions(
        ops.convert_to_tensor(logits, "float32"), done, 3
    )
    tokens, log_probs = map(ops.convert_to_numpy, (tokens, log_probs))
    assert tokens[:2].tolist() == [[PAD] * 3] * 2
    assert log_probs[:2, 0].tolist() == [0, 0]
    assert (log_probs[:2, 1:] <= -1e9).all()
    assert tokens[2].tolist() == np.argsort(-logits[2])[:3].tolist()


@pytest.mark.parametrize("seed", range(2))
def test_one_beam_is_greedy_search(seed):
    model = TableModel(random_tables(4, seed))
    kinds = np.array([[0], [1], [2], [3]])
    tokens, _ = beam_search(model, kinds, 8, beam_width=1)
    np.testing.assert_array_equal(tokens, greedy_search(model, kinds, 8))


def test_length_penalty_prefers_longer():
    model = TableModel([SHORT_OR_LONG])
    source = np.zeros((1, 1))
    short, _ = beam_search(model, source, 6, 3, length_penalty=0.0)
    long, _ = beam_search(model, source, 6, 3, length_penalty=2.0)
    assert strip(short[0]) == [END]
    assert strip(long[0]) == [A, B, END]


def test_max_length_is_kept():
    model = TableModel(random_tables(2, seed=3, never=(PAD, START, END)))
    source = np.array([[0], [1]])
    for tokens in (
        greedy_search(model, source, 1),
        sample_search(model, source, 1),
        beam_search(model, source, 1, 2)[0],
        greedy_search(model, source, 5),
        sample_search(model, source, 5),
        beam_search(model, source, 5, 2)[0],
    ):
        assert tokens.all()
    assert greedy_search(model, source, 5).shape == (2, 5)
    assert sample_search(model, source, 5).shape == (2, 5)
    assert beam_search(model, source, 5, 3)[0].shape == (2, 5)


def test_each_sentence_can_have_its_own_max_length():
    """The result is that of searching each sentence alone with its limit."""
    model = TableModel(random_tables(3, seed=5))
    source, limits = np.array([[0], [1], [2], [1]]), [2, 7, 4, 3]
    greedy = greedy_search(model, source, limits)
    beams, scores = beam_search(model, source, limits, 3)
    assert greedy.shape == beams.shape == (4, 7)
    for i, limit in enumerate(limits):
        alone = greedy_search(model, source[i : i + 1], limit)
        assert strip(greedy[i]) == strip(alone[0])
        alone, score = beam_search(model, source[i : i + 1], limit, 3)
        assert strip(beams[i]) == strip(alone[0])
        assert score[0] == pytest.approx(scores[i], abs=1e-5)


@pytest.mark.parametrize(
    "search",
    [greedy_search, sample_search, lambda *a: beam_search(*a, beam_width=3)[0]],
)
def test_search_stops_when_every_sentence_has_ended(search):
    model = TableModel([END_AT_ONCE, table_of({(): {A: 1.0}, (A,): {B: 1.0}})])
    tokens = search(model, np.zeros((2, 3)), 50)
    assert tokens.shape == (2, 50)
    assert [strip(row) for row in tokens] == [[END], [END]]
    ended_at_once = int(model.steps.value)
    tokens = search(model, np.array([[0], [1], [0]]), 50)
    assert [strip(row) for row in tokens] == [[END], [A, B, END], [END]]
    assert ended_at_once <= 3
    assert int(model.steps.value) - ended_at_once <= 5


@pytest.mark.parametrize(
    "search, beams",
    [
        (greedy_search, 1),
        (sample_search, 1),
        (lambda *a: beam_search(*a, beam_width=2)[0], 2),
    ],
)
def test_finished_sentences_leave_the_batch(search, beams):
    model = TableModel([END_AT_ONCE, ENDLESS])
    source = np.array([[0]] * 5 + [[1]] + [[0]] * 4)
    tokens = search(model, source, 40)
    assert [len(strip(row)) for row in tokens] == [1] * 5 + [40] + [1] * 4
    in_one_loop = 10 * beams * generation.STEPS
    assert int(model.rows.value) <= in_one_loop + 40 * beams


@pytest.mark.parametrize("search", [greedy_search, sample_search])
def test_search_token_by_token_makes_no_step_too_many(search):
    model = TableModel([END_AT_ONCE])
    search(model, np.zeros((2, 3)), 50)
    assert int(model.steps.value) == 1


def test_one_graph_serves_all_shapes():
    model = TableModel(random_tables(2, seed=0))
    for rows, columns, max_length in [(1, 1, 3), (4, 2, 5), (4, 7, 5), (2, 3, 9)]:
        greedy_search(model, np.ones((rows, columns), dtype="int64"), max_length)
    assert model.traces == 1
    for rows, columns, beam_width in [(1, 1, 2), (4, 2, 2), (4, 7, 2), (2, 3, 2)]:
        beam_search(model, np.ones((rows, columns)), 4, beam_width, rows / 2)
    assert model.traces == 2
    beam_search(model, np.ones((1, 1)), 4, 3)
    assert model.traces == 3


def test_each_model_has_its_own_graph():
    first, second = TableModel([GARDEN_PATH]), TableModel([END_AT_ONCE])
    assert strip(greedy_search(first, np.zeros((1, 1)), 3)[0])[0] == A
    assert strip(greedy_search(second, np.zeros((1, 1)), 3)[0]) == [END]
    assert first.traces == second.traces == 1


def tiny_transformer(num_layers=1, **options):
    """Return a model with large random weights, so that its outputs vary."""
    keras.utils.set_random_seed(3)
    model = TranslationTransformer(12, 20, 16, 32, 4, num_layers, **options)
    model.build()
    rng = np.random.default_rng(32)
    model.set_weights([w + rng.normal(0, 0.4, w.shape) for w in model.get_weights()])
    model.embedding.position_embeddings.set_weights([rng.normal(0, 4, (20, 16))])
    return model


@pytest.fixture(scope="module")
def transformer():
    return tiny_transformer(num_layers=2)


@pytest.fixture(scope="module")
def sources():
    rng = np.random.default_rng(7)
    return [rng.integers(4, 12, n).tolist() for n in (3, 9, 1, 6, 5, 2, 8, 4)]


def uncached_greedy(model, source, max_length):
    """Run the whole model again for every token."""
    tokens = np.full((len(source), 1), START, dtype="int32")
    for _ in range(max_length):
        logits = ops.convert_to_numpy(model((source, tokens)))[:, -1]
        new = np.where(np.isin(tokens[:, -1], (END, PAD)), PAD, logits.argmax(-1))
        tokens = np.concatenate([tokens, new[:, None].astype("int32")], axis=1)
    return tokens[:, 1:]


def test_cached_search_equals_running_the_whole_model(transformer, sources):
    found = greedy_search(transformer, pad(sources), 10)
    ended = (found == END).any(axis=1)
    assert ended.any() and not ended.all()  # else the test would show little
    np.testing.assert_array_equal(found, uncached_greedy(transformer, pad(sources), 10))
    check_padding_after_end(found)


def test_one_beam_of_the_transformer_is_greedy_search(transformer, sources):
    tokens, _ = beam_search(transformer, pad(sources), 10, beam_width=1)
    np.testing.assert_array_equal(tokens, greedy_search(transformer, pad(sources), 10))


def test_batched_search_equals_one_sentence_at_a_time(transformer, sources):
    greedy = greedy_search(transformer, pad(sources), 10)
    beams, scores = beam_search(transformer, pad(sources), 10)
    for i, source in enumerate(sources):
        alone = pad([source])
        np.testing.assert_array_equal(
            greedy_search(transformer, alone, 10)[0], greedy[i]
        )
        tokens, score = beam_search(transformer, alone, 10)
        np.testing.assert_array_equal(tokens[0], beams[i])
        assert score[0] == pytest.approx(scores[i], abs=1e-4)


def test_beam_scores_of_the_transformer_are_its_log_probabilities(transformer, sources):
    """The cache follows its beam: one teacher-forced call gives the same scores."""
    tokens, scores = beam_search(transformer, pad(sources), 10, length_penalty=0.0)
    shifted = np.concatenate([np.full((len(tokens), 1), START), tokens[:, :-1]], axis=1)
    logits = transformer((pad(sources), shifted.astype("int32")))
    log_probs = ops.convert_to_numpy(ops.log_softmax(logits))
    chosen = np.take_along_axis(log_probs, tokens[:, :, None], axis=-1)[..., 0]
    # An end counts, and so does padding that a beam chose without one.
    counted = ~np.isin(shifted, (END, PAD))
    right = (chosen * counted).sum(axis=1)
    np.testing.assert_allclose(scores, right, atol=1e-3)


def test_search_in_bfloat16(sources):
    model = tiny_transformer(dtype="mixed_bfloat16")
    assert keras.backend.standardize_dtype(model.empty_cache(1, 2)[0][0].dtype) == (
        "bfloat16"
    )
    found = greedy_search(model, pad(sources), 6)
    assert found.shape == (8, 6)
    check_padding_after_end(found)
    drawn = sample_search(model, pad(sources), 6, top_k=5, top_p=0.9)
    assert drawn.shape == (8, 6) and not np.array_equal(drawn, found)
    check_padding_after_end(drawn)
    # Ties are common here; both take the first of them.
    np.testing.assert_array_equal(sample_search(model, pad(sources), 6, top_k=1), found)
    tokens, scores = beam_search(model, pad(sources), 6, 3)
    assert scores.dtype == "float32" and np.isfinite(scores).all()
    check_padding_after_end(tokens)


def test_new_weights_are_used_by_a_compiled_search(sources):
    model = tiny_transformer()
    before = greedy_search(model, pad(sources), 6)
    model.set_weights([w[..., ::-1] for w in model.get_weights()])
    after = greedy_search(model, pad(sources), 6)
    assert not np.array_equal(before, after)
    np.testing.assert_array_equal(after, uncached_greedy(model, pad(sources), 6))


def test_a_searched_model_can_be_forgotten(sources):
    # Entries aren't counted: the collector may take another test's model meanwhile.
    model = tiny_transformer()
    greedy_search(model, pad(sources[:2]), 3)
    step = next(iter(generation._compiled[model].values()))
    model_reference, step_reference = weakref.ref(model), weakref.ref(step)
    del model, step
    gc.collect()
    assert model_reference() is None
    assert step_reference() is None


@pytest.mark.parametrize("search", [greedy_search, sample_search, beam_search])
@pytest.mark.parametrize(
    "shape, max_length, message",
    [
        ((3,), 5, r"source has shape \(3,\); expected \(B, S\)"),
        ((1, 2, 3), 5, r"source has shape \(1, 2, 3\)"),
        ((0, 4), 5, r"source has shape \(0, 4\)"),
        ((2, 0), 5, r"source has shape \(2, 0\)"),
        ((2, 3), 0, "max_length is 0; it must be at least 1"),
        ((2, 3), [4, 0], "max_length is 0; it must be at least 1"),
        ((2, 3), [4, 4, 4], r"max_length has shape \(3,\); expected one number, or"),
        ((2, 3), 21, "max_length is 21, but the model has positions for 20"),
        ((2, 21), 5, "the source has 21 columns"),
    ],
)
def test_search_refuses(search, shape, max_length, message, transformer):
    with pytest.raises(ValueError, match=message):
        search(transformer, np.ones(shape, dtype="int32"), max_length)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"temperature": 0}, "temperature is 0; .* its limit at 0 is greedy_search"),
        ({"temperature": -1.0}, "temperature is -1.0; it must be above 0"),
        ({"temperature": math.nan}, "temperature is nan; it must be above 0"),
        ({"top_k": 0}, "sample_search: top_k is 0; it must be at least 1"),
        ({"top_p": 0.0}, "sample_search: top_p is 0.0; it must be above 0 and at"),
        ({"top_p": 1.5}, "sample_search: top_p is 1.5; it must be above 0 and at"),
        ({"seed": -1}, "seed is -1; expected an integer, at least 0"),
        ({"seed": None}, "seed is None; expected an integer"),
    ],
)
def test_sampling_refuses(options, message, transformer):
    with pytest.raises(ValueError, match=message):
        sample_search(transformer, np.ones((1, 2)), 5, **options)


def test_keeping_the_best_refuses():
    with pytest.raises(ValueError, match="keep_top_k: k is 0; it must be at least 1"):
        keep_top_k(np.zeros((1, 3)), 0)
    with pytest.raises(ValueError, match="keep_top_p: p is 2; it must be above 0"):
        keep_top_p(np.zeros((1, 3)), 2)


def test_beam_search_refuses_no_beams(transformer):
    with pytest.raises(ValueError, match="beam_width is 0; it must be at least 1"):
        beam_search(transformer, np.ones((1, 2)), 5, beam_width=0)


# Sampling: first what is kept, then what is drawn.

LOGITS = st.lists(st.integers(-3, 3), min_size=2, max_size=8)  # ties are common
a_few = settings(max_examples=50, derandomize=True, deadline=None)


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


def check_kept(result, logits, ids):
    right = np.full(len(logits), NEVER)
    right[ids] = np.array(logits)[ids]
    np.testing.assert_array_equal(ops.convert_to_numpy(result)[0], right)


@a_few
@given(LOGITS, st.integers(1, 10))
def test_keep_top_k_equals_a_plain_loop(logits, k):
    result = keep_top_k(np.array([logits], "float32"), k)
    check_kept(result, logits, kept(logits, k))


@a_few
@given(LOGITS, st.floats(0.01, 0.99))
def test_keep_top_p_equals_a_plain_loop(logits, p):
    # Where a sum is p but for rounding, both answers are right.
    assume(kept(logits, p=p - 1e-5) == kept(logits, p=p + 1e-5))
    result = keep_top_p(np.array([logits], "float32"), p)
    check_kept(result, logits, kept(logits, p=p))


@pytest.mark.parametrize(
    "p, number", [(0.25, 1), (0.2500001, 2), (0.5, 2), (0.51, 3), (1, 4), (1e-9, 1)]
)
def test_of_equal_tokens_the_first_are_kept_until_their_sum_reaches_p(p, number):
    logits = [1.0] * 4  # their sums are exact
    check_kept(
        keep_top_p(np.array([logits], "float32"), p), logits, [0, 1, 2, 3][:number]
    )
    check_kept(keep_top_k(np.array([logits], "float32"), number), logits, range(number))


def test_keeping_everything_changes_nothing():
    """Also where the float32 sum of probabilities is 1 long before the last token."""
    logits = np.random.default_rng(0).normal(0, 12, (20, 50)).astype("float32")
    for result in (
        keep_top_p(logits, 1),
        keep_top_p(logits, 1.0),
        keep_top_k(logits, 50),
        keep_top_k(logits, 99),
        keep_top_p(keep_top_k(logits, 50), 1.0),
    ):
        np.testing.assert_array_equal(ops.convert_to_numpy(result), logits)


def test_impossible_tokens_are_never_drawn():
    """Not even with the smallest and the largest draw there is."""
    logits = np.random.default_rng(0).normal(0, 5, (40, 300)).astype("float32")
    logits[:, [0, 1, 50, 298, 299]] = NEVER
    for draw in (0.0, 0.5, 1 - 2**-24):
        draws = np.full(40, draw, "float32")
        tokens = ops.convert_to_numpy(generation.draw(logits, draws))
        assert not np.isin(tokens, [0, 1, 50, 298, 299]).any()


# At every step the same four words, with the same probabilities.
CHANCES = {1: 0.1, START: 0.2, A: 0.4, B: 0.3}


def dice():
    table = np.full((1, STATES, VOCAB_SIZE), -40.0)
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
    shares = np.zeros(VOCAB_SIZE)
    for token, chance in chances.items():
        shares[token] = chance
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
def test_frequencies_are_the_probabilities(options, chances):
    tokens = sample_search(dice(), np.zeros((4000, 1)), 1, **options)
    counts = np.bincount(tokens[:, 0], minlength=VOCAB_SIZE)
    assert fits(counts, shares_of(chances))
    assert not fits(counts, shares_of({1: 1, START: 1, A: 1, B: 1}))


def pair_counts(one, other):
    counts = np.zeros((VOCAB_SIZE, VOCAB_SIZE))
    np.add.at(counts, (one, other), 1)
    return counts


def test_draws_of_steps_rows_and_seeds_are_independent():
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


def test_a_seed_gives_the_same_tokens_again():
    model, source = TableModel(random_tables(3, seed=4)), np.array([[0], [1], [2]] * 5)
    first = sample_search(model, source, 8, seed=7)
    keras.utils.set_random_seed(1)  # other random numbers have no part in it
    np.testing.assert_array_equal(sample_search(model, source, 8, seed=7), first)
    assert not np.array_equal(sample_search(model, source, 8, seed=8), first)
    np.testing.assert_array_equal(sample_search(model, source, 8, seed=7), first)


def test_a_draw_depends_on_seed_and_place_only():
    """Not on the rows after it, nor on how many tokens may follow."""
    model, source = TableModel(random_tables(3, seed=5)), np.array([[0], [1], [2], [1]])
    full = sample_search(model, source, 7, seed=3)
    check_padding_after_end(full)
    np.testing.assert_array_equal(
        sample_search(model, source[:2], 4, seed=3), full[:2, :4]
    )
    limits = np.array([2, 7, 4, 3])
    within = np.arange(7) < limits[:, None]
    np.testing.assert_array_equal(
        sample_search(model, source, limits, seed=3), np.where(within, full, PAD)
    )


@pytest.mark.parametrize(
    "options",
    [
        {"temperature": 1e-3},
        {"temperature": 5.0, "top_k": 1},
        {"temperature": 5.0, "top_p": 1e-6},
    ],
)
def test_the_limits_of_sampling_are_greedy_search(options, transformer, sources):
    model = TableModel(random_tables(4, seed=2))
    kinds = np.array([[0], [1], [2], [3]] * 3)
    for seed in range(3):
        np.testing.assert_array_equal(
            sample_search(model, kinds, 8, seed=seed, **options),
            greedy_search(model, kinds, 8),
        )
    np.testing.assert_array_equal(
        sample_search(transformer, pad(sources), 10, **options),
        greedy_search(transformer, pad(sources), 10),
    )


def outside(model, source, tokens, temperature, k=None, p=1.0):
    """Count the tokens that the whole model, run without a cache, rules out."""
    shifted = np.concatenate([np.full((len(tokens), 1), START), tokens[:, :-1]], axis=1)
    logits = ops.convert_to_numpy(model((source, shifted.astype("int32"))))
    counted = ~np.isin(shifted, (END, PAD))
    return sum(
        token not in kept(row / temperature, k, p)
        for token, row in zip(tokens[counted], logits[counted], strict=True)
    )


def test_sampled_tokens_are_among_the_best(transformer, sources):
    source = pad(sources * 5)
    for k, p in ((3, None), (None, 0.7), (4, 0.9)):
        limits = {"temperature": 3.0, "k": k, "p": p or 1.0}
        tokens = sample_search(transformer, source, 10, 3.0, top_k=k, top_p=p)
        ended = (tokens == END).any(axis=1)
        assert ended.any() and not ended.all()
        check_padding_after_end(tokens)
        assert outside(transformer, source, tokens, **limits) == 0
        free = sample_search(transformer, source, 10, temperature=3.0)
        assert outside(transformer, source, free, **limits) > 20


def test_one_graph_serves_all_seeds_temperatures_and_shares():
    model = TableModel(random_tables(2, seed=0))
    for rows, length, seed in [(1, 3, 0), (4, 5, 1), (4, 9, 2)]:
        source = np.ones((rows, length))
        sample_search(model, source, length, temperature=1 + seed, seed=seed)
    assert model.traces == 1
    for top_p in (0.2, 0.9, 1):
        sample_search(model, np.ones((2, 3)), 4, top_p=top_p)
    assert model.traces == 2
    sample_search(model, np.ones((2, 3)), 4, top_k=2)
    assert model.traces == 3


@given(
    rows=st.integers(1, 3),
    groups=st.integers(1, 20),
    k=st.integers(1, 5),
    levels=st.integers(1, 40),
    seed=st.integers(0, 99),
)
def test_top_k_by_groups_equals_top_k(rows, groups, k, levels, seed):
    shape = (rows, groups * generation.GROUP)
    x = np.random.default_rng(seed).integers(0, levels, shape).astype("float32")
    values, places = generation._top_k(ops.convert_to_tensor(x), k)
    expected = np.argsort(-x, axis=1, kind="stable")[:, :k]  # of equal ones the first
    np.testing.assert_array_equal(ops.convert_to_numpy(places), expected)
    np.testing.assert_array_equal(
        ops.convert_to_numpy(values), np.take_along_axis(x, expected, axis=1)
    )

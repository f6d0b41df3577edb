"""The fast searches find what the plain ones do, and do less for it."""

import numpy as np
import pytest
import search_models as models
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import ops
from search_models import TableModel, strip
from tiny_language_models import CONTEXT, both_models, make_lstm

from course_utils.generation import fast_search
from course_utils.generation.beam_search import beam_search
from course_utils.generation.fast_search import (
    fast_beam_search,
    fast_generate,
    fast_greedy_search,
    fast_greedy_search_in_batches,
    fast_sample_search,
)
from course_utils.generation.search import greedy_search, sample_search
from course_utils.generation.text_generator import generate
from course_utils.text.vectorizers import END, START, UNKNOWN, pad

DRAWS = [
    {},
    {"temperature": 2.0, "top_k": 3},
    {"temperature": 3.0, "top_p": 0.8, "seed": 1},
    {"temperature": 3.0, "top_k": 5, "top_p": 0.6},
    {"temperature": 5e-324},  # 0 in float32
    {"temperature": 0.5, "top_k": 1000, "top_p": 1, "seed": 4},
]
# An end in a prompt doesn't end a text.
PROMPTS = [
    [START],
    [START, 5, 6, 7, 8, 9, 10, 11, 4],
    [START, 9],
    [START, 4, END, 4],
    [START, 6, END],
]


@pytest.mark.parametrize("length", [1, 3, 8, 10])
def test_fast_greedy_search_equals_greedy_search(length, translation_model, sources):
    found = fast_greedy_search(translation_model, pad(sources), length)
    expected = greedy_search(translation_model, pad(sources), length)
    np.testing.assert_array_equal(found, expected)


def test_fast_greedy_search_with_limits_equals_greedy_search(transformer, sources):
    limits = [2, 10, 4, 17, 1, 8, 9, 16]
    found = fast_greedy_search(transformer, pad(sources), limits)
    expected = greedy_search(transformer, pad(sources), limits)
    np.testing.assert_array_equal(found, expected)


def test_fast_greedy_search_in_batches_equals_greedy_search(transformer, sources):
    found = fast_greedy_search_in_batches(transformer, pad(sources), 10, batch_size=3)
    np.testing.assert_array_equal(found, greedy_search(transformer, pad(sources), 10))


@pytest.mark.parametrize("options", DRAWS)
def test_fast_sample_search_equals_sample_search(options, translation_model, sources):
    for limits in (10, [2, 10, 4, 17, 1, 8, 9, 16]):
        found = fast_sample_search(translation_model, pad(sources), limits, **options)
        expected = sample_search(translation_model, pad(sources), limits, **options)
        np.testing.assert_array_equal(found, expected)


@both_models
@pytest.mark.parametrize("options", [{"temperature": 0}, *DRAWS])
def test_fast_generate_equals_generate(options, make):
    """Also for one prompt, and for new tokens up to the end of the context."""
    model = make()
    for length in (1, 5, CONTEXT + 1 - 9):
        found = fast_generate(model, PROMPTS, length, **options)
        expected = generate(model, PROMPTS, length, **options)
        np.testing.assert_array_equal(found, expected)
        alone = fast_generate(model, PROMPTS[:1], length, **options)
        np.testing.assert_array_equal(alone, expected[:1])


def test_fast_generate_ends_in_the_middle_as_generate():
    model = make_lstm()
    prompts = [[START, *[5] * (row % 4)] for row in range(40)]
    found = fast_generate(model, prompts, 30, temperature=2.0)
    np.testing.assert_array_equal(found, generate(model, prompts, 30, temperature=2.0))
    lengths = {len(strip(row)) for row in found}
    assert min(lengths) < 8 and len(lengths) > 5


@pytest.mark.parametrize("temperature", [0, 50.0])
def test_fast_generate_writes_no_suppressed_token(temperature):
    """Even where the model thinks that the unknown token is the best."""
    model = make_lstm()
    logits_of = model.step

    def step(*given):
        logits, cache = logits_of(*given)
        return logits + 100.0 * (np.arange(model.vocab_size) == UNKNOWN), cache

    model.step = step
    prompts = [[START]] * 20
    found = fast_generate(model, prompts, 10, temperature=temperature)
    expected = generate(model, prompts, 10, temperature=temperature)
    np.testing.assert_array_equal(found, expected)
    assert not np.isin(found, [UNKNOWN, START]).any()


@pytest.mark.parametrize("beam_width", [1, 4])
def test_fast_beam_search_equals_beam_search(beam_width, translation_model, sources):
    for length_penalty in (0.0, 1.0):
        options = (10, beam_width, length_penalty)
        tokens, scores = fast_beam_search(translation_model, pad(sources), *options)
        expected, right = beam_search(translation_model, pad(sources), *options)
        np.testing.assert_array_equal(tokens, expected)
        np.testing.assert_allclose(scores, right, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("beam_width", [2, 5, 40])
def test_fast_beam_search_equals_beam_search_on_tables(beam_width):
    """Also with more beams than there are tokens, and with limits."""
    model = TableModel(models.random_tables(4, seed=3))
    kinds = np.array([[0], [1], [2], [3], [0]])
    for limits in (9, [3, 9, 1, 5, 4]):
        tokens, scores = fast_beam_search(model, kinds, limits, beam_width)
        expected, right = beam_search(model, kinds, limits, beam_width)
        np.testing.assert_array_equal(tokens, expected)
        np.testing.assert_allclose(scores, right, atol=1e-4)


def test_fast_sample_search_drops_finished_sentences():
    model = TableModel([models.END_AT_ONCE, models.ENDLESS])
    tokens = fast_sample_search(model, np.array([[0]] * 5 + [[1]] + [[0]] * 4), 40)
    assert [len(strip(row)) for row in tokens] == [1] * 5 + [40] + [1] * 4
    assert int(model.rows.value) <= 10 * fast_search.CHUNK + 40


@pytest.mark.parametrize("beams", [1, 2])
def test_fast_search_drops_finished_sentences(beams):
    def search(model, source, max_length):
        if beams == 1:
            return fast_greedy_search(model, source, max_length)
        return fast_beam_search(model, source, max_length, beams)[0]

    model = TableModel([models.END_AT_ONCE, models.ENDLESS])
    tokens = search(model, np.array([[0]] * 5 + [[1]] + [[0]] * 4), 40)
    assert [len(strip(row)) for row in tokens] == [1] * 5 + [40] + [1] * 4
    assert int(model.rows.value) <= 10 * beams * fast_search.CHUNK + 40 * beams


def test_fast_search_compiles_one_graph_for_all_shapes():
    model = TableModel(models.random_tables(2, seed=0))
    for rows, columns, max_length in [(1, 1, 3), (4, 2, 5), (4, 7, 5), (2, 3, 9)]:
        fast_greedy_search(model, np.ones((rows, columns), dtype="int64"), max_length)
    assert model.traces == 1
    for rows, columns in [(1, 1), (4, 2), (4, 7), (2, 3)]:
        fast_beam_search(model, np.ones((rows, columns)), 4, 2, rows / 2)
    assert model.traces == 2


def test_fast_sample_search_compiles_one_graph_for_all_values():
    """Of temperature, top-p, seed and shapes; a new slider's value costs no time."""
    model = TableModel(models.random_tables(2, seed=0))
    for rows, length, seed in [(1, 3, 0), (4, 5, 1), (4, 9, 2)]:
        source = np.ones((rows, length))
        fast_sample_search(model, source, length, temperature=1 + seed, seed=seed)
    assert model.traces == 1
    for top_p in (0.2, 0.5, 0.9):
        fast_sample_search(model, np.ones((2, 3)), 4, top_p=top_p)
    assert model.traces == 2


@settings(derandomize=True)
@given(
    rows=st.integers(1, 3),
    groups=st.integers(1, 20),
    k=st.integers(1, 5),
    levels=st.integers(1, 40),
    seed=st.integers(0, 99),
)
def test_top_k_by_groups_equals_top_k(rows, groups, k, levels, seed):
    shape = (rows, groups * fast_search.GROUP)
    x = np.random.default_rng(seed).integers(0, levels, shape).astype("float32")
    values, places = fast_search.top_k_by_groups(ops.convert_to_tensor(x), k)
    expected = np.argsort(-x, axis=1, kind="stable")[:, :k]  # of equal ones the first
    np.testing.assert_array_equal(places, expected)
    np.testing.assert_array_equal(values, np.take_along_axis(x, expected, axis=1))

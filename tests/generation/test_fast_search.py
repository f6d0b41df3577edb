"""The fast searches find what the plain ones do, and do less for it."""

import numpy as np
import pytest
import search_models as models
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import ops
from search_models import TableModel, strip

from course_utils.generation import fast_search
from course_utils.generation.beam_search import beam_search
from course_utils.generation.fast_search import (
    fast_beam_search,
    fast_greedy_search,
    fast_greedy_search_in_batches,
)
from course_utils.generation.search import greedy_search
from course_utils.text.vectorizers import pad


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

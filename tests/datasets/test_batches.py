"""Batches hold every sequence once, little padding, and reshuffle by seed."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils.datasets.batches import (
    classification_batches,
    fixed_batches,
    fixed_lengths,
    token_batches,
    translation_batches,
)
from course_utils.text.vectorizers import END, START

LENGTHS = st.lists(st.integers(0, 40), max_size=60)


@pytest.fixture(params=["", "1"], ids=["as on CPUs", "fixed shapes"])
def path(request, monkeypatch):
    """Make batches as on CPUs, then as on accelerators."""
    monkeypatch.setenv("COURSE_ACCELERATOR", request.param or "0")


@given(LENGTHS, st.integers(1, 100), st.none() | st.integers(0, 5))
def test_every_index_once_and_few_tokens(lengths, limit, seed):
    rng = None if seed is None else np.random.default_rng(seed)
    batches = token_batches(lengths, limit, rng)
    assert sorted(i for batch in batches for i in batch) == list(range(len(lengths)))
    for batch in batches:
        longest = max(lengths[i] for i in batch)
        assert len(batch) == 1 or len(batch) * longest <= limit


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=40))
def test_the_number_of_batches_does_not_depend_on_the_shuffle(lengths):
    counts = {
        len(
            token_batches(np.reshape(lengths, (-1, 2)), 30, np.random.default_rng(seed))
        )
        for seed in range(3)
    }
    assert len(counts) == 1


@settings(deadline=None)
@given(LENGTHS, st.integers(1, 100), st.integers(1, 7), st.none() | st.integers(0, 5))
def test_fixed_shapes_hold_every_index_once_too(lengths, limit, count, seed):
    rng = None if seed is None else np.random.default_rng(seed)
    batches = fixed_batches(lengths, limit, count, rng)
    assert sorted(i for batch, _ in batches for i in batch) == [*range(len(lengths))]
    assert len({(len(batch), width) for batch, width in batches}) <= count + 1
    for batch, width in batches:
        assert max(lengths[i] for i in batch) <= width
        assert len(batch) == 1 or len(batch) * width <= limit
    if rng is None:
        order = [i for batch, _ in batches for i in batch]
        assert order == sorted(order, key=lambda i: lengths[i])


@settings(deadline=None)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=12), st.integers(1, 4))
def test_no_other_lengths_need_less_padding(lengths, count):
    def held(chosen):
        return sum(min(c for c in chosen if c >= length) for length in lengths)

    different = sorted(set(lengths))
    others = [
        [*some, different[-1]]
        for number in range(count)
        for some in itertools.combinations(different[:-1], number)
    ]
    chosen = fixed_lengths(lengths, count)
    assert chosen in others
    assert held(chosen) == min(map(held, others))


def some_texts(number=40):
    rng = np.random.default_rng(0)
    sequences = [list(rng.integers(1, 9, rng.integers(1, 12))) for _ in range(number)]
    return sequences, [sum(sequence) % 2 for sequence in sequences]


def rows(dataset):
    """Return the texts of a dataset without padding, with their labels."""
    return [
        (tuple(int(i) for i in row if i), float(label))
        for ids, labels in dataset.as_numpy_iterator()
        for row, label in zip(ids, labels, strict=True)
    ]


@pytest.mark.usefixtures("path")
@pytest.mark.parametrize("seed", [None, 0])
def test_texts_keep_their_labels(seed):
    sequences, labels = some_texts()
    dataset = classification_batches(sequences, labels, 30, seed)
    expected = [(tuple(s), float(y)) for s, y in zip(sequences, labels, strict=True)]
    assert sorted(rows(dataset)) == sorted(expected)
    assert len(dataset) == sum(1 for _ in dataset)


@pytest.mark.usefixtures("path")
def test_a_seed_shuffles_anew_each_epoch_and_again_the_same():
    sequences, labels = some_texts()
    dataset = classification_batches(sequences, labels, 30, seed=0)
    first, second = rows(dataset), rows(dataset)
    assert first != second
    again = classification_batches(sequences, labels, 30, seed=0)
    assert [rows(again), rows(again)] == [first, second]
    still = classification_batches(sequences, labels, 30)
    assert rows(still) == rows(still)


@pytest.mark.usefixtures("path")
def test_a_window_takes_neighbours_from_random_places():
    sequences, labels = [list(range(1, 41)), [50, 51]], np.array([1, 0])
    dataset = classification_batches(sequences, labels, 30, seed=0, window=5)
    starts = set()
    for _ in range(20):
        epoch = sorted(rows(dataset))
        (long,), (short,) = ([row for row, y in epoch if y == k] for k in (1, 0))
        assert short == (50, 51)
        assert list(long) == list(range(long[0], long[0] + 5))
        starts.add(long[0])
    assert len(starts) > 5 and starts <= set(range(1, 37))


@settings(max_examples=10, deadline=None)
@given(st.integers(1, 20), st.integers(5, 60), st.booleans())
def test_pairs_are_shifted_by_one(number, limit, fixed_shapes):
    sources, _ = some_texts(number)
    targets = [[i + 10 for i in source] for source in sources]
    dataset = translation_batches(sources, targets, limit, 0, fixed_shapes)
    seen = []
    for (source, decoder_input), labels in dataset.as_numpy_iterator():
        assert source.dtype == decoder_input.dtype == labels.dtype == "int32"
        for s, d, y in zip(source, decoder_input, labels, strict=True):
            s, d, y = ([int(i) for i in row if i] for row in (s, d, y))
            assert d[0] == START and y[-1] == END and d[1:] == y[:-1]
            assert y[:-1] == [i + 10 for i in s]
            seen.append(tuple(s))
    assert sorted(seen) == sorted(map(tuple, sources))
    assert len(dataset) == sum(1 for _ in dataset)

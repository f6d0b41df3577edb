"""Batches hold every row once, little padding, and reshuffle by seed."""

import itertools

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils.datasets import batches
from course_utils.datasets.streams import array_batches, batch_stream
from course_utils.text.vectorizers import END, START

LENGTHS = st.lists(st.integers(0, 40), max_size=60)


@given(LENGTHS, st.integers(1, 100), st.none() | st.integers(0, 5))
def test_every_index_once_and_few_tokens(lengths, limit, seed):
    rng = None if seed is None else np.random.default_rng(seed)
    found = batches.bucket_by_length(lengths, limit, rng)
    order = [i for batch in found for i in batch]
    assert sorted(order) == list(range(len(lengths)))
    assert rng or order == sorted(order, key=lambda i: lengths[i])
    for batch in found:
        width = max(lengths[i] for i in batch)
        assert len(batch) == 1 or len(batch) * width <= limit


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=40))
def test_the_number_of_batches_does_not_depend_on_the_shuffle(lengths):
    lengths = np.reshape(lengths, (-1, 2))
    shuffles = map(np.random.default_rng, range(3))
    assert (
        len({len(batches.bucket_by_length(lengths, 30, rng)) for rng in shuffles}) == 1
    )


def some_texts(number=40):
    rng = np.random.default_rng(0)
    sequences = [list(rng.integers(1, 9, rng.integers(1, 12))) for _ in range(number)]
    # A label may be a row, as in distillation: the right class, and a teacher's logit.
    return sequences, [(sum(sequence) % 2, sum(sequence)) for sequence in sequences]


def text_batches(seed):
    return batches.classification_batches(*some_texts(), 30, seed)


def rows(dataset):
    """Return the texts of a dataset without padding, with their labels."""
    return [
        (tuple(int(i) for i in row if i), np.float64(label).tolist())
        for ids, labels in dataset.as_numpy_iterator()
        for row, label in zip(ids, labels, strict=True)
    ]


@pytest.mark.parametrize("seed", [None, 0])
def test_texts_keep_their_labels(seed):
    dataset = text_batches(seed)
    texts = zip(*some_texts(), strict=True)
    assert sorted(rows(dataset)) == sorted((tuple(s), [*y]) for s, y in texts)
    assert (rows(dataset) == rows(dataset)) == (seed is None)
    assert len(dataset) == sum(1 for _ in dataset)


def shuffled_arrays():
    numbers = np.arange(50)[:, None]
    return array_batches(numbers, numbers[:, 0], 50, np.random.default_rng(1))


@pytest.mark.parametrize(
    "make",
    [lambda: text_batches(0), shuffled_arrays],
    ids=["texts", "arrays"],
)
def test_a_seed_shuffles_anew_each_epoch_and_again_the_same(make):
    dataset, again = make(), make()
    first, second = rows(dataset), rows(dataset)
    assert first != second and sorted(first) == sorted(second)
    assert [rows(again), rows(again)] == [first, second]


def test_a_window_takes_neighbours_from_random_places():
    sequences, labels = [list(range(1, 41)), [50, 51]], np.array([1, 0])
    dataset = batches.classification_batches(sequences, labels, 30, 0, 5)
    starts = set()
    for _ in range(20):
        epoch = sorted(rows(dataset))
        (long,), (short,) = ([row for row, y in epoch if y == k] for k in (1, 0))
        assert short == (50, 51)
        assert list(long) == list(range(long[0], long[0] + 5))
        starts.add(long[0])
    assert len(starts) > 5 and starts <= set(range(1, 37))


@settings(max_examples=10)
@given(st.integers(1, 20), st.integers(5, 60))
def test_pairs_are_shifted_by_one(number, limit):
    sources, _ = some_texts(number)
    targets = [[i + 10 for i in source] for source in sources]
    dataset = batches.translation_batches(sources, targets, limit, 0)
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


def test_a_later_epoch_has_the_batches_that_it_has_in_an_unbroken_training():
    sources, _ = some_texts()
    whole = batches.translation_batches(sources, sources, 30, seed=3)
    epochs = [list(whole.as_numpy_iterator()) for _ in range(3)]
    later = batches.translation_batches(sources, sources, 30, seed=3, first_epoch=2)
    for one, other in zip(epochs[2], later.as_numpy_iterator(), strict=True):
        np.testing.assert_array_equal(one[0][0], other[0][0])
        np.testing.assert_array_equal(one[1], other[1])
    first = [labels for _, labels in epochs[0]]
    last = [labels for _, labels in epochs[2]]
    assert [y.tolist() for y in first] != [y.tolist() for y in last]


# Arrays and streams


@given(st.integers(1, 30), st.integers(1, 12), st.none() | st.integers(0, 3))
@settings(max_examples=20)
def test_each_row_comes_once_with_its_label(number, batch_size, seed):
    rng = None if seed is None else np.random.default_rng(seed)
    inputs = np.arange(2 * number).reshape(number, 2), np.arange(number)
    dataset = array_batches(inputs, 10 * np.arange(number), batch_size, rng)
    found = list(dataset.as_numpy_iterator())
    assert len(dataset) == len(found) == -(-number // batch_size)
    assert all(len(labels) == batch_size for _, labels in found[:-1])
    for (pairs, numbers), labels in found:
        np.testing.assert_array_equal(pairs, inputs[0][numbers])
        np.testing.assert_array_equal(labels, 10 * numbers)
    seen = [n for (_, numbers), _ in found for n in numbers]
    assert sorted(seen) == list(range(number))
    assert rng is not None or seen == list(range(number))


def test_arrays_keep_their_dtypes_and_shapes():
    images = np.zeros((5, 4, 4, 3), "uint8")
    dataset = array_batches(images, np.zeros(5, "int64"), 2)
    batch, _ = next(dataset.as_numpy_iterator())
    assert batch.dtype == np.uint8 and batch.shape == (2, 4, 4, 3)


def test_an_endless_stream_says_so():
    dataset = batch_stream(itertools.count, tf.TensorSpec((), "int32"))
    assert dataset.cardinality() == tf.data.experimental.INFINITE_CARDINALITY
    assert list(dataset.take(3).as_numpy_iterator()) == [0, 1, 2]


def test_nothing_is_tuned_in_the_background():
    arrays = array_batches(np.zeros(3), np.zeros(3), 2)
    texts = batches.classification_batches([[5], [6, 7]], [0, 1])
    pairs = batches.translation_batches([[5]], [[6]]).take(1).cache()
    for dataset in (arrays, texts, pairs):
        assert dataset.options().autotune.enabled is False


def test_arrays_of_different_lengths_are_refused():
    rows = np.zeros(3)
    with pytest.raises(ValueError, match=r"\[3, 4, 3\] rows"):
        array_batches((rows, np.zeros(4)), rows, 2)

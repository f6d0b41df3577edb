"""Streams: the batches of a function, and rows of arrays that stay together."""

import itertools

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils.datasets.batches import classification_batches, translation_batches
from course_utils.datasets.streams import array_batches, batch_stream


def numbers_of(dataset):
    """Return the batches of one epoch as arrays."""
    return [
        tf.nest.map_structure(np.asarray, batch)
        for batch in dataset.as_numpy_iterator()
    ]


@given(st.integers(1, 30), st.integers(1, 12), st.none() | st.integers(0, 3))
@settings(max_examples=20, deadline=None)
def test_each_row_comes_once_with_its_label(rows, batch_size, seed):
    rng = None if seed is None else np.random.default_rng(seed)
    inputs = np.arange(2 * rows).reshape(rows, 2), np.arange(rows)
    dataset = array_batches(inputs, 10 * np.arange(rows), batch_size, rng)
    batches = numbers_of(dataset)
    assert len(dataset) == len(batches) == -(-rows // batch_size)
    assert all(len(labels) == batch_size for _, labels in batches[:-1])
    for (pairs, numbers), labels in batches:
        np.testing.assert_array_equal(pairs, inputs[0][numbers])
        np.testing.assert_array_equal(labels, 10 * numbers)
    seen = [n for (_, numbers), _ in batches for n in numbers]
    assert sorted(seen) == list(range(rows))
    assert rng is not None or seen == list(range(rows))


def test_rows_are_shuffled_anew_and_repeatably():
    rows = np.arange(50)

    def two_epochs():
        dataset = array_batches(rows, rows, 50, np.random.default_rng(1))
        return [numbers_of(dataset)[0][0].tolist() for _ in range(2)]

    first, second = two_epochs()
    assert first != second and sorted(first) == sorted(second) == rows.tolist()
    assert two_epochs() == [first, second]


def test_arrays_keep_their_dtypes_and_shapes():
    images = np.zeros((5, 4, 4, 3), "uint8")
    (batch, _), *_ = numbers_of(array_batches(images, np.zeros(5, "int64"), 2))
    assert batch.dtype == np.uint8 and batch.shape == (2, 4, 4, 3)


def test_arrays_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match=r"have \[3, 4, 3\] rows; expected equally"):
        array_batches((np.zeros(3), np.zeros(4)), np.zeros(3), 2)


def test_an_endless_stream_says_so():
    spec = tf.TensorSpec((), "int32")
    dataset = batch_stream(itertools.count, spec)
    assert dataset.cardinality() == tf.data.experimental.INFINITE_CARDINALITY
    assert list(dataset.take(3).as_numpy_iterator()) == [0, 1, 2]


@pytest.mark.parametrize(
    "dataset",
    [
        array_batches(np.zeros(3), np.zeros(3), 2),
        classification_batches([[5], [6, 7]], [0, 1]),
        translation_batches([[5]], [[6]]).take(1).cache(),
    ],
    ids=["arrays", "texts", "pairs, taken and kept"],
)
def test_nothing_is_tuned_in_the_background(dataset):
    assert dataset.options().autotune.enabled is False

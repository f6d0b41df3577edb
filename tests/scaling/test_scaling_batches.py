"""Batches of fixed shapes and gradients of several parts lose nothing."""

import keras
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_translator import S, T, V, ids, translator

from course_utils import scaling
from course_utils.seq2seq.recurrent import teacher_forcing_arrays
from course_utils.text.vectorizers import PAD
from course_utils.training import MaskedCrossEntropy

sequences = st.lists(st.integers(4, V - 1), min_size=1, max_size=7)
pairs = st.lists(st.tuples(sequences, sequences), min_size=1, max_size=20)


@settings(max_examples=60)
@given(pairs, st.integers(0, 3))
def test_each_pair_stands_in_one_batch_of_a_fixed_shape(pairs, seed):
    sources, targets = map(list, zip(*pairs, strict=True))
    batches = scaling.bucket_batches(sources, targets, [4, 8], 16, seed)
    found = []
    for (source, decoder_input), labels in batches:
        assert source.shape == decoder_input.shape == labels.shape
        assert source.shape in {(4, 4), (2, 8)}
        for a, b, c in zip(source, decoder_input, labels, strict=True):
            if c.any():
                found.append((a[a != PAD].tolist(), b[b != PAD][1:].tolist()))
                assert c[c != PAD][:-1].tolist() == found[-1][1]
    assert sorted(found) == sorted((s, t) for s, t in pairs)


def test_a_pair_goes_to_the_smallest_width_that_holds_it():
    (batch,) = scaling.bucket_batches([[5] * 3], [[6] * 3], [8, 4], 16)
    assert batch[1].shape == (4, 4)  # three ids and the end
    (batch,) = scaling.bucket_batches([[5] * 3], [[6] * 4], [8, 4], 16)
    assert batch[1].shape == (2, 8)


def test_filling_up_changes_no_loss():
    model, loss = translator(), MaskedCrossEntropy()
    arrays = teacher_forcing_arrays([[5, 6], [7]], [[8], [9, 10, 11]])
    inputs, labels = scaling.pad_batch(arrays, 6, 9)
    assert labels.shape == inputs[0].shape == (6, 9)
    expected = float(loss(arrays[1], model(arrays[0])))
    assert float(loss(labels, model(inputs))) == pytest.approx(expected, abs=1e-5)


def unequal_parts():
    """Return three small batches with different numbers of tokens, and all of it."""
    sources = [ids(n, seed=n).tolist() for n in (3, 4, 5, 2, 6, 3)]
    targets = [ids(n, seed=9 * n).tolist() for n in (2, 2, 5, 6, 7, 1)]
    cuts = [slice(0, 2), slice(2, 4), slice(4, 6)]
    parts = [teacher_forcing_arrays(sources[cut], targets[cut]) for cut in cuts]
    return parts, teacher_forcing_arrays(sources, targets)


def test_accumulated_gradients_are_those_of_the_whole_batch():
    model, loss = translator(), MaskedCrossEntropy()
    parts, whole = unequal_parts()
    value, gradients = scaling.accumulated_gradients(model, loss, parts)
    expected_value, expected = scaling.accumulated_gradients(model, loss, [whole])
    assert value == pytest.approx(expected_value, abs=1e-6)
    for one, other in zip(gradients, expected, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)
    # The plain mean of the parts is something else, so the weights matter.
    each = [scaling.accumulated_gradients(model, loss, [part])[1] for part in parts]
    plain = [sum(three) / 3 for three in zip(*each, strict=True)]
    apart = [np.abs(a - b).max() for a, b in zip(plain, expected, strict=True)]
    assert max(apart) > 1e-3


def test_keras_accumulation_equals_the_large_batch_when_parts_are_equal():
    """What lesson 18 shows: parts with equally many tokens, several steps."""
    source, target, labels = ids(8, S), ids(8, T, seed=1), ids(8, T, seed=2)
    weights = []
    for parts, options in ((1, {}), (4, {"gradient_accumulation_steps": 4})):
        keras.utils.set_random_seed(0)
        model = translator(num_layers=1)
        model.compile(
            keras.optimizers.Adam(0.01, epsilon=1e-5, **options),
            MaskedCrossEntropy(),
            run_eagerly=True,
        )
        for _ in range(2):
            for rows in np.split(np.arange(8), parts):
                model.train_on_batch((source[rows], target[rows]), labels[rows])
        weights.append(model.get_weights())
    for one, other in zip(*weights, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)

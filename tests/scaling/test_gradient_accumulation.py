"""Gradients of several parts of a batch are those of the whole."""

import keras
import numpy as np
import pytest
from tiny_translator import S, T, ids, translator

from course_utils import scaling
from course_utils.seq2seq.recurrent import teacher_forcing_arrays
from course_utils.training import MaskedCrossEntropy


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

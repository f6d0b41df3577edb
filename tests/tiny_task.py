"""A data-parallel training of a moment, for real worker processes."""

import time

import keras
import numpy as np

from course_utils.scaling import parallel
from course_utils.training import MaskedCrossEntropy

STEPS = 24


def next_ids(width=4, rows=5, pause=0.0):
    """A task of a moment: say the next id, from rows with different lengths."""
    inputs = keras.Input((None,), dtype="int32")
    x = keras.layers.Embedding(8, width)(inputs)
    model = keras.Model(inputs, keras.layers.Dense(8)(x))

    def batch(step):
        time.sleep(pause)
        rng = np.random.default_rng(step)
        ids = rng.integers(1, 8, (rows, 6 + step % 2)).astype("int32")
        ids[rng.random(ids.shape) < 0.3] = 0
        ids[0] = 0  # a row of padding only
        return ids, np.roll(ids, -1, axis=1)

    return parallel.Task(
        model, keras.optimizers.Adam(0.01), MaskedCrossEntropy(), batch
    )


def sum_of_tokens():
    """The same with a mistake: the loss is the sum over the tokens, not their mean."""
    task = next_ids()
    mean = task.loss

    def loss(labels, outputs):
        tokens = keras.ops.count_nonzero(labels)
        return mean(labels, outputs) * keras.ops.cast(tokens, "float32")

    task.loss, task.optimizer = loss, keras.optimizers.SGD(0.01)
    return task

"""The student's layer of neighbours: a loop, a convolution, and the battery."""

import layer_battery as lb
import numpy as np
import pytest
from keras import layers

from course_utils.distillation import Neighbours


def test_neighbours_pass_the_battery():
    lb.battery(
        lambda **options: Neighbours(2, **options), lb.random_array(2, 5, 3), weights=0
    )


def neighbours_loop(x, real, radius):
    """Collect the neighbours of each word with loops."""
    rows, length, width = x.shape
    output = np.zeros((rows, length, 2 * radius + 1, width), "float32")
    for b in range(rows):
        for t in range(length):
            for i, position in enumerate(range(t - radius, t + radius + 1)):
                if 0 <= position < length and real[b, position]:
                    output[b, t, i] = x[b, position]
    return output.reshape(rows, length, -1)


@pytest.mark.parametrize("radius", [1, 2, 7])
def test_neighbours_equal_the_loop(radius):
    x = lb.random_array(2, 5, 3)
    real = np.arange(5) < np.array([[5], [3]])
    found = Neighbours(radius)(x, mask=real)
    np.testing.assert_array_equal(found, neighbours_loop(x, real, radius))


def test_neighbours_and_a_dense_layer_are_a_convolution():
    x = lb.random_array(2, 5, 3)
    dense, convolution = layers.Dense(4), layers.Conv1D(4, 3, padding="same")
    expected = convolution(x)
    dense.build((None, None, 9))
    kernel, bias = convolution.get_weights()  # (3, D, 4), (4,)
    dense.set_weights([kernel.reshape(9, 4), bias])
    np.testing.assert_allclose(dense(Neighbours(1)(x)), expected, **lb.TOLERANCE)

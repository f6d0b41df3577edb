"""Numbers in 8 bits: near, exact when rounded once, of any size and shape."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tools.eight_bits import GROUP, from_eight_bits, in_eight_bits, to_eight_bits

# Parameters of a trained model are far from the ends of what float32 can hold.
SIZES = st.floats(2.0**-60, 2.0**60, width=32)
NUMBERS = st.one_of(st.just(0.0), SIZES, SIZES.map(lambda size: -size))
ARRAYS = hnp.arrays(
    "float32", hnp.array_shapes(max_dims=3, max_side=40), elements=NUMBERS
)


@given(ARRAYS)
def test_each_number_is_near_for_its_group(array):
    flat = array.ravel()
    rounded = in_eight_bits(array)
    assert rounded.shape == array.shape
    assert rounded.dtype == "float32"
    for start in range(0, array.size, GROUP):
        group = slice(start, start + GROUP)
        most = np.abs(flat[group]).max()
        apart = np.abs(flat[group] - rounded.ravel()[group]).max()
        assert apart <= most / 127  # half a step, and a step is at most 2/127


@given(ARRAYS)
def test_rounding_again_changes_nothing(array):
    rounded = in_eight_bits(array)
    np.testing.assert_array_equal(in_eight_bits(rounded), rounded)


@given(ARRAYS)
def test_the_eight_bits_hold_the_rounded_numbers(array):
    exponents, whole = to_eight_bits(array)
    assert exponents.dtype == whole.dtype == "int8"
    assert exponents.nbytes == -(-array.size // GROUP)
    assert whole.nbytes == array.size
    assert whole.min() >= -127
    again = from_eight_bits(exponents, whole, array.shape)
    np.testing.assert_array_equal(again, in_eight_bits(array))


def test_whole_numbers_up_to_127_stay():
    numbers = np.arange(-127, 128, dtype="float32")
    np.testing.assert_array_equal(in_eight_bits(numbers), numbers)

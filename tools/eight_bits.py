"""Numbers in 8 bits each: whole numbers from -127 to 127, times powers of two.

GROUP numbers that stand side by side share a power of two. A float32 number that was
rounded so has few digits that aren't zero: it packs well, nothing has to be unpacked in
a special way, and whoever has only the 8 bits has the very same number.
"""

import numpy as np

GROUP = 32  # numbers that share a power of two


def to_eight_bits(array):
    """Round an array to whole numbers, the largest of a group to one of 64 to 127.

    Args:
        array: N numbers of any shape, none of them below 1e-38 or above 1e38 in size.
    Returns:
        The exponents of two of each group (N / GROUP, rounded up) and the whole numbers
        (N,), both in 8 bits.

    Example:
        >>> exponents, whole = to_eight_bits(np.float32([0.5, 0.1, 0.0]))
        >>> exponents.tolist(), whole.tolist()
        ([-7], [64, 13, 0])
    """
    groups = np.zeros((-(-array.size // GROUP), GROUP))
    groups.flat[: array.size] = array.ravel()
    mantissas, exponents = np.frexp(np.abs(groups).max(axis=1) / 127)
    exponents -= mantissas == 0.5  # a power of two is one itself
    whole = np.round(np.ldexp(groups, -exponents[:, None]))
    return exponents.astype("int8"), whole.ravel()[: array.size].astype("int8")


def from_eight_bits(exponents, whole, shape):
    """Return the float32 array of a shape that ``to_eight_bits`` has rounded."""
    of_each = np.repeat(exponents.astype(int), GROUP)[: whole.size]
    return np.ldexp(whole.astype("float32"), of_each).reshape(shape)


def in_eight_bits(array):
    """Return a float32 array, rounded so that 8 bits for each number can hold it.

    Example:
        >>> in_eight_bits(np.float32([0.5, 0.1, 0.0])).tolist()
        [0.5, 0.1015625, 0.0]
    """
    return from_eight_bits(*to_eight_bits(array), array.shape)

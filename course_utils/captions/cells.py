"""Images, and the grid of cells that encoders and masks cut them into.

Shapes use the letters of the course: B or N images, H and W their rows and columns,
C colours, P rows of a patch, S cells.
"""

import itertools

import numpy as np
from keras import ops


def cut_patches(images, size):
    """Cut images into squares and write the numbers of each square in a row.

    Args:
        images: (B, H, W, C); ``size`` divides H and W.
        size: P, rows and columns of a square.
    Returns:
        (B, S, P · P · C) with S = H/P · W/P, squares from left to right, then down.
    Raises:
        ValueError: the squares don't fill the image.

    Example:
        >>> image = ops.reshape(ops.arange(16), (1, 4, 4, 1))
        >>> ops.convert_to_numpy(cut_patches(image, 2))[0].tolist()
        [[0, 1, 4, 5], [2, 3, 6, 7], [8, 9, 12, 13], [10, 11, 14, 15]]
    """
    height, width, channels = images.shape[1:]
    check_grid("cut_patches", height, size)
    check_grid("cut_patches", width, size)
    rows, columns = height // size, width // size
    x = ops.reshape(images, (-1, rows, size, columns, size, channels))
    x = ops.transpose(x, (0, 1, 3, 2, 4, 5))  # (B, rows, columns, P, P, C)
    return ops.reshape(x, (-1, rows * columns, size * size * channels))


def touched_cells(masks, side):
    """Tell which cells of a grid hold at least one pixel of a mask.

    Args:
        masks: (..., H, W) booleans.
        side: cells in a row or a column; divides H and W.
    Returns:
        (..., S) booleans.
    Raises:
        ValueError: the grid doesn't fit.
    """
    masks = np.asarray(masks, bool)
    check_grid("touched_cells", masks.shape[-2], side)
    check_grid("touched_cells", masks.shape[-1], side)
    height, width = (size // side for size in masks.shape[-2:])
    cells = masks.reshape(*masks.shape[:-2], side, height, side, width)
    return cells.any(axis=(-3, -1)).reshape(*masks.shape[:-2], side * side)


def grid_positions(side):
    """Return row and column of each cell, both from -1 to 1: (S, 2).

    Example:
        >>> ops.convert_to_numpy(grid_positions(2)).tolist()
        [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]]
    """
    line = np.linspace(-1.0, 1.0, side, dtype="float32")
    rows, columns = np.meshgrid(line, line, indexing="ij")
    return ops.convert_to_tensor(np.stack([rows.ravel(), columns.ravel()], axis=-1))


def check_grid(name, pixels, size):
    """Raise a ValueError unless squares of ``size`` pixels fill ``pixels``."""
    if pixels % size:
        raise ValueError(
            f"{name}: squares of {size} pixels don't fill {pixels} pixels; choose a "
            f"size that divides {pixels}."
        )


def recolour(images, generator):
    """Mix red, green and blue anew for each image; shapes, positions and greys stay.

    Each image gets two of the six orders of the three colours at random, and becomes a
    mixture of itself in both orders. Changing the colours of training images so that a
    model doesn't tie a shape to them is often called colour jitter (the random changes
    of Krizhevsky et al., 2012, "ImageNet Classification with Deep Convolutional Neural
    Networks", section 4.1, are of this kind).

    Args:
        images: (N, H, W, 3) whole numbers from 0 to 255.
        generator: a NumPy random generator.
    Returns:
        (N, H, W, 3), of the same dtype.
    Raises:
        ValueError: the images don't have three colours.

    Example:
        >>> grey = np.full((1, 2, 2, 3), 125, "uint8")
        >>> bool((recolour(grey, np.random.default_rng(0)) == grey).all())
        True
    """
    images = np.asarray(images)
    if images.ndim != 4 or images.shape[-1] != 3:
        raise ValueError(
            f"recolour: the images have the shape {images.shape}; expected "
            f"(N, H, W, 3)."
        )
    orders = np.stack([np.eye(3)[list(o)] for o in itertools.permutations(range(3))])
    first, second = orders[generator.integers(0, 6, (2, len(images)))]  # (N, 3, 3) each
    part = generator.uniform(0, 0.5, (len(images), 1, 1))
    # Rows and columns of a mixture of orders sum to 1: no number leaves 0 … 255.
    mixture = ((1 - part) * first + part * second).astype("float32")
    count, height, width, _ = images.shape
    pixels = images.reshape(count, height * width, 3)
    mixed = np.empty_like(pixels)
    # A few images at a time: their floats take four times the memory of the pixels.
    for start in range(0, count, 64):
        rows = slice(start, start + 64)
        mixed[rows] = np.rint(pixels[rows].astype("float32") @ mixture[rows])
    return mixed.reshape(images.shape)

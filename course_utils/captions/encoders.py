"""From pixels to cells: two encoders that turn an image into a set of vectors.

Both cut an image into a grid of S cells and give each cell a vector: ``ConvEncoder``
with convolutions, ``PatchEncoder`` with the Transformer's encoder block (a small Vision
Transformer). What attends to token vectors can attend to cells.

Shapes use the letters of the course: B images, H and W their rows and columns,
C colours, P rows of a patch, S cells, D their width.
"""

import numpy as np
from keras import layers, ops

from course_utils.arguments import check_sizes
from course_utils.attention.transformer import TransformerEncoder
from course_utils.saving import register


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
    _check_grid("cut_patches", height, size)
    _check_grid("cut_patches", width, size)
    x = ops.reshape(images, (-1, height // size, size, width // size, size, channels))
    x = ops.transpose(x, (0, 1, 3, 2, 4, 5))  # (B, H/P, W/P, P, P, C)
    return ops.reshape(x, (-1, height * width // size**2, size * size * channels))


def _check_grid(name, pixels, size):
    """Raise a ValueError unless squares of ``size`` pixels fill ``pixels``."""
    if pixels % size:
        raise ValueError(
            f"{name}: squares of {size} pixels don't fill {pixels} pixels; choose a "
            f"size that divides {pixels}."
        )


def scale_pixels(owner, images, image_size, dtype):
    """Turn pixels 0 … 255 into numbers from -1 to 1, or say which size is wrong.

    Args:
        owner: the encoder that was called.
        images: (B, H, W, 3).
        image_size: H and W.
    """
    if tuple(images.shape[1:]) != (image_size, image_size, 3):
        raise ValueError(
            f"{owner}: the images have the shape {tuple(images.shape)}; expected "
            f"(B, {image_size}, {image_size}, 3)."
        )
    return ops.cast(images, dtype) / 127.5 - 1.0


@register
class ConvEncoder(layers.Layer):
    """Three convolutions with batch norms; each cell also knows its row and column.

    The first two convolutions make cells of 6 × 6 pixels; the third lets each cell see
    its eight neighbours, too: 18 × 18 pixels. Xu et al. (2015), section 3.1.1, take the
    cells of a lower layer for the same reason: where a cell sees the whole image, a map
    of attention says little about positions. Convolutions can't tell where they are, so
    the coordinates, from -1 to 1, come in as two more channels (Liu et al., 2018,
    "CoordConv").

    Args:
        image_size: rows and columns of an image, divisible by 6.
        embed_dim: D, width of the cells' vectors.

    Call arguments:
        images: (B, H, W, 3), numbers from 0 to 255.
    Returns:
        (B, S, D), cells from left to right, then down.
    Raises:
        ValueError: for sizes that don't fit.

    Example:
        >>> tuple(ConvEncoder(48, embed_dim=8)(ops.zeros((2, 48, 48, 3))).shape)
        (2, 64, 8)
    """

    def __init__(self, image_size, embed_dim=64, **kwargs):
        super().__init__(**kwargs)
        check_sizes("ConvEncoder", image_size=image_size, embed_dim=embed_dim)
        _check_grid("ConvEncoder", image_size, 6)
        self.image_size = image_size
        self.embed_dim = embed_dim
        self.side = image_size // 6  # cells in a row or a column
        self.convolutions = [
            self.new_convolution(channels=32, size=3, stride=3),
            self.new_convolution(channels=64, size=2, stride=2),
            self.new_convolution(channels=embed_dim, size=3, stride=1),
        ]
        # A moving average that follows quickly, for trainings of some hundred steps.
        self.batch_norms = [
            layers.BatchNormalization(momentum=0.9, dtype=self.dtype_policy)
            for _ in range(3)
        ]
        self.join = layers.Dense(embed_dim, activation="relu", dtype=self.dtype_policy)
        self.norm = layers.LayerNormalization(epsilon=1e-5, dtype=self.dtype_policy)

    def new_convolution(self, channels, size, stride):
        return layers.Conv2D(
            channels,
            size,
            strides=stride,
            padding="same",
            use_bias=False,
            dtype=self.dtype_policy,
        )

    def build(self, input_shape):
        for convolution, norm in zip(self.convolutions, self.batch_norms, strict=True):
            convolution.build(input_shape)
            input_shape = convolution.compute_output_shape(input_shape)
            norm.build(input_shape)
        self.join.build((None, None, self.embed_dim + 2))
        self.norm.build((None, None, self.embed_dim))

    def call(self, images, training=None):
        x = scale_pixels("ConvEncoder", images, self.image_size, self.compute_dtype)
        for convolution, norm in zip(self.convolutions, self.batch_norms, strict=True):
            x = norm(convolution(x), training=training)
            x = ops.relu(x)  # at last (B, rows, columns, D)
        line = np.linspace(-1, 1, self.side)
        grid = np.stack(np.meshgrid(line, line, indexing="ij"), axis=-1)  # (rows, …, 2)
        grid = ops.zeros_like(x[..., :2]) + ops.cast(grid, x.dtype)
        x = ops.concatenate([x, grid], axis=-1)
        x = ops.reshape(x, (-1, self.side**2, self.embed_dim + 2))  # (B, S, D + 2)
        return self.norm(self.join(x))

    def compute_output_shape(self, input_shape):
        return (input_shape[0], self.side**2, self.embed_dim)

    def get_config(self):
        config = super().get_config()
        config["image_size"] = self.image_size
        config["embed_dim"] = self.embed_dim
        return config


@register
class PatchEncoder(layers.Layer):
    """A small Vision Transformer: patches as tokens (Dosovitskiy et al., 2021).

    Each patch becomes a vector by one dense layer, gets a learned vector for its
    position in the grid, and goes through pre-norm encoder blocks, as words do.

    Args:
        image_size: rows and columns of an image.
        embed_dim: D, width of the cells' vectors.
        patch_size: rows and columns of a patch; divides ``image_size``.
        num_blocks: number of encoder blocks.
        dense_dim, num_heads: as in ``TransformerEncoder``.

    Call arguments:
        images: (B, H, W, 3), numbers from 0 to 255.
    Returns:
        (B, S, D), patches from left to right, then down.
    Raises:
        ValueError: for sizes that don't fit.

    Example:
        >>> encoder = PatchEncoder(48, 8, patch_size=6, num_heads=2)
        >>> tuple(encoder(ops.zeros((2, 48, 48, 3))).shape)
        (2, 64, 8)
    """

    def __init__(
        self,
        image_size,
        embed_dim=64,
        patch_size=6,
        num_blocks=3,
        dense_dim=128,
        num_heads=4,
        **kwargs,
    ):
        super().__init__(**kwargs)
        check_sizes("PatchEncoder", image_size=image_size, embed_dim=embed_dim)
        check_sizes("PatchEncoder", patch_size=patch_size, num_blocks=num_blocks)
        _check_grid("PatchEncoder", image_size, patch_size)
        self.image_size = image_size
        self.embed_dim = embed_dim
        self.patch_size = patch_size
        self.num_blocks = num_blocks
        self.dense_dim = dense_dim
        self.num_heads = num_heads
        self.side = image_size // patch_size  # cells in a row or a column
        self.patch_dense = layers.Dense(embed_dim, dtype=self.dtype_policy)
        self.blocks = [
            TransformerEncoder(
                embed_dim,
                dense_dim,
                num_heads,
                norm_first=True,
                dtype=self.dtype_policy,
            )
            for _ in range(num_blocks)
        ]
        self.norm = layers.LayerNormalization(epsilon=1e-5, dtype=self.dtype_policy)

    def build(self, input_shape):
        shape = (None, self.side**2, self.embed_dim)
        self.patch_dense.build((None, None, 3 * self.patch_size**2))
        self.positions = self.add_weight(
            name="positions", shape=shape[1:], initializer="uniform"
        )
        for block in self.blocks:
            block.build(shape)
        self.norm.build(shape)

    def call(self, images, training=None):
        x = scale_pixels("PatchEncoder", images, self.image_size, self.compute_dtype)
        x = self.patch_dense(cut_patches(x, self.patch_size))  # (B, S, D)
        x = x + ops.cast(self.positions, self.compute_dtype)
        for block in self.blocks:
            x = block(x, training=training)  # (B, S, D)
        return self.norm(x)

    def compute_output_shape(self, input_shape):
        return (input_shape[0], self.side**2, self.embed_dim)

    def get_config(self):
        config = super().get_config()
        config["image_size"] = self.image_size
        config["embed_dim"] = self.embed_dim
        config["patch_size"] = self.patch_size
        config["num_blocks"] = self.num_blocks
        config["dense_dim"] = self.dense_dim
        config["num_heads"] = self.num_heads
        return config

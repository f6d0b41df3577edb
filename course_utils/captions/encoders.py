"""From pixels to cells: two encoders that turn an image into a set of vectors.

Both cut an image into a grid of S cells and give each cell a vector: ``ConvEncoder``
with convolutions, ``PatchEncoder`` with the Transformer's encoder block (a small Vision
Transformer). What attends to token vectors can attend to cells.

Shapes use the letters of the course: B images, H and W their rows and columns,
C colours, P rows of a patch, S cells, D their width.
"""

import keras
from keras import layers, ops

from course_utils.attention.blocks import TransformerEncoder
from course_utils.attention.multi_head import KeepsOptions, check_sizes, given_options
from course_utils.captions.cells import check_grid, cut_patches, grid_positions


def _scaled(images, dtype):
    """Turn pixels 0 … 255 into numbers from -1 to 1."""
    return ops.cast(images, dtype) / 127.5 - 1.0


class ImageEncoder(KeepsOptions, layers.Layer):
    """What both encoders share: sizes, config, and the shape of the output."""

    def __init__(self, options, cell_size, **kwargs):
        super().__init__(**kwargs)
        name, self.options = type(self).__name__, options
        image_size, embed_dim = options["image_size"], options["embed_dim"]
        check_sizes(
            name, image_size=image_size, embed_dim=embed_dim, cell_size=cell_size
        )
        self.image_size, self.embed_dim = image_size, embed_dim
        check_grid(name, image_size, cell_size)
        self.side = image_size // cell_size  # cells in a row or a column
        self.norm = layers.LayerNormalization(epsilon=1e-5, dtype=self.dtype_policy)

    def check_images(self, shape):
        """Raise a ValueError unless images have the size that the layer expects."""
        if tuple(shape[1:]) != (self.image_size, self.image_size, 3):
            raise ValueError(
                f"{type(self).__name__}: the images have the shape {tuple(shape)}; "
                f"expected (B, {self.image_size}, {self.image_size}, 3)."
            )

    def compute_output_shape(self, input_shape):
        return (input_shape[0], self.side**2, self.embed_dim)


class PatchConvolution(layers.Conv2D):
    """A ``Conv2D`` whose windows neither overlap nor leave a pixel out.

    Its strides are as long as its square windows. Then the windows are patches, and the
    convolution is one product of patches and a matrix, with the same weights and
    results. On a CPU, XLA computes that faster: with it, a training step of lesson 17
    takes 0.7 times as long.
    """

    def convolution_op(self, inputs, kernel):
        """Multiply the patches (B, H, W, C) by the kernel (P, P, C, F)."""
        size, filters = kernel.shape[0], kernel.shape[-1]
        x = ops.matmul(cut_patches(inputs, size), ops.reshape(kernel, (-1, filters)))
        _, height, width, _ = inputs.shape
        return ops.reshape(x, (-1, height // size, width // size, filters))


@keras.saving.register_keras_serializable(package="course_utils")
class ConvEncoder(ImageEncoder):
    """Three convolutions with batch norms; each cell also knows its row and column.

    The first two convolutions make cells of 6 × 6 pixels; the third lets each cell see
    its eight neighbours, too: 18 × 18 pixels. Xu et al. (2015), section 3.1.1, take the
    cells of a lower layer for the same reason: where a cell sees the whole image, a map
    of attention says little about positions. Convolutions can't tell where they are, so
    the coordinates, from -1 to 1, come in as two more channels (Liu et al., 2018,
    "CoordConv").

    Args:
        image_size: rows and columns of an image, divisible by the product of strides.
        embed_dim: D, width of the cells' vectors.
        filters: channels of the first two convolutions.
        strides: pixels by which the windows of the first two convolutions move; the
            windows are as large, so they neither overlap nor leave a pixel out.

    Call arguments:
        images: (B, H, W, 3), numbers from 0 to 255.
    Returns:
        (B, S, D), cells from left to right, then down.
    Raises:
        ValueError: for sizes that don't fit.

    Example:
        >>> tuple(ConvEncoder(48, embed_dim=8)(keras.ops.zeros((2, 48, 48, 3))).shape)
        (2, 64, 8)
    """

    def __init__(
        self, image_size, embed_dim=64, filters=(32, 64), strides=(3, 2), **kwargs
    ):
        filters, strides = tuple(filters), tuple(strides)
        given = given_options(locals())
        super().__init__(given, strides[0] * strides[1], **kwargs)
        options = dict(padding="same", use_bias=False, dtype=self.dtype_policy)
        self.convolutions = [
            *(
                PatchConvolution(channels, stride, strides=stride, **options)
                for channels, stride in zip(filters, strides, strict=True)
            ),
            layers.Conv2D(embed_dim, 3, **options),
        ]
        # A moving average that follows quickly, for trainings of some hundred steps.
        self.batch_norms = [
            layers.BatchNormalization(momentum=0.9, dtype=self.dtype_policy)
            for _ in self.convolutions
        ]
        self.join = layers.Dense(embed_dim, activation="relu", dtype=self.dtype_policy)

    def build(self, input_shape):
        self.check_images(input_shape)
        for convolution, norm in zip(self.convolutions, self.batch_norms, strict=True):
            convolution.build(input_shape)
            input_shape = convolution.compute_output_shape(input_shape)
            norm.build(input_shape)
        self.join.build((None, None, self.embed_dim + 2))
        self.norm.build((None, None, self.embed_dim))

    def call(self, images, training=None):
        x = _scaled(images, self.compute_dtype)
        for convolution, norm in zip(self.convolutions, self.batch_norms, strict=True):
            x = ops.relu(norm(convolution(x), training=training))
        x = ops.reshape(x, (-1, self.side**2, self.embed_dim))  # (B, S, D)
        grid = ops.cast(grid_positions(self.side), x.dtype)  # (S, 2)
        x = self.join(ops.concatenate([x, ops.zeros_like(x[..., :2]) + grid], axis=-1))
        return self.norm(x)


@keras.saving.register_keras_serializable(package="course_utils")
class PatchEncoder(ImageEncoder):
    """A small Vision Transformer: patches as tokens (Dosovitskiy et al., 2021).

    Each patch becomes a vector by one dense layer, gets a learned vector for its
    position in the grid, and goes through pre-norm encoder blocks, as words do.

    Args:
        image_size: rows and columns of an image.
        embed_dim: D, width of the cells' vectors.
        patch_size: rows and columns of a patch; divides ``image_size``.
        num_blocks: number of encoder blocks.
        dense_dim, num_heads, dropout: as in ``TransformerEncoder``.

    Call arguments:
        images: (B, H, W, 3), numbers from 0 to 255.
    Returns:
        (B, S, D), patches from left to right, then down.
    Raises:
        ValueError: for sizes that don't fit.

    Example:
        >>> encoder = PatchEncoder(48, 8, patch_size=6, num_heads=2)
        >>> tuple(encoder(keras.ops.zeros((2, 48, 48, 3))).shape)
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
        dropout=0.0,
        **kwargs,
    ):
        super().__init__(given_options(locals()), patch_size, **kwargs)
        check_sizes("PatchEncoder", num_blocks=num_blocks)
        policy = self.dtype_policy
        self.patch_dense = layers.Dense(embed_dim, dtype=policy)
        form = dict(norm_first=True, dtype=policy)
        self.blocks = [
            TransformerEncoder(embed_dim, dense_dim, num_heads, dropout, **form)
            for _ in range(num_blocks)
        ]

    def build(self, input_shape):
        self.check_images(input_shape)
        shape = (None, self.side**2, self.embed_dim)
        self.patch_dense.build((None, None, 3 * self.options["patch_size"] ** 2))
        self.positions = self.add_weight(
            name="positions", shape=shape[1:], initializer="uniform"
        )
        for block in self.blocks:
            block.build(shape)
        self.norm.build(shape)

    def call(self, images, training=None):
        x = _scaled(images, self.compute_dtype)
        x = self.patch_dense(cut_patches(x, self.options["patch_size"]))  # (B, S, D)
        x = x + ops.cast(self.positions, x.dtype)
        for block in self.blocks:
            x = block(x, training=training)
        return self.norm(x)

"""Positions as fixed sine and cosine waves.

Shapes use the letters of the course: B batch, T length, D model width.
"""

import math

from keras import layers, ops

from course_utils.saving import register


def sinusoidal_table(sequence_length, embed_dim):
    """Return the (T, D) position table of Vaswani et al. (2017), section 3.5.

    Even columns hold sin(p / 10000^(2i/D)), odd columns the cosine.
    """
    position = ops.expand_dims(ops.arange(sequence_length, dtype="float32"), 1)
    column = ops.arange(embed_dim, dtype="int32")
    pair = ops.cast(column // 2, "float32")
    angle = position * ops.exp(-math.log(10000.0) * 2.0 * pair / embed_dim)
    return ops.where(column % 2 == 0, ops.sin(angle), ops.cos(angle))


@register
class SinusoidalPositionalEncoding(layers.Layer):
    """Add fixed sine and cosine waves to token vectors (Vaswani et al., 2017, 3.5).

    It has no weights and no largest length.

    Call arguments:
        inputs: (B, T, D).
    Returns:
        (B, T, D); the mask of ``inputs`` is passed on.

    Example:
        >>> x = SinusoidalPositionalEncoding()(ops.zeros((1, 3, 4)))
        >>> [round(float(v), 2) for v in x[0, 0]]
        [0.0, 1.0, 0.0, 1.0]
    """

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True

    def call(self, inputs):
        table = sinusoidal_table(ops.shape(inputs)[-2], inputs.shape[-1])
        return inputs + ops.cast(table, inputs.dtype)

    def compute_output_shape(self, input_shape):
        return input_shape

"""Rotary positions: queries and keys are turned by an angle for their position.

Su et al. (2021), "RoFormer", section 3.2. Shapes use the letters of the course:
B batch, T length, D model width, H heads, d = D / H width of one head.
"""

from keras import ops

from course_utils.attention.transformer import MultiHeadAttention, TransformerEncoder
from course_utils.saving import register


def rotate(x, start=0, base=10_000):
    """Turn each pair of columns by the position times the pair's own speed.

    Column i and column i + d/2 are a pair, as in KerasHub's ``RotaryEmbedding``; its
    speed is base^(-2i/d). Afterwards the product of a query and a key depends on their
    distance, not on where they stand.

    Args:
        x: (..., T, d) queries or keys; d is even.
        start: position of the first one, a scalar.
        base: the larger, the slower the last pairs.
    Returns:
        (..., T, d), as long as before.

    Example:
        >>> [round(float(v), 2) for v in rotate(ops.array([[1.0, 0.0]] * 2))[1]]
        [0.54, 0.84]
    """
    half = x.shape[-1] // 2
    position = ops.arange(ops.shape(x)[-2], dtype="float32")
    position = position + ops.cast(start, "float32")  # (T,)
    speed = float(base) ** (-ops.arange(half, dtype="float32") / half)  # (d/2,)
    angle = ops.expand_dims(position, 1) * speed  # (T, d/2)
    cosine = ops.cast(ops.cos(angle), x.dtype)
    sine = ops.cast(ops.sin(angle), x.dtype)
    first, second = ops.split(x, 2, axis=-1)  # the two numbers of each pair
    turned_first = first * cosine - second * sine
    turned_second = second * cosine + first * sine
    return ops.concatenate([turned_first, turned_second], axis=-1)


@register
class RotaryAttention(MultiHeadAttention):
    """Self-attention whose queries and keys are turned by their positions.

    Arguments and calls as in ``MultiHeadAttention``; positions count from 0, so that it
    takes whole sequences, not one step of a cached decoding. It has no weights for
    positions and no largest length.

    Raises:
        ValueError: also when the width of a head is odd.
    """

    def __init__(self, embed_dim, num_heads, **kwargs):
        super().__init__(embed_dim, num_heads, **kwargs)
        if (embed_dim // num_heads) % 2 != 0:
            raise ValueError(
                f"RotaryAttention: each head has {embed_dim // num_heads} columns, but "
                f"pairs of them are turned; embed_dim / num_heads must be even."
            )

    def project_queries(self, query):
        return rotate(super().project_queries(query))

    def project_keys_values(self, value):
        keys, values = super().project_keys_values(value)
        return rotate(keys), values


@register
class RotaryTransformerEncoder(TransformerEncoder):
    """Encoder block that knows positions by ``RotaryAttention``.

    Its input needs no positions. It reads whole sequences: a cached step raises a
    ValueError (``course_utils.attention.cached_steps``). Arguments and calls as in
    ``TransformerEncoder``.

    Example:
        >>> x = ops.ones((2, 5, 8))
        >>> tuple(RotaryTransformerEncoder(8, 32, 2)(x).shape)
        (2, 5, 8)
    """

    attention_layer = RotaryAttention

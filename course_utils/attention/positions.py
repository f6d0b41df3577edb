"""Positions: the learned embedding and the sinusoidal encoding.

Shapes use the letters of the course: B batch, T length, D model width, V vocabulary
size.
"""

import math

import keras
from keras import layers, ops

from course_utils.arguments import check_sizes
from course_utils.attention.multi_head import KeepsOptions, given_options
from course_utils.attention.quantization import QuantizedParts


@keras.saving.register_keras_serializable(package="course_utils")
class PositionalEmbedding(KeepsOptions, QuantizedParts, layers.Layer):
    """Embed tokens and add a learned vector for each position.

    Gehring et al. (2017), "Convolutional Sequence to Sequence Learning", section
    3.1; token id 0 is padding and is masked.

    Args:
        sequence_length: the largest number of tokens.
        vocab_size: V, number of token ids, padding included.
        embed_dim: D, width of the vectors.
        scale_tokens: multiply token vectors by √D, as Vaswani et al. (2017),
            section 3.4, do when the same matrix also predicts tokens.
        embeddings_initializer: of both tables; None takes Keras's "uniform", and for
            ``scale_tokens`` token vectors of length about 1.
        train_tokens: False freezes the token vectors, for a table that was learned
            elsewhere; the positions are learned all the same.

    Call arguments:
        inputs: (B, T) token ids.
        start: position of the first token, a scalar.
    Returns:
        (B, T, D), with the mask ``inputs != 0`` attached.
    Raises:
        ValueError: when there are more tokens than positions. Inside a compiled
            function that doesn't know T, the backend's own error is raised.

    Example:
        >>> x = PositionalEmbedding(10, 100, 8)(ops.ones((2, 5), dtype="int32"))
        >>> tuple(x.shape)
        (2, 5, 8)
    """

    def __init__(
        self,
        sequence_length,
        vocab_size,
        embed_dim,
        scale_tokens=False,
        embeddings_initializer=None,
        train_tokens=True,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.options = given_options(locals())
        initializer = keras.initializers.get(embeddings_initializer)
        serialized = keras.initializers.serialize(initializer)
        self.options["embeddings_initializer"] = serialized
        check_sizes(type(self).__name__, sequence_length=sequence_length)
        check_sizes(type(self).__name__, vocab_size=vocab_size, embed_dim=embed_dim)
        self.sequence_length = sequence_length
        self.vocab_size, self.embed_dim = vocab_size, embed_dim
        self.scale_tokens = scale_tokens
        tokens = initializer or "uniform"
        # Of its own: one without a seed fills every table with the same numbers.
        positions = keras.saving.deserialize_keras_object(
            keras.saving.serialize_keras_object(tokens)
        )
        if scale_tokens and embeddings_initializer is None:
            # A matrix that also predicts tokens starts with vectors of length about 1.
            tokens = keras.initializers.RandomNormal(stddev=embed_dim**-0.5)
        policy = dict(dtype=self.dtype_policy)
        self.token_embeddings = layers.Embedding(
            vocab_size, embed_dim, tokens, trainable=train_tokens, **policy
        )
        self.position_embeddings = layers.Embedding(
            sequence_length, embed_dim, positions, **policy
        )
        self.supports_masking = True

    def build(self, input_shape):
        self.token_embeddings.build(input_shape)
        self.position_embeddings.build((input_shape[-1],))

    def call(self, inputs, start=0):
        length = ops.shape(inputs)[-1]
        self.check_length(inputs.shape[-1], start)
        # A slice: unlike a look-up, it fails on every device when a row is missing.
        positions = ops.slice(
            read_table(self.position_embeddings, self.compute_dtype),
            (start, 0),
            (length, self.embed_dim),
        )  # (T, D)
        tokens = self.token_embeddings(inputs)  # (B, T, D)
        if self.scale_tokens:
            tokens = tokens * math.sqrt(self.embed_dim)
        return tokens + positions

    def check_length(self, length, start=0):
        """Raise a ValueError when a known length needs positions that don't exist."""
        if length is None or not isinstance(start, int):
            return
        if start < 0 or start + length > self.sequence_length:
            raise ValueError(
                f"{type(self).__name__}: the input has {length} tokens from position "
                f"{start} on, but there are positions for "
                f"sequence_length={self.sequence_length} tokens only; shorten the "
                f"input or make sequence_length larger."
            )

    def predict_tokens(self, x):
        """Score every token with the embedding matrix: (B, T, D) -> (B, T, V)."""
        table = read_table(self.token_embeddings, x.dtype)  # (V, D)
        return ops.matmul(x, ops.transpose(table))

    def compute_mask(self, inputs, mask=None):
        return ops.not_equal(inputs, 0)

    def compute_output_shape(self, input_shape):
        self.check_length(input_shape[-1])
        return (*input_shape, self.embed_dim)


def read_table(embedding, dtype):
    """Return all vectors of a Keras ``Embedding``, (V, D), also of a quantized one."""
    if embedding.quantization_mode is None:
        return ops.cast(embedding.embeddings, dtype)
    # Its table holds whole numbers; only the layer itself knows the step of each row.
    return ops.cast(embedding(ops.arange(embedding.input_dim)), dtype)


def sinusoidal_table(sequence_length, embed_dim):
    """Return the (T, D) position table of Vaswani et al. (2017), section 3.5.

    Even columns hold sin(p / 10000^(2i/D)), odd columns the cosine.
    """
    position = ops.expand_dims(ops.arange(sequence_length, dtype="float32"), 1)
    column = ops.arange(embed_dim, dtype="int32")
    pair = ops.cast(column // 2, "float32")
    angle = position * ops.exp(-math.log(10000.0) * 2.0 * pair / embed_dim)
    return ops.where(column % 2 == 0, ops.sin(angle), ops.cos(angle))


@keras.saving.register_keras_serializable(package="course_utils")
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

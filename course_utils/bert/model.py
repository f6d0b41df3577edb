"""A small BERT: the encoder, and the heads of its two tasks.

Devlin et al. (2019), "BERT: Pre-training of Deep Bidirectional Transformers". Shapes
use the letters of the course: B batch, T length, M positions to be guessed, D model
width, V vocabulary size.
"""

import keras
import numpy as np
from keras import layers, ops

from course_utils.arguments import check_sizes
from course_utils.attention.positions import sinusoidal_table
from course_utils.attention.transformer import (
    PositionalEmbedding,
    TransformerEncoder,
    embedding_table,
)
from course_utils.saving import register

EPSILON = 1e-12  # of the encoder's normalisations, as in the authors' code


@keras.saving.register_keras_serializable(package="course_utils")
def gelu_tanh(x):
    """Apply GELU in the tanh form of the authors' code (Hendrycks and Gimpel, 2016)."""
    return keras.activations.gelu(x, approximate=True)


@register
class BertEncoder(layers.Layer):
    """Tokens, positions and segments, then a stack of post-norm encoder blocks.

    Every token sees every other one, to both sides (section 3 of the paper).

    Args:
        vocab_size: V, of a ``WordPieceVectorizer``.
        sequence_length: largest T, special tokens included.
        embed_dim, dense_dim, num_heads, dropout: as in ``TransformerEncoder``.
        num_layers: number of blocks.

    Call arguments:
        ids: (B, T) token ids, 0 = padding.
        segments: (B, T) numbers 0 and 1; None stands for all 0.
    Returns:
        (B, T, D), with the mask ``ids != 0``.
    Raises:
        ValueError: when T is above ``sequence_length``, or a size is impossible.

    Example:
        >>> encoder = BertEncoder(50, sequence_length=8, embed_dim=4, dense_dim=8)
        >>> tuple(encoder(ops.ones((2, 5), dtype="int32")).shape)
        (2, 5, 4)
    """

    def __init__(
        self,
        vocab_size,
        sequence_length=128,
        embed_dim=128,
        dense_dim=512,
        num_heads=2,
        num_layers=2,
        dropout=0.1,
        **kwargs,
    ):
        super().__init__(**kwargs)
        check_sizes(type(self).__name__, num_layers=num_layers)
        self.vocab_size = vocab_size
        self.sequence_length = sequence_length
        self.embed_dim = embed_dim
        self.dense_dim = dense_dim
        self.num_heads = num_heads
        self.num_layers = num_layers
        self.dropout = dropout
        self.embedding = PositionalEmbedding(
            sequence_length, vocab_size, embed_dim, dtype=self.dtype_policy
        )
        self.segment_embedding = layers.Embedding(2, embed_dim, dtype=self.dtype_policy)
        self.embedding_norm = layers.LayerNormalization(
            epsilon=EPSILON, dtype=self.dtype_policy
        )
        self.dropout_layer = layers.Dropout(dropout, dtype=self.dtype_policy)
        self.blocks = [
            TransformerEncoder(
                embed_dim,
                dense_dim,
                num_heads,
                dropout,
                activation=gelu_tanh,
                layer_norm_epsilon=EPSILON,
                dtype=self.dtype_policy,
            )
            for _ in range(num_layers)
        ]
        self.supports_masking = True

    def build(self, ids_shape=None, segments_shape=None):
        shape = (None, None, self.embed_dim)
        self.embedding.build((None, None))
        self.segment_embedding.build((None, None))
        self.embedding_norm.build(shape)
        for block in self.blocks:
            block.build(shape)
        self.built = True

    def call(self, ids, segments=None, training=None):
        if segments is None:
            segments = ops.zeros_like(ids)
        mask = ops.not_equal(ids, 0)
        x = self.embedding(ids) + self.segment_embedding(segments)  # (B, T, D)
        x = self.dropout_layer(self.embedding_norm(x), training=training)
        for block in self.blocks:
            x = block(x, mask=mask, training=training)
        return x

    def compute_mask(self, ids, mask=None):
        return ops.not_equal(ids, 0)

    def compute_output_shape(self, ids_shape, segments_shape=None):
        return (*ids_shape, self.embed_dim)

    def get_config(self):
        config = super().get_config()
        config["vocab_size"] = self.vocab_size
        config["sequence_length"] = self.sequence_length
        config["embed_dim"] = self.embed_dim
        config["dense_dim"] = self.dense_dim
        config["num_heads"] = self.num_heads
        config["num_layers"] = self.num_layers
        config["dropout"] = self.dropout
        return config


def init_encoder(encoder, vectors=None, stddev=0.05):
    """Let an untrained encoder begin where it learns sooner than from random weights.

    - Positions begin as sine waves. "Three to the left" is then the same linear map at
      every position (Vaswani et al., 2017, section 3.5).
    - The last matrix of each sub-layer begins as 0, and so each block begins as the
      identity (Zhang et al., 2019, "Fixup Initialization", section 3): its input is
      normalised already, so that its own normalisations change nothing.
    - The table of tokens begins with vectors that were learned elsewhere.

    Args:
        encoder: a built ``BertEncoder``.
        vectors: (V, D), such as those of ``train_word_vectors``; rows of 0 stand for
            tokens without a vector, which keep their random one. None: all keep it.
        stddev: of the numbers in the table of positions.
    """
    embedding = encoder.embedding
    waves = sinusoidal_table(embedding.sequence_length, embedding.embed_dim)
    embedding.position_embeddings.set_weights([waves * (stddev / ops.std(waves))])
    for block in encoder.blocks:
        attention_kernel = block.self_attention.output_dense.kernel
        attention_kernel.assign(ops.zeros_like(attention_kernel))
        block.dense_out.kernel.assign(ops.zeros_like(block.dense_out.kernel))
    if vectors is not None:
        (table,) = embedding.token_embeddings.get_weights()  # (V, D)
        learned = np.any(vectors, axis=1)
        table[learned] = vectors[learned]
        embedding.token_embeddings.set_weights([table])


@register
class MaskedTokenHead(layers.Layer):
    """Guess the tokens at some positions of a text (task 1, section 3.1 of the paper).

    The vectors at these positions are picked *before* the product with the (V, D)
    table, so the costly product is made for the chosen positions only.

    Args:
        vocab_size: V.

    Call arguments:
        inputs: (B, T, D), from the encoder.
        positions: (B, M).
        table: (V, D) token vectors, those of the encoder's input.
    Returns:
        (B, M, V) logits, float32.

    Example:
        >>> x, where, table = ops.ones((2, 5, 4)), ops.ones((2, 3)), ops.ones((9, 4))
        >>> tuple(MaskedTokenHead(9)(x, where, table).shape)
        (2, 3, 9)
    """

    def __init__(self, vocab_size, **kwargs):
        super().__init__(**kwargs)
        check_sizes(type(self).__name__, vocab_size=vocab_size)
        self.vocab_size = vocab_size
        self.supports_masking = True

    def build(self, inputs_shape, positions_shape=None, table_shape=None):
        # The exact GELU and this epsilon are those of KerasHub's head.
        self.dense = layers.Dense(
            inputs_shape[-1], activation="gelu", dtype=self.dtype_policy
        )
        self.norm = layers.LayerNormalization(epsilon=1e-5, dtype=self.dtype_policy)
        self.dense.build(inputs_shape)
        self.norm.build(inputs_shape)
        self.bias = self.add_weight((self.vocab_size,), "zeros", name="bias")

    def call(self, inputs, positions, table):
        # A product with 0 and 1: its gradient is faster than that of a look-up.
        chosen = ops.one_hot(
            ops.cast(positions, "int32"), ops.shape(inputs)[1], dtype=inputs.dtype
        )  # (B, M, T)
        x = ops.matmul(chosen, inputs)  # (B, M, D)
        x = self.norm(self.dense(x))
        logits = ops.matmul(x, ops.transpose(ops.cast(table, x.dtype)))  # (B, M, V)
        return ops.cast(logits + ops.cast(self.bias, x.dtype), "float32")

    def compute_mask(self, *arguments, **options):
        return None

    def compute_output_spec(self, inputs, positions, table):
        shape = (*positions.shape, self.vocab_size)
        return keras.KerasTensor(shape, dtype="float32")

    def get_config(self):
        config = super().get_config()
        config["vocab_size"] = self.vocab_size
        return config


@register
class NextSentenceHead(layers.Layer):
    """Does the second segment follow the first? (Task 2, section 3.1 of the paper.)

    It reads the vector of [CLS] alone. One logit stands for the paper's two.

    Call arguments:
        inputs: (B, T, D), from the encoder.
    Returns:
        (B, 1) logits, float32; above 0 means "it follows".
    """

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True

    def build(self, input_shape):
        width = input_shape[-1]
        self.pooled_dense = layers.Dense(
            width, activation="tanh", dtype=self.dtype_policy
        )
        self.output_dense = layers.Dense(1, dtype=self.dtype_policy)
        self.pooled_dense.build((input_shape[0], width))
        self.output_dense.build((input_shape[0], width))

    def call(self, inputs):
        x = self.pooled_dense(inputs[:, 0])  # (B, D)
        return ops.cast(self.output_dense(x), "float32")

    def compute_mask(self, inputs, mask=None):
        return None

    def compute_output_spec(self, inputs):
        return keras.KerasTensor((inputs.shape[0], 1), dtype="float32")


@register
class BertPretraining(keras.Model):
    """The encoder with both heads: what is trained on texts without labels.

    Args:
        encoder: a ``BertEncoder``.

    Call arguments:
        inputs: ids (B, T), segments (B, T) and positions (B, M), as
            ``pretraining_batches`` makes them.
    Returns:
        Token logits (B, M, V) and next-sentence logits (B, 1).
    """

    def __init__(self, encoder, **kwargs):
        super().__init__(**kwargs)
        self.encoder = encoder
        self.token_head = MaskedTokenHead(
            encoder.vocab_size, dtype=encoder.dtype_policy
        )
        self.next_head = NextSentenceHead(dtype=encoder.dtype_policy)

    def build(self, input_shape=None):
        if not self.encoder.built:
            self.encoder.build()
        shape = (None, None, self.encoder.embed_dim)
        self.token_head.build(shape)
        self.next_head.build(shape)
        self.built = True

    def call(self, inputs, training=False):
        ids, segments, positions = inputs
        x = self.encoder(ids, segments, training=training)  # (B, T, D)
        table = embedding_table(self.encoder.embedding.token_embeddings, x.dtype)
        token_logits = self.token_head(x, positions, table)  # (B, M, V)
        return token_logits, self.next_head(x)

    def get_config(self):
        config = super().get_config()
        config["encoder"] = keras.saving.serialize_keras_object(self.encoder)
        return config

    @classmethod
    def from_config(cls, config):
        encoder = keras.saving.deserialize_keras_object(config["encoder"])
        return cls(**{**config, "encoder": encoder})

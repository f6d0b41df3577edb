"""A small BERT: the encoder, and the heads of its two tasks.

Devlin et al. (2019), "BERT: Pre-training of Deep Bidirectional Transformers". Shapes
use the letters of the course: B batch, T length, M positions to be guessed, D model
width, V vocabulary size.
"""

import keras
import numpy as np
from keras import layers, ops

from course_utils.arguments import check_sizes
from course_utils.attention.blocks import TransformerEncoder
from course_utils.attention.multi_head import KeepsOptions, given_options
from course_utils.attention.positions import PositionalEmbedding, sinusoidal_table
from course_utils.text.text_model import KeepsParts

EPSILON = 1e-12  # of the encoder's normalisations, as in the authors' code


@keras.saving.register_keras_serializable(package="course_utils")
def gelu_tanh(x):
    """Apply GELU in the tanh form of the authors' code (Hendrycks and Gimpel, 2016)."""
    return keras.activations.gelu(x, approximate=True)


@keras.saving.register_keras_serializable(package="course_utils")
class BertEncoder(KeepsOptions, layers.Layer):
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
        self.options = given_options(locals())
        check_sizes(type(self).__name__, num_layers=num_layers)
        policy = self.dtype_policy
        self.embedding = PositionalEmbedding(
            sequence_length, vocab_size, embed_dim, dtype=policy
        )
        self.segment_embedding = layers.Embedding(2, embed_dim, dtype=policy)
        self.embedding_norm = layers.LayerNormalization(epsilon=EPSILON, dtype=policy)
        self.dropout_layer = layers.Dropout(dropout, dtype=policy)
        form = dict(activation=gelu_tanh, layer_norm_epsilon=EPSILON, dtype=policy)
        self.blocks = [
            TransformerEncoder(embed_dim, dense_dim, num_heads, dropout, **form)
            for _ in range(num_layers)
        ]
        self.supports_masking = True

    def build(self, ids_shape=None, segments_shape=None):
        shape = (None, None, self.options["embed_dim"])
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
        return (*ids_shape, self.options["embed_dim"])


def start_encoder(encoder, vectors=None, stddev=0.05):
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
        for last in (block.self_attention.output_dense, block.dense_out):
            last.kernel.assign(ops.zeros_like(last.kernel))
    if vectors is not None:
        (table,) = embedding.token_embeddings.get_weights()  # (V, D)
        learned = np.any(vectors, axis=1)
        table[learned] = vectors[learned]
        embedding.token_embeddings.set_weights([table])


@keras.saving.register_keras_serializable(package="course_utils")
class MaskedTokenHead(KeepsOptions, layers.Layer):
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
        self.options = given_options(locals())
        check_sizes(type(self).__name__, vocab_size=vocab_size)
        self.vocab_size = vocab_size
        self.supports_masking = True

    def build(self, inputs_shape, positions_shape=None, table_shape=None):
        width, policy = inputs_shape[-1], self.dtype_policy
        # The exact GELU and this epsilon are those of KerasHub's head.
        self.dense = layers.Dense(width, activation="gelu", dtype=policy)
        self.norm = layers.LayerNormalization(epsilon=1e-5, dtype=policy)
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


@keras.saving.register_keras_serializable(package="course_utils")
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
        width, policy = input_shape[-1], self.dtype_policy
        self.pooled_dense = layers.Dense(width, activation="tanh", dtype=policy)
        self.output_dense = layers.Dense(1, dtype=policy)
        self.pooled_dense.build((input_shape[0], width))
        self.output_dense.build((input_shape[0], width))

    def call(self, inputs):
        x = self.pooled_dense(inputs[:, 0])  # (B, D)
        return ops.cast(self.output_dense(x), "float32")

    def compute_mask(self, inputs, mask=None):
        return None

    def compute_output_spec(self, inputs):
        return keras.KerasTensor((inputs.shape[0], 1), dtype="float32")


@keras.saving.register_keras_serializable(package="course_utils")
class BertPretraining(KeepsParts, keras.Model):
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
        policy = encoder.dtype_policy
        self.token_head = MaskedTokenHead(encoder.options["vocab_size"], dtype=policy)
        self.next_head = NextSentenceHead(dtype=policy)
        self.build()

    def build(self, input_shape=None):
        if not self.encoder.built:
            self.encoder.build()
        shape = (None, None, self.encoder.options["embed_dim"])
        self.token_head.build(shape)
        self.next_head.build(shape)
        self.built = True

    def call(self, inputs, training=False):
        ids, segments, positions = inputs
        x = self.encoder(ids, segments, training=training)
        table = self.encoder.embedding.token_embeddings.embeddings
        tokens = self.token_head(x, positions, ops.convert_to_tensor(table))
        return tokens, self.next_head(x)

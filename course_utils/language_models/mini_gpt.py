"""A mini GPT: decoder blocks without an encoder, which predict the next id.

It reads ids (B, T) and scores the next one at every position, as the LSTM beside it
does, so that perplexity and ``course_utils.generation`` need to know nothing else about
them. A text begins with ``START``.

Shapes: B texts, T length, D model width, H heads, d = D / H, V vocabulary.
"""

import keras
from keras import layers, ops

from course_utils.arguments import check_sizes
from course_utils.attention.blocks import TransformerEncoder
from course_utils.attention.multi_head import KeepsOptions, causal_mask, given_options
from course_utils.attention.positions import PositionalEmbedding, sinusoidal_table
from course_utils.attention.quantization import QuantizedParts
from course_utils.attention.stacks import step_through, through
from course_utils.text.vectorizers import PAD


@keras.saving.register_keras_serializable(package="course_utils")
class CausalBlock(TransformerEncoder):
    """Block of a decoder-only model: causal self-attention, feed-forward network.

    It is the encoder block with a causal mask, or the decoder block without its
    cross-attention (Liu et al., 2018, "Generating Wikipedia by Summarizing Long
    Sequences", section 4.2.3). Arguments as in ``TransformerEncoder``.

    Call arguments:
        inputs: (B, T, D).
        mask: (B, T) boolean, True = real token; Keras fills it in by itself.
        return_attention_scores: also return the weights (B, H, T, T).
    Returns:
        (B, T, D), and the weights when asked for.
    Raises:
        ValueError: when ``num_heads`` does not divide ``embed_dim``.

    Example:
        >>> x = keras.random.normal((2, 5, 8))
        >>> tuple(CausalBlock(8, 32, 2)(x).shape)
        (2, 5, 8)
    """

    def attention_mask(self, inputs):
        return causal_mask(ops.shape(inputs)[1])

    def step(self, x, position, cache):
        """Compute one position, reusing the keys and values of those before it.

        Args:
            x: (B, 1, D), what stands at this position.
            position: its index, a scalar.
            cache: keys and values so far, two tensors (B, H, T, d).
        Returns:
            (B, 1, D) and the updated cache.
        """
        x, cache = self.step_self_attention(x, position, cache)
        y = self.feed_forward(self.before(self.feed_forward_norm, x))
        return self.after(self.feed_forward_norm, x, y, training=False), cache


@keras.saving.register_keras_serializable(package="course_utils")
class MiniGPT(KeepsOptions, QuantizedParts, keras.Model):
    """Decoder-only Transformer: causal blocks on top of each other.

    As in Radford et al. (2018, "Improving Language Understanding by Generative
    Pre-Training"), in the pre-norm form of its successor (2019). One matrix embeds and
    predicts tokens (Press and Wolf, 2017). Positions are learned; they begin as sine
    waves, so that "the position before" is easy to find from the first step on.

    Args:
        vocab_size: V.
        sequence_length: the context, the largest number of tokens it can read.
        embed_dim, dense_dim, num_heads, dropout, activation: as in ``CausalBlock``.
        num_layers: number of blocks.

    Call arguments:
        inputs: ids (B, T); padding stands at the right.
    Returns:
        (B, T, V) logits of the token after each position.
    Raises:
        ValueError: for more tokens than ``sequence_length``.

    Example:
        >>> model = MiniGPT(20, 8, embed_dim=8, dense_dim=16, num_heads=2, num_layers=1)
        >>> tuple(model(ops.ones((2, 5))).shape)
        (2, 5, 20)
    """

    cache_axis = 2  # of keys and values, (R, H, T, d)

    def __init__(
        self,
        vocab_size,
        sequence_length,
        embed_dim=192,
        dense_dim=768,
        num_heads=4,
        num_layers=4,
        dropout=0.0,
        activation="gelu",
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.options = given_options(locals())
        check_sizes("MiniGPT", num_layers=num_layers)
        self.vocab_size, self.sequence_length = vocab_size, sequence_length
        self.embed_dim = embed_dim
        policy = dict(dtype=self.dtype_policy)
        self.embedding = PositionalEmbedding(
            sequence_length, vocab_size, embed_dim, scale_tokens=True, **policy
        )
        self.dropout_layer = layers.Dropout(dropout, **policy)
        form = dict(dropout=dropout, activation=activation, norm_first=True, **policy)
        self.blocks = [
            CausalBlock(embed_dim, dense_dim, num_heads, **form)
            for _ in range(num_layers)
        ]
        self.norm = layers.LayerNormalization(epsilon=1e-5, **policy)

    def build(self, input_shape=None):
        shape = (None, None, self.embed_dim)
        self.embedding.build((None, None))
        waves = sinusoidal_table(self.sequence_length, self.embed_dim)
        self.embedding.position_embeddings.embeddings.assign(waves)
        for part in (*self.blocks, self.norm):
            part.build(shape)
        self.built = True

    def call(self, inputs, training=False):
        x = self.dropout_layer(self.embedding(inputs), training=training)
        for block in self.blocks:
            x = block(x, mask=ops.not_equal(inputs, PAD), training=training)
        return self.embedding.predict_tokens(self.norm(x))

    def attention(self, inputs):
        """Return the attention weights (L, B, H, T, T) of all L blocks."""
        return ops.stack(through(self.blocks, self.embedding(inputs))[1])

    def empty_cache(self, rows, length):
        """Return zeros for the keys and values of ``length`` positions."""
        return [block.empty_cache(rows, length) for block in self.blocks]

    def step(self, tokens, position, cache):
        """Score the token after ``tokens``, the newest ones, with a key/value cache.

        Args:
            tokens: (B,) ids at ``position``.
            position: scalar index of these tokens.
            cache: from ``empty_cache`` or the step before.
        Returns:
            (B, V) logits and the updated cache.
        """
        x = self.embedding(ops.expand_dims(tokens, 1), start=position)  # (B, 1, D)
        x, cache = step_through(self.blocks, x, position, cache)
        logits = self.embedding.predict_tokens(self.norm(x))
        return ops.squeeze(logits, 1), cache

    def compute_output_shape(self, input_shape):
        return (*input_shape, self.vocab_size)

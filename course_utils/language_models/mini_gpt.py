"""A mini GPT: decoder blocks without an encoder, which predict the next id.

It reads ids (B, T) and scores the next one at every position, as the LSTM beside it
does, so that perplexity and ``course_utils.generation`` need to know nothing else about
them. A text begins with ``START``.

Shapes: B texts, T length, D model width, H heads, d = D / H, V vocabulary.
"""

import keras
from keras import layers, ops

from course_utils.arguments import check_sizes
from course_utils.attention.cached_steps import empty_cache, step_causal_block
from course_utils.attention.positions import sinusoidal_table
from course_utils.attention.transformer import (
    PositionalEmbedding,
    TransformerEncoder,
    causal_mask,
)
from course_utils.saving import register
from course_utils.text.vectorizers import PAD


@register
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

    def call(self, inputs, mask=None, return_attention_scores=False, training=None):
        x = inputs

        residual = x
        if self.norm_first:
            x = self.self_attention_norm(x)
        x, weights = self.self_attention(
            x,
            x,
            attention_mask=causal_mask(ops.shape(x)[1]),  # (1, T, T)
            value_mask=mask,
            return_attention_scores=True,
        )
        x = residual + self.dropout_layer(x, training=training)
        if not self.norm_first:
            x = self.self_attention_norm(x)

        residual = x
        if self.norm_first:
            x = self.feed_forward_norm(x)
        x = self.feed_forward(x)
        x = residual + self.dropout_layer(x, training=training)
        if not self.norm_first:
            x = self.feed_forward_norm(x)

        return (x, weights) if return_attention_scores else x


@register
class MiniGPT(keras.Model):
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
        check_sizes("MiniGPT", num_layers=num_layers)
        self.vocab_size = vocab_size
        self.sequence_length = sequence_length
        self.embed_dim = embed_dim
        self.dense_dim = dense_dim
        self.num_heads = num_heads
        self.num_layers = num_layers
        self.dropout = dropout
        self.activation = keras.activations.get(activation)
        self.embedding = PositionalEmbedding(
            sequence_length,
            vocab_size,
            embed_dim,
            scale_tokens=True,
            dtype=self.dtype_policy,
        )
        self.dropout_layer = layers.Dropout(dropout, dtype=self.dtype_policy)
        self.blocks = [
            CausalBlock(
                embed_dim,
                dense_dim,
                num_heads,
                dropout,
                activation,
                norm_first=True,
                dtype=self.dtype_policy,
            )
            for _ in range(num_layers)
        ]
        self.norm = layers.LayerNormalization(epsilon=1e-5, dtype=self.dtype_policy)

    def build(self, input_shape=None):
        shape = (None, None, self.embed_dim)
        self.embedding.build((None, None))
        waves = sinusoidal_table(self.sequence_length, self.embed_dim)
        self.embedding.position_embeddings.embeddings.assign(waves)
        for block in self.blocks:
            block.build(shape)
        self.norm.build(shape)
        self.built = True

    def call(self, inputs, training=False):
        mask = ops.not_equal(inputs, PAD)
        x = self.dropout_layer(self.embedding(inputs), training=training)  # (B, T, D)
        for block in self.blocks:
            x = block(x, mask=mask, training=training)
        return self.embedding.predict_tokens(self.norm(x))  # (B, T, V)

    def attention(self, inputs):
        """Return the attention weights (L, B, H, T, T) of all L blocks."""
        mask = ops.not_equal(inputs, PAD)
        all_weights = []
        x = self.embedding(inputs)  # (B, T, D)
        for block in self.blocks:
            x, weights = block(x, mask=mask, return_attention_scores=True)
            all_weights.append(weights)
        return ops.stack(all_weights)

    def empty_cache(self, rows, length):
        """Return zeros for the keys and values of ``length`` positions."""
        return [empty_cache(block, rows, length) for block in self.blocks]

    def step(self, tokens, position, cache):
        """Score the token after ``tokens``, the newest ones, with a key/value cache.

        Args:
            tokens: (B,) ids at ``position``.
            position: scalar index of these tokens.
            cache: from ``empty_cache`` or the step before.
        Returns:
            (B, V) logits and the updated cache.
        """
        new_cache = []
        x = self.embedding(ops.expand_dims(tokens, 1), start=position)  # (B, 1, D)
        for block, block_cache in zip(self.blocks, cache, strict=True):
            x, block_cache = step_causal_block(block, x, position, block_cache)
            new_cache.append(block_cache)
        logits = self.embedding.predict_tokens(self.norm(x))  # (B, 1, V)
        return ops.squeeze(logits, 1), new_cache

    def compute_output_shape(self, input_shape):
        return (*input_shape, self.vocab_size)

    def get_config(self):
        config = super().get_config()
        config["vocab_size"] = self.vocab_size
        config["sequence_length"] = self.sequence_length
        config["embed_dim"] = self.embed_dim
        config["dense_dim"] = self.dense_dim
        config["num_heads"] = self.num_heads
        config["num_layers"] = self.num_layers
        config["dropout"] = self.dropout
        config["activation"] = keras.activations.serialize(self.activation)
        return config

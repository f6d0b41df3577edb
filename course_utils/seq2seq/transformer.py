"""The translation Transformer, with a step function for decoding."""

import keras
from keras import layers, ops

from course_utils.attention.cached_steps import empty_cache, step_decoder_block
from course_utils.attention.transformer import (
    PositionalEmbedding,
    TransformerDecoder,
    TransformerEncoder,
)
from course_utils.saving import register
from course_utils.text.vectorizers import PAD


@register
class TranslationTransformer(keras.Model):
    """Encoder–decoder Transformer with one embedding matrix for all three uses.

    Vaswani et al. (2017), in the pre-norm form of Xiong et al. (2020): both stacks
    end with a layer normalisation. Source tokens, target tokens and the output
    layer share one (V, D) matrix (Press and Wolf, 2017).

    Args:
        vocab_size: V, of the vocabulary that both languages share.
        sequence_length: largest number of tokens of a sentence, start or end included.
        embed_dim, dense_dim, num_heads, dropout: as in ``TransformerEncoder``.
        num_layers: number of decoder blocks, and of encoder blocks if it isn't given.
        encoder_layers: number of encoder blocks.

    Call arguments:
        inputs: a pair of id arrays, source (B, S) and target (B, T).
    Returns:
        (B, T, V) logits of the next target token.
    """

    cache_axis = 2  # of keys and values, (R, H, T, d)

    def __init__(
        self,
        vocab_size,
        sequence_length,
        embed_dim=192,
        dense_dim=768,
        num_heads=4,
        num_layers=2,
        dropout=0.1,
        encoder_layers=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        if encoder_layers is None:
            encoder_layers = num_layers
        self.vocab_size = vocab_size
        self.sequence_length = sequence_length
        self.embed_dim = embed_dim
        self.dense_dim = dense_dim
        self.num_heads = num_heads
        self.num_layers = num_layers
        self.encoder_layers = encoder_layers
        self.dropout = dropout
        self.embedding = PositionalEmbedding(
            sequence_length,
            vocab_size,
            embed_dim,
            scale_tokens=True,
            dtype=self.dtype_policy,
        )
        self.dropout_layer = layers.Dropout(dropout, dtype=self.dtype_policy)
        self.encoder_blocks = [
            TransformerEncoder(
                embed_dim,
                dense_dim,
                num_heads,
                dropout,
                norm_first=True,
                dtype=self.dtype_policy,
            )
            for _ in range(encoder_layers)
        ]
        self.encoder_norm = layers.LayerNormalization(
            epsilon=1e-5, dtype=self.dtype_policy
        )
        self.decoder_blocks = [
            TransformerDecoder(
                embed_dim,
                dense_dim,
                num_heads,
                dropout,
                norm_first=True,
                dtype=self.dtype_policy,
            )
            for _ in range(num_layers)
        ]
        self.decoder_norm = layers.LayerNormalization(
            epsilon=1e-5, dtype=self.dtype_policy
        )

    def build(self, input_shape=None):
        shape = (None, None, self.embed_dim)
        self.embedding.build((None, None))
        for block in self.encoder_blocks:
            block.build(shape)
        for block in self.decoder_blocks:
            block.build(shape, shape)
        self.encoder_norm.build(shape)
        self.decoder_norm.build(shape)

    def encode(self, source, training=False):
        """Return (B, S, D) vectors for source ids (B, S)."""
        source_mask = ops.not_equal(source, PAD)
        x = self.dropout_layer(self.embedding(source), training=training)  # (B, S, D)
        for block in self.encoder_blocks:
            x = block(x, mask=source_mask, training=training)
        return self.encoder_norm(x)

    def decode(self, target, encoded, source_mask, training=False):
        """Return logits for decoder input ids, and the weights of each decoder block.

        Args:
            target: ids (B, T), the start first.
            encoded: (B, S, D), from ``encode``.
            source_mask: (B, S) boolean, True = real token.
        Returns:
            (B, T, V) logits, and a list of L weights of cross-attention (B, H, T, S).
        """
        target_mask = ops.not_equal(target, PAD)
        all_weights = []
        x = self.dropout_layer(self.embedding(target), training=training)  # (B, T, D)
        for block in self.decoder_blocks:
            x, weights = block(
                x,
                encoded,
                inputs_mask=target_mask,
                encoder_outputs_mask=source_mask,
                return_attention_scores=True,
                training=training,
            )
            all_weights.append(weights)
        logits = self.embedding.predict_tokens(self.decoder_norm(x))  # (B, T, V)
        return logits, all_weights

    def call(self, inputs, training=False):
        source, target = inputs
        encoded = self.encode(source, training)
        source_mask = ops.not_equal(source, PAD)
        logits, _ = self.decode(target, encoded, source_mask, training)
        return logits

    def cross_attention(self, inputs):
        """Return the cross-attention weights (L, B, H, T, S) of all L blocks.

        Args:
            inputs: source ids (B, S) and decoder input ids (B, T).
        """
        source, target = inputs
        source_mask = ops.not_equal(source, PAD)
        _, all_weights = self.decode(target, self.encode(source), source_mask)
        return ops.stack(all_weights)

    def encode_for_steps(self, source):
        """Encode (B, S) ids once; returns what every ``step`` needs of the source."""
        encoded = self.encode(source)
        keys_values = [
            block.cross_attention.project_keys_values(encoded)
            for block in self.decoder_blocks
        ]
        return keys_values, ops.not_equal(source, PAD)

    def empty_cache(self, rows, length):
        """Return zeros for the keys and values of ``length`` target positions."""
        return [empty_cache(block, rows, length) for block in self.decoder_blocks]

    def step(self, tokens, position, cache, encoded_source):
        """Score the token after ``tokens``, the newest ones, with a key/value cache.

        Args:
            tokens: (R,) ids at ``position``; R = B × beam rows.
            position: scalar index of these tokens.
            cache: from ``empty_cache`` or the step before.
            encoded_source: from ``encode_for_steps``.
        Returns:
            (R, V) logits and the updated cache.
        """
        all_keys_values, source_mask = encoded_source
        new_cache = []
        x = self.embedding(ops.expand_dims(tokens, 1), start=position)  # (R, 1, D)
        for block, block_cache, keys_values in zip(
            self.decoder_blocks, cache, all_keys_values, strict=True
        ):
            x, block_cache = step_decoder_block(
                block, x, position, block_cache, keys_values, source_mask
            )
            new_cache.append(block_cache)
        logits = self.embedding.predict_tokens(self.decoder_norm(x))  # (R, 1, V)
        return ops.squeeze(logits, 1), new_cache

    def compute_output_shape(self, input_shape):
        return (*input_shape[1], self.vocab_size)

    def get_config(self):
        config = super().get_config()
        config["vocab_size"] = self.vocab_size
        config["sequence_length"] = self.sequence_length
        config["embed_dim"] = self.embed_dim
        config["dense_dim"] = self.dense_dim
        config["num_heads"] = self.num_heads
        config["num_layers"] = self.num_layers
        config["encoder_layers"] = self.encoder_layers
        config["dropout"] = self.dropout
        return config

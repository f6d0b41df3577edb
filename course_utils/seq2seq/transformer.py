"""The translation Transformer, with a step function for decoding."""

import keras
from keras import layers, ops

from course_utils.attention.blocks import TransformerDecoder, TransformerEncoder
from course_utils.attention.multi_head import KeepsOptions, given_options
from course_utils.attention.positions import PositionalEmbedding
from course_utils.attention.quantization import QuantizedParts
from course_utils.attention.stacks import step_through, through
from course_utils.text.vectorizers import PAD


@keras.saving.register_keras_serializable(package="course_utils")
class TranslationTransformer(KeepsOptions, QuantizedParts, keras.Model):
    """Encoder–decoder Transformer with one embedding matrix for all three uses.

    Vaswani et al. (2017), in the pre-norm form of Xiong et al. (2020): both stacks
    end with a layer normalisation. Source tokens, target tokens and the output
    layer share one (V, D) matrix (Press and Wolf, 2017).

    Args:
        vocab_size: V, of the vocabulary that both languages share.
        sequence_length: largest number of tokens of a sentence, start or end included.
        embed_dim, dense_dim, num_heads, dropout: as in ``TransformerEncoder``.
        num_layers: number of encoder blocks, and of decoder blocks.

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
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.options = given_options(locals())
        self.vocab_size, self.sequence_length = vocab_size, sequence_length
        self.embed_dim = embed_dim
        policy = dict(dtype=self.dtype_policy)
        size = (embed_dim, dense_dim, num_heads)
        block = dict(dropout=dropout, norm_first=True, **policy)
        self.embedding = PositionalEmbedding(
            sequence_length, vocab_size, embed_dim, scale_tokens=True, **policy
        )
        self.dropout_layer = layers.Dropout(dropout, **policy)
        self.encoder_blocks = [
            TransformerEncoder(*size, **block) for _ in range(num_layers)
        ]
        self.encoder_norm = layers.LayerNormalization(epsilon=1e-5, **policy)
        self.decoder_blocks = [
            TransformerDecoder(*size, **block) for _ in range(num_layers)
        ]
        self.decoder_norm = layers.LayerNormalization(epsilon=1e-5, **policy)

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
        mask = ops.not_equal(source, PAD)
        x = self.dropout_layer(self.embedding(source), training=training)
        for block in self.encoder_blocks:
            x = block(x, mask=mask, training=training)
        return self.encoder_norm(x)

    def call(self, inputs, training=False):
        x, _ = self._decode(inputs, training)
        return self.embedding.predict_tokens(self.decoder_norm(x))

    def _decode(self, inputs, training=False):
        """Return what the decoder blocks make of (B, T) ids, and each one's weights."""
        source, target = inputs
        encoded = self.encode(source, training)
        x = self.dropout_layer(self.embedding(target), training=training)
        return through(
            self.decoder_blocks,
            x,
            encoded,
            inputs_mask=ops.not_equal(target, PAD),
            encoder_outputs_mask=ops.not_equal(source, PAD),
            training=training,
        )

    def cross_attention(self, inputs):
        """Return the cross-attention weights (L, B, H, T, S) of all L blocks.

        Args:
            inputs: source ids (B, S) and decoder input ids (B, T).
        """
        return ops.stack(self._decode(inputs)[1])

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
        return [block.empty_cache(rows, length) for block in self.decoder_blocks]

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
        keys_values, mask = encoded_source
        x = self.embedding(ops.expand_dims(tokens, 1), start=position)  # (R, 1, D)
        state = x, position, cache, keys_values
        x, cache = step_through(self.decoder_blocks, *state, source_mask=mask)
        logits = self.embedding.predict_tokens(self.decoder_norm(x))
        return ops.squeeze(logits, 1), cache

    def compute_output_shape(self, input_shape):
        return (*input_shape[1], self.vocab_size)

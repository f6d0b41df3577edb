"""The translation Transformer."""

import keras
from keras import layers, ops

from course_utils.transformer import (
    PositionalEmbedding,
    TransformerDecoder,
    TransformerEncoder,
)


@keras.saving.register_keras_serializable(package="course_utils")
class TranslationTransformer(keras.Model):
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
        self.options = dict(
            vocab_size=vocab_size,
            sequence_length=sequence_length,
            embed_dim=embed_dim,
            dense_dim=dense_dim,
            num_heads=num_heads,
            num_layers=num_layers,
            dropout=dropout,
        )
        block = dict(dropout=dropout, norm_first=True, dtype=self.dtype_policy)
        size = (embed_dim, dense_dim, num_heads)
        self.embedding = PositionalEmbedding(
            sequence_length,
            vocab_size,
            embed_dim,
            scale_tokens=True,
            dtype=self.dtype_policy,
        )
        self.dropout_layer = layers.Dropout(dropout, dtype=self.dtype_policy)
        self.encoder_blocks = [
            TransformerEncoder(*size, **block) for _ in range(num_layers)
        ]
        self.encoder_norm = layers.LayerNormalization(
            epsilon=1e-5, dtype=self.dtype_policy
        )
        self.decoder_blocks = [
            TransformerDecoder(*size, **block) for _ in range(num_layers)
        ]
        self.decoder_norm = layers.LayerNormalization(
            epsilon=1e-5, dtype=self.dtype_policy
        )

    def build(self, input_shape=None):
        shape = (None, None, self.options["embed_dim"])
        self.embedding.build((None, None))
        for block in self.encoder_blocks:
            block.build(shape)
        for block in self.decoder_blocks:
            block.build(shape, shape)
        self.encoder_norm.build(shape)
        self.decoder_norm.build(shape)

    def encode(self, source, training=False):
        """Return (B, S, D) vectors for source ids (B, S)."""
        mask = ops.not_equal(source, 0)
        x = self.dropout_layer(self.embedding(source), training=training)
        for block in self.encoder_blocks:
            x = block(x, mask=mask, training=training)
        return self.encoder_norm(x)

    def call(self, inputs, training=False):
        source, target = inputs
        encoded = self.encode(source, training)
        x = self.dropout_layer(self.embedding(target), training=training)
        for block in self.decoder_blocks:
            x = block(
                x,
                encoded,
                inputs_mask=ops.not_equal(target, 0),
                encoder_outputs_mask=ops.not_equal(source, 0),
                training=training,
            )
        return self.embedding.predict_tokens(self.decoder_norm(x))

    def compute_output_shape(self, input_shape):
        return (*input_shape[1], self.options["vocab_size"])

    def get_config(self):
        return {**super().get_config(), **self.options}

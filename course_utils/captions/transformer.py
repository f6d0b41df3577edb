"""Decoder blocks that attend to the cells of an image, and write its caption.

Nothing in a decoder block knows about sentences: its cross-attention takes any set of
vectors. Shapes as in ``course_utils.captions.captioner``; L blocks, H heads.
"""

import keras
from keras import layers, ops

from course_utils.attention.blocks import TransformerDecoder
from course_utils.attention.multi_head import check_sizes, given_options
from course_utils.attention.positions import PositionalEmbedding
from course_utils.attention.stacks import step_through, through
from course_utils.captions.captioner import Captioner
from course_utils.text.vectorizers import PAD


@keras.saving.register_keras_serializable(package="course_utils")
class TransformerCaptioner(Captioner):
    """Pre-norm Transformer decoder blocks on the cells of an image.

    Args:
        encoder: a ``ConvEncoder`` or ``PatchEncoder``; its width D is the model's.
        vocab_size: V.
        caption_length: largest number of words, start or end included.
        dense_dim, num_heads, dropout: as in ``TransformerDecoder``.
        num_blocks: number of decoder blocks.
        word_dropout: rate of the words read that training replaces by the unknown
            token.

    Call arguments:
        inputs: a pair, images (B, H, W, 3) and the words read (B, T) with the start.
    Returns:
        (B, T, V) logits of the next word.
    Raises:
        ValueError: for captions that are too long, or sizes that don't fit.

    Example:
        >>> from course_utils.captions.encoders import ConvEncoder
        >>> model = TransformerCaptioner(ConvEncoder(12, 6), 10, 5, num_heads=2)
        >>> tuple(model((ops.zeros((2, 12, 12, 3)), ops.ones((2, 3)))).shape)
        (2, 3, 10)
    """

    cache_axis = 2  # of keys and values, (R, H, T, d)

    def __init__(
        self,
        encoder,
        vocab_size,
        caption_length,
        dense_dim=128,
        num_heads=4,
        num_blocks=1,
        dropout=0.0,
        word_dropout=0.0,
        **kwargs,
    ):
        super().__init__(given_options(locals()), **kwargs)
        check_sizes("TransformerCaptioner", num_blocks=num_blocks)
        width, policy = encoder.embed_dim, self.dtype_policy
        self.embedding = PositionalEmbedding(
            caption_length, vocab_size, width, scale_tokens=True, dtype=policy
        )
        form = dict(norm_first=True, dtype=policy)
        self.blocks = [
            TransformerDecoder(width, dense_dim, num_heads, dropout=dropout, **form)
            for _ in range(num_blocks)
        ]
        self.norm = layers.LayerNormalization(epsilon=1e-5, dtype=policy)

    def build(self, input_shape=None):
        self.build_encoder()
        shape = (None, None, self.encoder.embed_dim)
        self.embedding.build((None, None))
        for block in self.blocks:
            block.build(shape, shape)
        self.norm.build(shape)
        self.built = True

    def decode(self, cells, words, training=False):
        """Go through whole captions.

        Returns:
            Logits (B, T, V) and a list of the blocks' weights (B, H, T, S).
        """
        self.check_length(words)
        x, real = self.embedding(words), ops.not_equal(words, PAD)
        options = dict(inputs_mask=real, training=training)
        x, all_weights = through(self.blocks, x, cells, **options)
        return self.embedding.predict_tokens(self.norm(x)), all_weights

    def call(self, inputs, training=False):
        images, words = inputs
        seen = self.drop_words(words, training=training)
        return self.decode(self.encoder(images, training=training), seen, training)[0]

    def cross_attention(self, inputs):
        """Return the cross-attention weights (L, B, H, T, S) of all L blocks.

        Args:
            inputs: images (B, H, W, 3) and the words read (B, T).
        """
        images, words = inputs
        return ops.stack(self.decode(self.encoder(images), words)[1])

    def encode_for_steps(self, source):
        """Return the keys and values of images (B, H · W · 3) for every block."""
        cells = self.encode_rows(source)
        return [
            block.cross_attention.project_keys_values(cells) for block in self.blocks
        ]

    def empty_cache(self, rows, length):
        """Return zeros for the keys and values of ``length`` words."""
        return [block.empty_cache(rows, length) for block in self.blocks]

    def step(self, tokens, position, cache, encoded_source):
        """Score the word after ``tokens`` (R,); R = B × K rows, K for each image.

        Returns:
            (R, V) logits and the updated cache.
        """
        x = self.embedding(ops.expand_dims(tokens, 1), start=position)  # (R, 1, D)
        x, cache = step_through(self.blocks, x, position, cache, encoded_source)
        return ops.squeeze(self.embedding.predict_tokens(self.norm(x)), 1), cache

"""Text classification: a plain classifier, token dropout, and a quiet block."""

import keras
from keras import layers, ops

import course_utils.attention.pooling  # noqa: F401
import course_utils.attention.positions  # noqa: F401

# A saved classifier is made of these. `layers` has them all, but imports this module.
import course_utils.metrics  # noqa: F401
import course_utils.training  # noqa: F401
from course_utils.arguments import check_rate
from course_utils.attention.transformer import PositionalEmbedding, TransformerEncoder
from course_utils.text.vectorizers import PAD, UNKNOWN


@keras.saving.register_keras_serializable(package="course_utils")
class TokenDropout(layers.Layer):
    """Hide some words in training: replace random tokens by the unknown token.

    A classifier that can't rely on any single word overfits later (word dropout,
    Iyyer et al., 2015, "Deep Unordered Composition", section 3). Padding stays, and
    nothing changes outside training.

    Args:
        rate: how many of the tokens to hide, at least 0 and below 1.

    Call arguments:
        inputs: (B, T) token ids.
    Returns:
        (B, T) token ids.
    Raises:
        ValueError: when ``rate`` is out of range.

    Example:
        >>> hidden = TokenDropout(0.5, seed=0)(ops.ones((1, 9)) * 7, training=True)
        >>> sorted(set(ops.convert_to_numpy(hidden)[0].tolist()))
        [1.0, 7.0]
    """

    def __init__(self, rate, seed=None, **kwargs):
        super().__init__(**kwargs)
        check_rate("TokenDropout", "rate", rate)
        self.rate = rate
        self.seed = seed
        self.seed_generator = keras.random.SeedGenerator(seed)
        self.built = True

    def call(self, inputs, training=False):
        if not training or self.rate == 0:
            return inputs
        draws = keras.random.uniform(ops.shape(inputs), seed=self.seed_generator)
        hidden = ops.logical_and(draws < self.rate, ops.not_equal(inputs, PAD))
        return ops.where(hidden, ops.cast(UNKNOWN, inputs.dtype), inputs)

    def compute_output_shape(self, input_shape):
        return input_shape

    def get_config(self):
        config = super().get_config()
        config["rate"] = self.rate
        config["seed"] = self.seed
        return config


def zero_init_residual_branches(block):
    """Let a pre-norm block begin as x -> x: no update comes out of its sub-layers.

    The last matrix of each sub-layer becomes 0 and learns from there (Zhang et al.,
    2019, "Fixup Initialization", section 3). A classifier that pools the block's
    output then begins as a model of the word vectors alone.

    Args:
        block: a built ``TransformerEncoder`` with ``norm_first=True``.
    Raises:
        ValueError: for a post-norm block, which normalises even so.
    """
    if not block.norm_first:
        raise ValueError(
            f"zero_init_residual_branches: the block {block.name!r} normalises after "
            f"each sub-layer, so it can't begin as the identity; make it with "
            f"norm_first=True."
        )
    for last in (block.self_attention.output_dense, block.dense_out):
        last.kernel.assign(ops.zeros_like(last.kernel))


def plain_classifier(vocab_size, embed_dim, num_blocks=1, longest=None):
    """Return a plain classifier of texts.

    Lesson 05 trains it on IMDB: embedding, encoder blocks, the mean over the words, one
    dense layer.

    Args:
        vocab_size: V, number of token ids, padding included.
        embed_dim: D, width of the vectors.
        num_blocks: how many encoder blocks; 0 pools the word vectors alone.
        longest: the largest number of words, for learned positions; without it the
            classifier knows nothing of the order of the words.
    Returns:
        A Keras model: (B, T) ids -> (B, 1) probabilities.
    """
    ids = keras.Input((None,), dtype="int64")  # (B, T)
    if longest:
        x = PositionalEmbedding(longest, vocab_size, embed_dim)(ids)  # (B, T, D)
    else:
        x = layers.Embedding(vocab_size, embed_dim, mask_zero=True)(ids)
    for _ in range(num_blocks):
        x = TransformerEncoder(embed_dim, 4 * embed_dim, 2, norm_first=True)(x)
    x = layers.GlobalAveragePooling1D()(x)  # (B, D)
    x = layers.Dropout(0.5)(x)
    return keras.Model(ids, layers.Dense(1, activation="sigmoid")(x))

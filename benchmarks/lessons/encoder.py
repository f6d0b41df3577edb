"""Small classifiers of encoder blocks that lack a part, for `benchmarks.encoder`."""

import keras
from keras import layers, ops

from course_utils.layers import MultiHeadAttention, PositionalEmbedding


def block_without(x, missing=()):
    """Apply a new pre-norm block with 4 heads, without its missing parts.

    Without "heads" there is a single one; without "choice" all weights are equal.
    """
    width = x.shape[-1]
    weights = None
    if "attention" not in missing:
        residual = x
        if "norm" not in missing:
            x = layers.LayerNormalization(epsilon=1e-5)(x)
        attention = MultiHeadAttention(width, num_heads=1 if "heads" in missing else 4)
        if "choice" in missing:  # all scores are 0, so each word gets a plain average
            attention.build(x.shape)
            attention.query_dense.kernel.assign(ops.zeros((width, width)))
        x, weights = attention(x, x, return_attention_scores=True)
        if "residual" not in missing:
            x = layers.Add()([residual, x])  # keeps the mask, unlike +
    if "feed-forward" not in missing:
        residual = x
        if "norm" not in missing:
            x = layers.LayerNormalization(epsilon=1e-5)(x)
        x = layers.Dense(4 * width, activation="relu")(x)
        x = layers.Dense(width)(x)
        if "residual" not in missing:
            x = layers.Add()([residual, x])
    return x, weights


def small_model(missing=(), positions=True):
    """Return a classifier of four blocks: (B, T) ids -> (B, 1) probabilities."""
    ids = keras.Input((None,), dtype="int64")  # (B, T)
    if positions:
        x = PositionalEmbedding(64, 1000, 32)(ids)  # (B, T, D)
    else:
        x = layers.Embedding(1000, 32, mask_zero=True)(ids)
    for _ in range(4):
        x, _ = block_without(x, missing)
    x = layers.GlobalAveragePooling1D()(x)  # (B, D): the mask keeps padding out
    return keras.Model(ids, layers.Dense(1, activation="sigmoid")(x))


def train(model, data, epochs, rate=2e-3):
    """Train with Adam at a constant rate."""
    optimizer = keras.optimizers.Adam(rate)
    model.compile(optimizer, "binary_crossentropy", metrics=["accuracy"])
    model.fit(data, epochs=epochs, shuffle=False, verbose=0)
    return model

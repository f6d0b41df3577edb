"""Right answers: stop here if you want to find them yourself.

Written by `make answers` from this notebook; change the notebook, not this file:
notebooks/solutions/04_self_attention.ipynb
"""

import keras
import numpy as np


def noun_finder():
    to_noun = [0, 0, 20]
    to_adjective = [0, 20, 0]
    w_q = np.array([to_noun, to_noun, to_adjective])  # article, adjective, noun
    return w_q, np.eye(3)


def keras_layer(w_q, w_k, w_v):
    length, width = w_q.shape  # D, d
    layer = keras.layers.MultiHeadAttention(
        num_heads=1, key_dim=width, use_bias=False, output_shape=width
    )
    layer.build((None, None, length), (None, None, length))
    output = np.eye(width)[None]  # (1, d, d)
    layer.set_weights([w_q[:, None], w_k[:, None], w_v[:, None], output])
    return layer


def mended_causal_attention(query, key, value):
    scores = query @ key.T / np.sqrt(key.shape[1])  # (T, T)
    scores = np.where(np.tri(len(query), dtype=bool), scores, -1e9)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = powers / powers.sum(axis=1, keepdims=True)
    return weights @ value


def attended_words(weights):
    logarithms = np.log(np.where(weights > 0, weights, 1.0))
    return np.exp(-(weights * logarithms).sum(axis=-1))

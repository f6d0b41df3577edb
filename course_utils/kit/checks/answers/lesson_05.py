"""Right answers: stop here if you want to find them yourself.

Written by `make answers` from this notebook; change the notebook, not this file:
notebooks/solutions/05_transformer_encoder.ipynb
"""

import numpy as np


def count_parameters(embed_dim, dense_dim):
    attention = 4 * (embed_dim * embed_dim + embed_dim)
    feed_forward = 2 * embed_dim * dense_dim + dense_dim + embed_dim
    return attention + feed_forward + 2 * 2 * embed_dim


def attention_pool(x, mask, query, num_heads):
    heads = []
    columns = np.split(x, num_heads, axis=-1)  # H arrays (B, T, d)
    for own, q in zip(columns, np.split(query, num_heads), strict=True):
        scores = np.where(mask, own @ q / np.sqrt(len(q)), -1e9)  # (B, T)
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        weights = powers / powers.sum(axis=1, keepdims=True)
        heads.append((weights[..., None] * own).sum(axis=1))  # (B, d)
    return np.concatenate(heads, axis=-1)


def mended_attention(x, mask, num_heads):
    batch, length, width = x.shape
    heads = x.reshape(batch, length, num_heads, -1).transpose(0, 2, 1, 3)
    scores = heads @ heads.swapaxes(-1, -2) / np.sqrt(heads.shape[-1])  # (B, H, T, T)
    scores = np.where(mask[:, None, None, :], scores, -1e9)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    mixed = powers / powers.sum(axis=-1, keepdims=True) @ heads
    return mixed.transpose(0, 2, 1, 3).reshape(batch, length, width)


def token_difference(x):
    unit = x / np.linalg.norm(x, axis=1, keepdims=True)
    return 1 - (unit @ unit.T)[np.triu_indices(len(x), k=1)].mean()


def difference_by_depth(x, update, depth, factor):
    measured = [token_difference(x)]
    for _ in range(depth):
        x = factor * x + update(x)
        measured.append(token_difference(x))
    return measured

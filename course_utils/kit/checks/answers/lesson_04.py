"""Right answers: stop here if you want to find them yourself.

Written by `make answers` from this notebook; change the notebook, not this file:
notebooks/solutions/04_self_attention.ipynb
"""

import numpy as np


def noun_finder():
    to_noun = [0, 0, 20]
    to_adjective = [0, 20, 0]
    w_q = np.array([to_noun, to_noun, to_adjective])  # article, adjective, noun
    return w_q, np.eye(3)


def batch_self_attention(x, w_q, w_k, w_v, lengths, causal):
    queries = x @ w_q  # (B, T, d)
    keys = x @ w_k
    values = x @ w_v
    scores = queries @ keys.swapaxes(1, 2) / np.sqrt(keys.shape[-1])  # (B, T, T)
    length = x.shape[1]
    real = np.arange(length) < np.array(lengths)[:, None]  # (B, T)
    may_look = np.repeat(real[:, None], length, axis=1)  # (B, T, T)
    if causal:
        may_look = may_look & np.tri(length, dtype=bool)
    scores = np.where(may_look, scores, -1e9)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = powers / powers.sum(axis=-1, keepdims=True)
    return weights @ values


def mended_causal_attention(query, key, value):
    scores = query @ key.T / np.sqrt(key.shape[1])  # (T, T)
    scores = np.where(np.tri(len(query), dtype=bool), scores, -1e9)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = powers / powers.sum(axis=1, keepdims=True)
    return weights @ value


def attended_words(weights):
    logarithms = np.log(np.where(weights > 0, weights, 1.0))
    return np.exp(-(weights * logarithms).sum(axis=-1))

"""Right answers: stop here if you want to find them yourself.

Written by `make answers` from this notebook; change the notebook, not this file:
notebooks/solutions/further/04_what_attention_costs.ipynb
"""

import numpy as np


def noun_finder():
    to_noun, to_adjective = [0, 0, 1], [0, 1, 0]
    w_q = 20 * np.array([to_noun, to_noun, to_adjective])  # article, adjective, noun
    return w_q, np.eye(3)


def window_attention(query, key, value, window):
    length, width = query.shape
    near = np.arange(length)[:, None] + np.arange(-window, window + 1)  # (T, 2w + 1)
    exists = (near >= 0) & (near < length)
    near = np.clip(near, 0, length - 1)
    scores = (query[:, None] * key[near]).sum(axis=-1) / np.sqrt(width)
    scores = np.where(exists, scores, -1e9)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = powers / powers.sum(axis=1, keepdims=True)  # (T, 2w + 1)
    return (weights[..., None] * value[near]).sum(axis=1)


def mended_attention(query, key, value):
    scores = query @ key.T / np.sqrt(key.shape[1])  # (T, S)
    powers = np.exp(scores)
    weights = powers / powers.sum(axis=1, keepdims=True)
    return weights @ value


def attended_words(weights):
    logarithms = np.log(np.where(weights > 0, weights, 1.0))
    return np.exp(-(weights * logarithms).sum(axis=-1))

"""Right answers: stop here if you want to find them yourself.

Written by `make answers` from this notebook; change the notebook, not this file:
notebooks/solutions/15_modern_transformer.ipynb
"""

import numpy as np


def cache_bytes(texts, positions, num_layers, heads, key_heads, head_dim, number_bytes):
    numbers = 2 * num_layers * key_heads * head_dim  # of a position
    return texts * positions * numbers * number_bytes


def mixture(x, router, up, down, k):
    scores = x @ router  # (N, E)
    chosen = np.argsort(-scores, axis=1)[:, :k]  # (N, k)
    best = np.take_along_axis(scores, chosen, axis=1)
    powers = np.exp(best - best.max(axis=1, keepdims=True))
    weights = powers / powers.sum(axis=1, keepdims=True)  # (N, k)
    mixed = np.zeros((len(x), down.shape[2]))
    for expert in range(router.shape[1]):
        token, place = np.nonzero(chosen == expert)
        if len(token):
            hidden = np.maximum(x[token] @ up[expert], 0)
            mixed[token] += weights[token, place][:, None] * (hidden @ down[expert])
    return mixed


def turned(x, start):
    """Turn each pair of columns by its position, (H, T, d)."""
    half = x.shape[-1] // 2
    speed = 10_000.0 ** (-np.arange(half) / half)
    angle = (start + np.arange(x.shape[1]))[:, None] * speed  # (T, d/2)
    first, second = x[..., :half], x[..., half:]
    cosine, sine = np.cos(angle), np.sin(angle)
    pair = [first * cosine - second * sine, second * cosine + first * sine]
    return np.concatenate(pair, axis=-1)


def normed(x):
    return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-5)


def mended_weights(queries, keys, scale, start=0):
    keys = np.repeat(keys, len(queries) // len(keys), axis=0)
    queries, keys = (turned(normed(y) * scale, start) for y in (queries, keys))
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(len(scale))
    scores = np.where(np.tri(scores.shape[-1], dtype=bool), scores, -1e9)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def useful_rates(rates, found, tolerance):
    found = np.nan_to_num(np.asarray(found, float), nan=np.inf)
    good = found <= found.min() + tolerance
    low = high = int(found.argmin())
    while low > 0 and good[low - 1]:
        low -= 1
    while high + 1 < len(good) and good[high + 1]:
        high += 1
    return rates[low], rates[high]

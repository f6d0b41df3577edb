"""Right answers: stop here if you want to find them yourself.

Written by `make answers` from this notebook; change the notebook, not this file:
notebooks/solutions/further/06_positions_measured.ipynb
"""

import numpy as np


def clock_products():
    return 1, -1, 1, 0


def penalised_weights(queries, keys):
    heads, length, width = queries.shape
    slopes = 2.0 ** (-8 * np.arange(1, heads + 1) / heads)  # (H,)
    positions = np.arange(length)
    distances = np.abs(positions[:, None] - positions)  # (T, T)
    scores = queries @ np.swapaxes(keys, -1, -2) / np.sqrt(width)  # (H, T, T)
    scores = scores - slopes[:, None, None] * distances
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def turned(x):
    half = x.shape[-1] // 2
    angle = np.arange(x.shape[-2])[:, None] / 10_000 ** (
        np.arange(half) / half
    )  # (T, d/2)
    first, second = x[..., :half], x[..., half:]
    cosine, sine = np.cos(angle), np.sin(angle)
    pair = [first * cosine - second * sine, second * cosine + first * sine]
    return np.concatenate(pair, axis=-1)


def mended_attention(queries, keys, values):
    scores = turned(queries) @ np.swapaxes(turned(keys), -1, -2)  # (B, H, T, T)
    scores = scores / np.sqrt(queries.shape[-1])
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True) @ values


def explained_by_distance(said, symbols, distances):
    found = []
    for distance in distances:
        late, early = max(distance, 0), max(-distance, 0)
        length = symbols.shape[1] - late - early
        answers = said[:, late : late + length]
        found.append((answers == symbols[:, early : early + length]).mean())
    return found

"""Right answers: stop here if you want to find them yourself.

Written by `make answers` from this notebook; change the notebook, not this file:
notebooks/solutions/00_start_here.ipynb
"""

import numpy as np


def three_weights():
    return [1 / 4, 1 / 4, 2 / 4]


def attend(query, keys, values):
    scores = keys @ query / np.sqrt(len(query))  # (S,)
    powers = np.exp(scores - scores.max())
    weights = powers / powers.sum()
    return weights, weights @ values  # (S,), (D,)


def mended_weights(queries, keys):
    scores = queries @ keys.T / np.sqrt(keys.shape[1])  # (T, S)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def river_curve(lengths):
    keys = np.array([[1.0, 0.0], [2.0, 0.0], [1.0, 1.0]])  # deep, river, bank
    return [attend(np.array([n, 0.0]), keys, keys)[0][1] for n in lengths]

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


def crossings(weights):
    columns = np.argmax(weights, axis=1)  # of the largest weight, (T,)
    count = 0
    for second in range(len(columns)):
        for first in range(second):
            if columns[first] > columns[second]:
                count += 1
    return count

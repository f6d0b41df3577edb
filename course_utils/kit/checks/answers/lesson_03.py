"""Right answers: stop here if you want to find them yourself.

Written by `make answers` from this notebook; change the notebook, not this file:
notebooks/solutions/03_attention_mechanisms.ipynb
"""

import numpy as np
from keras import ops

from course_utils.seq2seq import gru_translator


def needed_score(weight, others):
    return np.log(others * weight / (1 - weight))


def general_attention(query, value, mask, w):
    query = ops.matmul(query, w)  # (B, T, K)
    return gru_translator.dot_attention(query, value, mask)


def mended_attention(query, value, real):
    scores = query @ value.T  # (T, S)
    scores = np.where(real, scores, -1e9)
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = powers / powers.sum(axis=1, keepdims=True)
    return weights @ value


def shifts(weights, links):
    found = []
    for j, row in enumerate(weights):
        gaps = [int(row.argmax()) - i for i, target in links if target == j]
        if gaps:
            found.append(min(gaps, key=abs))
    return found

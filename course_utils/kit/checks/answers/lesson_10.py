"""Right answers: stop here if you want to find them yourself.

Written by `make answers` from this notebook; change the notebook, not this file:
notebooks/solutions/10_language_models.ipynb
"""

import numpy as np


def bits_of_words(perplexity, characters, words):
    return np.log2(perplexity) * words / characters


def forbidden(ids, n):
    last = ids[len(ids) - n + 1 :]
    if len(ids) < n:
        return []
    starts = range(len(ids) - n + 1)
    return sorted({ids[i + n - 1] for i in starts if ids[i : i + n - 1] == last})


def peeks(model, ids):
    logits = np.asarray(model(ids))  # (B, T, V)
    found = np.zeros(ids.shape[1], bool)
    for t in range(ids.shape[1] - 1):
        other = ids.copy()
        other[:, t + 1 :] = 4 + (ids[:, t + 1 :] - 3) % (logits.shape[-1] - 4)
        found[t] = (np.abs(np.asarray(model(other)) - logits)[:, t] > 1e-5).any()
    return found


def contexts(ids, size, first):
    places = np.arange(first, len(ids))  # (R,)
    return ids[places[:, None] + np.arange(-size, 0)], ids[first:]

"""Right answers: stop here if you want to find them yourself.

Written by `make answers` from this notebook; change the notebook, not this file:
notebooks/solutions/further/03_attention_family.ipynb
"""

import numpy as np


def sharpness(weight, others, cosine):
    return np.log(others * weight / (1 - weight)) / (1 - cosine)


def location_aware_scores(query, keys, before, w_query, w_keys, w_before, v):
    wide = np.pad(before, 1)  # 0 outside of the source
    near = np.stack([wide[:-2], wide[1:-1], wide[2:]], axis=1)  # (S, 3)
    hidden = query @ w_query + keys @ w_keys + near @ w_before  # (S, U)
    return np.tanh(hidden) @ v


def mended_weights(scores, share, real, half_width):
    distance = np.arange(len(scores)) - share * real.sum()
    scores = scores - (distance / (half_width / 2)) ** 2 / 2
    powers = np.exp(scores) * (np.abs(distance) <= half_width) * real
    return powers / powers.sum()


def shifts(weights, links):
    found = []
    for j, row in enumerate(weights):
        gaps = [int(row.argmax()) - i for i, target in links if target == j]
        if gaps:
            found.append(min(gaps, key=abs))
    return found

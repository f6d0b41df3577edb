"""Right answers: stop here if you want to find them yourself.

Written by `make answers` from this notebook; change the notebook, not this file:
notebooks/solutions/further/08_what_attention_sees.ipynb
"""

import numpy as np


def even_roles():
    return 25 / 48, 13 / 36, 1 / 16


def arriving(weights, values, kernel):
    rows = kernel.reshape(len(values), -1, kernel.shape[1])  # (H, d, D)
    lengths = np.linalg.norm(values @ rows, axis=-1)  # (H, S)
    return weights * lengths[:, None]


def mended_removal(kernel, head, num_heads):
    width = len(kernel) // num_heads
    quiet = kernel.copy()
    quiet[head * width : (head + 1) * width] = 0.0
    return quiet


def end_probability(logits, labels, end):
    logits = logits - logits.max(axis=-1, keepdims=True)
    p = np.exp(logits)
    p = p / p.sum(axis=-1, keepdims=True)
    ends = labels == end
    real = (labels != 0) & ~ends
    right = np.take_along_axis(p, labels[..., None], axis=-1)[..., 0]  # (B, T)
    return right[ends].mean(), right[real].mean()

"""Right answers: stop here if you want to find them yourself.

Written by `make answers` from this notebook; change the notebook, not this file:
notebooks/solutions/13_pretrained_models.ipynb
"""

import numpy as np


def lora_by_hand():
    count = 12 * 2 * (768 * 8 + 8 * 768)
    return count, 100 * count / 110_000_000


def contrastive_loss(first, second, scale=20.0):
    first = first / np.linalg.norm(first, axis=1, keepdims=True)
    second = second / np.linalg.norm(second, axis=1, keepdims=True)
    losses = []
    for logits in (scale * first @ second.T, scale * second @ first.T):  # (N, N)
        logits = logits - logits.max(axis=1, keepdims=True)
        losses.append(np.log(np.exp(logits).sum(axis=1)) - np.diagonal(logits))
    return np.mean(losses)


def mended_vectors(states, mask):
    summed = (states * mask[..., None]).sum(axis=1)  # (B, D)
    mean = summed / mask.sum(axis=1, keepdims=True)
    return mean / np.linalg.norm(mean, axis=-1, keepdims=True)


def paired_difference(right, other):
    apart = np.asarray(right, dtype=float) - other
    return apart.mean(), apart.std(ddof=1) / len(apart) ** 0.5

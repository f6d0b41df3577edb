"""Right answers: stop here if you want to find them yourself.

Written by `make answers` from this notebook; change the notebook, not this file:
notebooks/solutions/09_decoding.ipynb
"""

import math
from collections import Counter

import numpy as np


def narrow_beam():
    return 0.44 * 0.40, 0.34 * 0.55, 0.22 * 0.90, 0.22


def typical(probabilities, mass):
    possible = probabilities > 0
    surprise = -np.log(np.where(possible, probabilities, 1.0))  # (V,)
    entropy = (probabilities * surprise).sum()
    distance = np.where(possible, np.abs(surprise - entropy), np.inf)
    order = np.argsort(distance, kind="stable")
    before = np.cumsum(probabilities[order]) - probabilities[order]
    kept = np.zeros_like(probabilities)
    chosen = order[before < mass]
    kept[chosen] = probabilities[chosen]
    return kept / kept.sum()


def mended_memory(model, source):
    encoded = model.encode(source)  # (B, S, D)
    real = source != 0  # (B, S)
    attentions = [block.cross_attention for block in model.decoder_blocks]
    return [one.project_keys_values(encoded) for one in attentions], real


def honest_bleu(hypotheses, references):
    matches, totals, ours, theirs = [0] * 4, [0] * 4, 0, 0
    for text, reference in zip(hypotheses, references):
        words, wanted = text.split(), reference.split()
        for n in range(1, 5):
            grams = Counter(zip(*(words[i:] for i in range(n))))
            known = Counter(zip(*(wanted[i:] for i in range(n))))
            matches[n - 1] += sum((grams & known).values())
            totals[n - 1] += max(0, len(words) - n + 1)
        ours, theirs = ours + len(words), theirs + len(wanted)
    if 0 in matches:
        return 0.0
    precisions = [m / t for m, t in zip(matches, totals)]
    brevity = min(1.0, math.exp(1 - theirs / ours))
    return 100 * brevity * math.prod(precisions) ** 0.25


def setting_to_ship(drawn, seconds, margin):
    best = np.mean(drawn, axis=1).argmax()
    near = (drawn >= drawn[best] - margin).mean(axis=1)  # (settings,)
    good = np.flatnonzero(near >= 0.975)
    return good[np.argmin(np.array(seconds)[good])]

"""Right answers: stop here if you want to find them yourself.

Written by `make answers` from this notebook; change the notebook, not this file:
notebooks/solutions/07_gru_translation.ipynb
"""

import re
from collections import Counter

import numpy as np


def tokens_needed(r, b):
    least = np.ceil(r / (1 - np.log(b / 100)))
    return max(4, int(least))


def runs_of(tokens, n):
    return Counter(zip(*[tokens[i:] for i in range(n)]))


def chrf(text, reference):
    text, reference = text.replace(" ", ""), reference.replace(" ", "")
    precisions, recalls = [], []
    for n in range(1, 7):
        own, theirs = runs_of(text, n), runs_of(reference, n)
        if own and theirs:
            right = (own & theirs).total()
            precisions.append(right / own.total())
            recalls.append(right / theirs.total())
    p, r = np.mean(precisions), np.mean(recalls)
    return 100 * 5 * p * r / (4 * p + r) if p + r else 0.0


def honest_counts(tokens, others):
    right, written = [], []
    for n in (1, 2, 3, 4):
        own, allowed = runs_of(tokens, n), Counter()
        for other in others:
            allowed |= runs_of(other, n)
        right.append((own & allowed).total())
        written.append(own.total())
    nearest = min(map(len, others), key=lambda r: (abs(r - len(tokens)), r))
    return np.array([*right, *written, len(tokens), nearest])


def blanked(text):
    words = re.findall(r"\w+", text.lower())
    return {(i, *words[:i], *words[i + 1 :]) for i in range(len(words))}


def near_copies(tests, training):
    keys = set().union(*map(blanked, training))
    return np.array([not keys.isdisjoint(blanked(text)) for text in tests])

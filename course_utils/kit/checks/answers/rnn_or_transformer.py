"""Right answers: stop here if you want to find them yourself.

Written by `make answers` from this notebook; change the notebook, not this file:
notebooks/solutions/further/08_rnn_or_transformer.ipynb
"""

import numpy as np


def by_hand():
    return 29, 1, 257, 1


def drawn_gaps(score, one, other, seeds, sentences):
    gaps = []
    for (ours, theirs), rows in zip(seeds, sentences):
        mean = np.mean([score(one[i][rows]) for i in ours])
        gaps.append(mean - np.mean([score(other[i][rows]) for i in theirs]))
    return np.array(gaps)


def fair_lead(one, other, minutes):
    means = []
    for model in (one, other):
        ended = (model["minutes"] <= minutes).sum(axis=1)  # (R,)
        scores = np.pad(model["bleu"], ((0, 0), (1, 0)))  # no epoch: 0
        means.append(scores[np.arange(len(ended)), ended].mean())
    return means[0] - means[1]


def growth(rows, seconds):
    return np.polyfit(np.log(rows), np.log(np.median(seconds, axis=0)), 1)[0]

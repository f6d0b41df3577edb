"""Right answers: stop here if you want to find them yourself.

Written by `make answers` from this notebook; change the notebook, not this file:
notebooks/solutions/14_asking_a_language_model.ipynb
"""

import numpy as np


def calibrated_by_hand():
    return 3 / 4, 2 / 4, 4 / 4


def rouge_l(summary, right):
    table = [[0] * (len(right) + 1) for _ in range(len(summary) + 1)]
    for i, word in enumerate(summary):
        for j, other in enumerate(right):
            if word == other:
                table[i + 1][j + 1] = table[i][j] + 1
            else:
                table[i + 1][j + 1] = max(table[i][j + 1], table[i + 1][j])
    words = len(summary) + len(right)
    return 2 * table[-1][-1] / words if words else 0.0


def common(one, other):
    return len({*one.lower().split()} & {*other.lower().split()})


def own_examples_out(review, pool, shots):
    words = review.lower().split()
    near = sorted(pool, key=lambda example: -common(review, example[0]))
    others = [e for e in near if e[0].lower().split() != words]
    return [e for k in (0, 1) for e in [e for e in others if e[1] == k][:shots]]


def disagreement(labels, truth):
    votes = labels.mean(axis=0)  # (N,)
    right = np.where(votes == 0.5, 0.5, (votes > 0.5) == truth)
    return np.mean((votes > 0) & (votes < 1)), np.mean(right)

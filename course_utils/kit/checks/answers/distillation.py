"""Right answers: stop here if you want to find them yourself.

Written by `make answers` from this notebook; change the notebook, not this file:
notebooks/solutions/further/13_distillation.ipynb
"""

import numpy as np


def clear_review():
    return 4 / 5, 2 / 3, 2 * (1 / 2 - 4 / 5)


def serve_patiently(arrivals, seconds, most, patience):
    waited, first, free = np.zeros(len(arrivals)), 0, 0.0
    while first < len(arrivals):
        full = first + most - 1
        full_at = arrivals[full] if full < len(arrivals) else np.inf
        begin = max(free, min(full_at, arrivals[first] + patience))
        waiting = np.searchsorted(arrivals, begin, side="right") - first
        count = min(waiting, most)
        free = begin + seconds[count]
        waited[first : first + count] = free - arrivals[first : first + count]
        first += count
    return waited


def mended_loss(labels, teacher, z, temperature, alpha):
    hard = np.where(labels == -1, 0.0, np.logaddexp(0, z) - labels * z)
    target = 1 / (1 + np.exp(-teacher / temperature))
    soft = np.logaddexp(0, z / temperature) - target * z / temperature
    return (1 - alpha) * hard + alpha * temperature**2 * soft


def lead(teacher, students, draws):
    points = 100 * (students.mean(axis=0) - teacher)  # (N,)
    drawn = points[draws].mean(axis=1)  # (K,)
    return points.mean(), *np.percentile(drawn, [2.5, 97.5])

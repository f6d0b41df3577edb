"""Right answers: stop here if you want to find them yourself.

Written by `make answers` from this notebook; change the notebook, not this file:
notebooks/solutions/further/10_many_devices.ipynb
"""

import math

import numpy as np


def exchange():
    megabytes = 2 * 7 * 4 * 124 / 8
    return megabytes, megabytes / 25


def plan(euros, price, flops, utilisation, gigabytes):
    operations = 3600 * euros / price * flops * utilisation
    weights = math.sqrt(operations / (6 * 20))
    gpus = math.ceil(16 * weights / (gigabytes * 1e9 / 2))
    return weights / 1e9, 20 * weights / 1e9, gpus, euros / price / gpus


def token_weights(labels):
    real = np.asarray(labels) != 0
    return real / real.sum()


def noise_scale(small, big, of_small, of_big):
    noise = (of_small - of_big) / (1 / small - 1 / big)
    signal = (big * of_big - small * of_small) / (big - small)
    return noise / signal

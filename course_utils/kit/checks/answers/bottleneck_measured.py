"""Right answers: stop here if you want to find them yourself.

Written by `make answers` from this notebook; change the notebook, not this file:
notebooks/solutions/further/02_bottleneck_measured.ipynb
"""

import numpy as np


def mix_inputs(tokens, wrote, rate, rng):
    own = np.concatenate([tokens[:, :1], wrote[:, :-1]], axis=1)  # (B, T)
    replaced = (rng.random(tokens.shape) < rate) & (tokens != 0)
    return np.where(replaced, own, tokens)

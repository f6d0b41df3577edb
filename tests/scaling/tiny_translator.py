"""A tiny translator and random ids, for the tests of scaling."""

import numpy as np

from course_utils.seq2seq import TranslationTransformer

B, T, S, D, F, H, V = 3, 5, 7, 8, 12, 2, 20


def translator(dropout=0.0, num_layers=2):
    model = TranslationTransformer(V, 16, D, F, H, num_layers, dropout)
    model.build()
    return model


def ids(*shape, seed=0):
    """Return random ids without padding."""
    return np.random.default_rng(seed).integers(4, V, shape).astype("int32")

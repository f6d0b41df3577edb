"""What the drawings compute: weights, positions, masks."""

import numpy as np


def softmax(scores):
    """Return weights from 0 to 1 whose sum over the last axis is 1."""
    exponentials = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def example_weights(allowed, seed):
    """Return weights of random scores; where nothing is allowed they are NaN.

    Args:
        allowed: (T, S) booleans, True = may look.
        seed: of the scores; choose one whose rounded weights have the sum 1, too.
    """
    scores = np.random.default_rng(seed).normal(scale=0.7, size=np.shape(allowed))
    weights = softmax(np.where(allowed, scores, -1e9))
    return np.where(allowed, weights, np.nan)


def is_word(words):
    """Return for each word whether it is one: an empty text is padding."""
    return np.array([word != "" for word in words])

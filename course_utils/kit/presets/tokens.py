"""Ids of a text, whatever a KerasHub tokenizer returns."""

import numpy as np
from keras import ops


def token_ids(tokenizer, text):
    """Return a text's ids as a list, without special ones.

    KerasHub 0.26 returns tensors, and 0.32 NumPy arrays.
    """
    return np.asarray(ops.convert_to_numpy(tokenizer(text))).astype("int32").tolist()

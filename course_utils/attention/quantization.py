"""Parameters in few bits: matrices rounded in blocks, as in 4-bit files."""

import numpy as np
from keras import ops

BLOCK = 32  # weights that share a smallest value and a step, as in 4-bit files


def rounded(matrix, bits, block=BLOCK):
    """Return a matrix as it is read back after rounding, lesson 13's function.

    Args:
        matrix: (N, M); N, the number of inputs, is a multiple of ``block``.
        bits: of each weight; the two numbers of a block come on top.
        block: how many weights of a column are rounded together.
    Returns:
        (N, M), with at most 2**bits different values in a block.
    """
    parts = matrix.reshape(-1, block, matrix.shape[1])  # (N / block, block, M)
    low, high = parts.min(axis=1, keepdims=True), parts.max(axis=1, keepdims=True)
    step = np.maximum(high - low, 1e-12) / (2**bits - 1)
    return (low + step * np.round((parts - low) / step)).reshape(matrix.shape)


def round_blocks(network, bits):
    """Round the matrices in all blocks of a KerasHub network, in place.

    Args:
        network: a backbone with ``transformer_layers`` and ``hidden_dim``, D.
        bits: as in ``rounded``.
    """
    for block in network.transformer_layers:
        for weight in block.trainable_weights:
            if "kernel" in weight.path:  # (D, H, d), (H, d, D), (D, F) or (F, D)
                ends = weight.shape[-1] == network.hidden_dim
                shape = (-1, weight.shape[-1]) if ends else (weight.shape[0], -1)
                matrix = ops.convert_to_numpy(weight).reshape(shape)
                weight.assign(rounded(matrix, bits).reshape(weight.shape))

"""Look inside a translation Transformer: all its attention maps, and one head less.

Shapes: L blocks, B sentences, H heads, T target length, S source length.
"""

import contextlib
from typing import NamedTuple

import numpy as np
from keras import ops

from course_utils.attention.multi_head import causal_mask
from course_utils.attention.stacks import through


class AttentionMaps(NamedTuple):
    """The weights of all heads: who looks (rows) at whom (columns).

    encoder: self-attention of the source, (L, B, H, S, S).
    decoder: causal self-attention of the target, (L, B, H, T, T).
    cross: from the target to the source, (L, B, H, T, S).
    """

    encoder: np.ndarray
    decoder: np.ndarray
    cross: np.ndarray


def attention_maps(model, source, target):
    """Return all attention weights of a translation Transformer.

    Args:
        model: a ``TranslationTransformer``.
        source: ids (B, S).
        target: ids (B, T) that the decoder reads, the start first.
    Returns:
        `AttentionMaps` of NumPy arrays. Rows and columns of padding are not removed.
    """
    source, target = ops.convert_to_tensor(source), ops.convert_to_tensor(target)
    source_mask, target_mask = ops.not_equal(source, 0), ops.not_equal(target, 0)
    masks = {"inputs_mask": target_mask, "encoder_outputs_mask": source_mask}
    decoder, cross = [], []
    x = model.embedding(source)
    x, encoder = through(model.encoder_blocks, x, mask=source_mask)
    encoded = model.encoder_norm(x)
    y = model.embedding(target)
    for block in model.decoder_blocks:
        decoder.append(_decoder_self_attention(block, y, target_mask))
        y, weights = through([block], y, encoded, **masks)
        cross += weights
    return AttentionMaps(*(_stack(maps) for maps in (encoder, decoder, cross)))


def _decoder_self_attention(block, inputs, mask):
    """Return the weights (B, H, T, T) of a decoder block's self-attention."""
    y = block.before(block.self_attention_norm, inputs)
    _, weights = block.self_attention(
        y,
        y,
        attention_mask=causal_mask(ops.shape(inputs)[1]),
        value_mask=mask,
        return_attention_scores=True,
    )
    return weights


def _stack(maps):
    return ops.convert_to_numpy(ops.cast(ops.stack(maps), "float32"))


@contextlib.contextmanager
def without_head(layer, head):
    """Take one head out of a ``MultiHeadAttention`` while the block runs.

    The rows of the output matrix that read this head's columns are set to 0, so the
    head computes as before and nobody hears it (Michel et al., 2019, section 2.3).

    Raises:
        ValueError: there is no such head.
    """
    if not 0 <= head < layer.num_heads:
        raise ValueError(
            f"There is no head {head}; the layer has {layer.num_heads}, counted from 0."
        )
    own = layer.output_dense.get_weights()  # (D, D), (D,)
    kernel, width = own[0].copy(), layer.embed_dim // layer.num_heads
    kernel[head * width : (head + 1) * width] = 0.0
    layer.output_dense.set_weights([kernel, own[1]])
    try:
        yield
    finally:
        layer.output_dense.set_weights(own)

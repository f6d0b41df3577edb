"""Look inside a translation Transformer: all its attention maps, and one head less.

Shapes: L blocks, B sentences, H heads, T target length, S source length.
"""

import contextlib
from typing import NamedTuple

import numpy as np
from keras import ops

from course_utils.attention.transformer import causal_mask


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
    source = ops.convert_to_tensor(source)
    target = ops.convert_to_tensor(target)
    source_mask = ops.not_equal(source, 0)
    target_mask = ops.not_equal(target, 0)
    encoder_maps = []
    decoder_maps = []
    cross_maps = []
    x = model.embedding(source)  # (B, S, D)
    for block in model.encoder_blocks:
        x, weights = block(x, mask=source_mask, return_attention_scores=True)
        encoder_maps.append(weights)
    encoded = model.encoder_norm(x)
    y = model.embedding(target)  # (B, T, D)
    for block in model.decoder_blocks:
        decoder_maps.append(_decoder_self_attention(block, y, target_mask))
        y, weights = block(
            y,
            encoded,
            inputs_mask=target_mask,
            encoder_outputs_mask=source_mask,
            return_attention_scores=True,
        )
        cross_maps.append(weights)
    return AttentionMaps(_stack(encoder_maps), _stack(decoder_maps), _stack(cross_maps))


def _decoder_self_attention(block, inputs, mask):
    """Return the weights (B, H, T, T) of a decoder block's self-attention."""
    y = inputs
    if block.norm_first:
        y = block.self_attention_norm(y)
    _, weights = block.self_attention(
        y,
        y,
        attention_mask=causal_mask(ops.shape(y)[1]),
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

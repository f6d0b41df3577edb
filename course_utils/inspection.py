"""Look inside a translation Transformer: all its attention maps, and one head less.

Shapes: L blocks, B sentences, H heads, T target length, S source length.
"""

import contextlib
from typing import NamedTuple

import numpy as np
from keras import ops

from course_utils.attention.multi_head import causal_mask, check_option
from course_utils.attention.stacks import through

KINDS = ("encoder", "decoder", "cross")


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


def attention_layer(model, kind, block):
    """Return one attention layer of a translation Transformer.

    Args:
        model: a ``TranslationTransformer``.
        kind: "encoder", "decoder" (its self-attention) or "cross".
        block: number of the block, from 0.
    Raises:
        ValueError: there is no such kind or block.
    """
    check_option("attention_layer", "kind", kind, KINDS)
    blocks = model.encoder_blocks if kind == "encoder" else model.decoder_blocks
    if not 0 <= block < len(blocks):
        raise ValueError(
            f"attention_layer: block is {block}, but the model has {len(blocks)} "
            f"blocks; count from 0."
        )
    found = blocks[block]
    return found.cross_attention if kind == "cross" else found.self_attention


@contextlib.contextmanager
def without_head(layer, head):
    """Take one head out of a ``MultiHeadAttention`` while the block runs.

    The rows of the output matrix that read this head's columns are set to 0, so the
    head computes as before and nobody hears it (Michel et al., 2019, section 2.3).
    """
    kernel, bias = layer.output_dense.get_weights()
    kernel[_columns(layer, head)] = 0.0
    with _weights_of(layer.output_dense, [kernel, bias]):
        yield


@contextlib.contextmanager
def with_uniform_head(layer, head):
    """Let one head look at all its tokens equally while the block runs.

    Its queries are set to 0, so are its scores, and the softmax of equal scores is
    uniform over the tokens that the mask allows.
    """
    columns = _columns(layer, head)
    kernel, bias = layer.query_dense.get_weights()
    kernel[:, columns], bias[columns] = 0.0, 0.0
    with _weights_of(layer.query_dense, [kernel, bias]):
        yield


@contextlib.contextmanager
def _weights_of(dense, weights):
    """Give a layer other weights while the block runs, then its own again."""
    own = dense.get_weights()
    dense.set_weights(weights)
    try:
        yield
    finally:
        dense.set_weights(own)


def _columns(layer, head):
    """Return the columns of a head as a slice, or raise a ValueError."""
    if not 0 <= head < layer.num_heads:
        raise ValueError(
            f"There is no head {head}; the layer has {layer.num_heads}, counted from 0."
        )
    width = layer.embed_dim // layer.num_heads
    return slice(head * width, (head + 1) * width)


def rollout(maps):
    """Return how much of each first input reaches each last output, by attention.

    Each block passes on half of its input unchanged (the residual sum) and half
    through attention, the mean of its heads; the blocks are multiplied (Abnar and
    Zuidema, 2020, equation 1).

    Args:
        maps: (L, B, H, S, S) self-attention.
    Returns:
        (B, S, S), rows sum to 1.

    Example:
        >>> rollout(np.full((1, 1, 1, 2, 2), 0.5)).tolist()
        [[[0.75, 0.25], [0.25, 0.75]]]
    """
    maps = np.asarray(maps)
    flow = identity = np.eye(maps.shape[-1])
    for block in maps.mean(axis=2):  # (B, S, S)
        flow = (0.5 * block + 0.5 * identity) @ flow
    return flow

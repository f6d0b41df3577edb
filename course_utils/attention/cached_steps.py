"""The key/value cache: decode one position at a time, and compute nothing twice.

A decoder writes token after token, but the keys and values of the tokens before stay
the same. So each step computes the query, key and value of the newest token only, puts
key and value into the cache, and attends to all that is in it. Without a cache, T
tokens cost 1 + 2 + … + T positions, with it T.

A step gives what the whole block gives at that position
(``tests/attention/test_cached_steps.py``); it is made of the block's own parts.

Shapes: R rows that are decoded side by side, B source sentences, T positions in the
cache, S source length, D model width, H heads, d = D / H width of one head.
"""

from keras import ops

from course_utils.attention.rotary import RotaryAttention


def empty_cache(block, rows, length):
    """Return zeros for the keys and values of one block, each (R, H, T, d)."""
    head_dim = block.embed_dim // block.num_heads
    shape = (rows, block.num_heads, length, head_dim)
    keys = ops.zeros(shape, dtype=block.compute_dtype)
    values = ops.zeros(shape, dtype=block.compute_dtype)
    return keys, values


def attend_to_cache(attention, x, position, cache):
    """Attend from the newest position to itself and all those before it.

    Args:
        attention: a ``MultiHeadAttention``.
        x: (R, 1, D), what stands at this position.
        position: its index, a scalar.
        cache: keys and values so far, two tensors (R, H, T, d).
    Returns:
        (R, 1, D) and the updated cache.
    Raises:
        ValueError: for ``RotaryAttention``, which counts positions from 0.
    """
    if isinstance(attention, RotaryAttention):
        raise ValueError(
            f"{type(attention).__name__}: a cached step would turn every position as "
            f"position 0; call the block on the whole sequence instead."
        )
    keys, values = cache
    new_key, new_value = attention.project_keys_values(x)  # (R, H, 1, d)
    keys = ops.slice_update(keys, (0, 0, position, 0), new_key)
    values = ops.slice_update(values, (0, 0, position, 0), new_value)
    earlier = ops.arange(ops.shape(keys)[2]) <= position  # (T,)
    earlier = ops.reshape(earlier, (1, 1, 1, -1))
    x, _ = attention.attend(x, keys, values, earlier)
    return x, (keys, values)


def step_causal_block(block, x, position, cache):
    """Compute one position of a ``CausalBlock``; arguments as in ``attend_to_cache``.

    Returns:
        (R, 1, D) and the updated cache.
    """
    residual = x
    if block.norm_first:
        x = block.self_attention_norm(x)
    x, cache = attend_to_cache(block.self_attention, x, position, cache)
    x = residual + x
    if not block.norm_first:
        x = block.self_attention_norm(x)

    residual = x
    if block.norm_first:
        x = block.feed_forward_norm(x)
    x = residual + block.feed_forward(x)
    if not block.norm_first:
        x = block.feed_forward_norm(x)
    return x, cache


def step_decoder_block(
    block, x, position, cache, encoder_keys_values, source_mask=None
):
    """Compute one position of a ``TransformerDecoder``.

    With beam search R = B × beam rows share the B encoder outputs: the beams of a
    sentence attend to its source side by side, like positions.

    Args:
        block: the decoder block.
        x: (R, 1, D) embedding of the newest token of each row.
        position: its index, a scalar.
        cache: keys and values so far, two tensors (R, H, T, d).
        encoder_keys_values: what ``cross_attention.project_keys_values`` made of the
            encoder outputs, two tensors (B, H, S, d).
        source_mask: (B, S) boolean, True = real token.
    Returns:
        (R, 1, D) and the updated cache.
    """
    residual = x
    if block.norm_first:
        x = block.self_attention_norm(x)
    x, cache = attend_to_cache(block.self_attention, x, position, cache)
    x = residual + x
    if not block.norm_first:
        x = block.self_attention_norm(x)

    source_keys, source_values = encoder_keys_values
    if source_mask is not None:
        source_mask = ops.expand_dims(source_mask, (1, 2))  # (B, 1, 1, S)
    sentences = ops.shape(source_keys)[0]
    x = ops.reshape(x, (sentences, -1, block.embed_dim))  # (B, R / B, D)
    residual = x
    if block.norm_first:
        x = block.cross_attention_norm(x)
    x, _ = block.cross_attention.attend(x, source_keys, source_values, source_mask)
    x = residual + x
    if not block.norm_first:
        x = block.cross_attention_norm(x)

    residual = x
    if block.norm_first:
        x = block.feed_forward_norm(x)
    x = residual + block.feed_forward(x)
    if not block.norm_first:
        x = block.feed_forward_norm(x)
    return ops.reshape(x, (-1, 1, block.embed_dim)), cache

"""Blocks on top of each other: through all of them, and through one position."""


def through(blocks, x, *inputs, **options):
    """Go through blocks; return the last one's output and a list of all weights."""
    all_weights = []
    for block in blocks:
        x, weights = block(x, *inputs, return_attention_scores=True, **options)
        all_weights.append(weights)
    return x, all_weights


def step_through(blocks, x, position, cache, *of_blocks, **options):
    """Go through the blocks at one position, reusing what was computed before it.

    Args:
        blocks: L blocks with a ``step``.
        x: (R, 1, D), what stands at this position.
        position: its index, a scalar.
        cache: L caches.
        of_blocks: lists of L further inputs, one for each block.
        options: of every block's ``step``.
    Returns:
        (R, 1, D) and the L updated caches.
    """
    new_cache = []
    for block, *own in zip(blocks, cache, *of_blocks, strict=True):
        x, block_cache = block.step(x, position, *own, **options)
        new_cache.append(block_cache)
    return x, new_cache

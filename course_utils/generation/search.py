"""Greedy search and sampling: an encoder–decoder writes one token at a time.

A model needs ``encode_for_steps``, ``empty_cache`` and ``step``, as
``TranslationTransformer`` has them. ``fast_search`` finds the same tokens as greedy
search sooner.

Shapes: B sentences, S source length, T target length, V vocabulary.
"""

import numpy as np
from keras import ops

from course_utils.arguments import check_sizes
from course_utils.generation.graphs import compiled_encoder, compiled_step
from course_utils.generation.sampling import (
    check_sampling,
    compiled_choice,
    draw_uniforms,
)
from course_utils.text.vectorizers import END, PAD, START


def greedy_search(model, source, max_length):
    """Take the most probable token at every step.

    Args:
        model: an encoder–decoder with a step function.
        source: (B, S) ids.
        max_length: T, largest number of target tokens, the end included; or one
            such number for each sentence, the largest of which is T.
    Returns:
        (B, T) NumPy array of ids; after the end there is padding.
    Raises:
        ValueError: for a source that isn't (B, S), or lengths the model can't take.
    """
    source, limits = check_search("greedy_search", model, source, max_length)
    encode = compiled_encoder(model)
    step = compiled_step(model)
    batch_size = len(source)
    longest = limits.max()
    encoded_source = encode(source)
    cache = model.empty_cache(batch_size, longest)
    newest = np.full(batch_size, START, dtype="int32")  # (B,)
    written = np.zeros((batch_size, longest), dtype="int32")  # (B, T)
    done = np.zeros(batch_size, dtype=bool)  # (B,)
    for position in range(longest):
        logits, cache = step(newest, position, cache, encoded_source)  # (B, V)
        chosen = ops.convert_to_numpy(ops.argmax(logits, axis=-1))  # (B,)
        newest = np.where(done, PAD, chosen).astype("int32")
        written[:, position] = newest
        done = done | is_end(newest) | (position + 1 >= limits)
        if done.all():
            break
    return written


def sample_search(
    model, source, max_length, temperature=1.0, top_k=None, top_p=None, seed=0
):
    """Draw every token at random, with the probability that the model gives it.

    The logits are divided by the temperature; then ``top_k``, and after it ``top_p``,
    leave only the most probable tokens to draw from. A row's draws depend on the seed
    and on its place in the batch, not on the other rows, ``max_length`` or the backend.

    Args:
        model: an encoder–decoder with a step function.
        source: (B, S) ids.
        max_length: T, largest number of target tokens, the end included; or one
            such number for each sentence, the largest of which is T.
        temperature: above 0; below 1 the probable tokens become more probable, above
            1 less. The limit at 0 is ``greedy_search``.
        top_k: draw from the k most probable tokens, see ``keep_top_k``; None for all.
        top_p: draw from the nucleus of this probability, see ``keep_top_p``; None for
            all tokens.
        seed: integer from 0; the same seed gives the same tokens.
    Returns:
        (B, T) NumPy array of ids; after the end there is padding.
    Raises:
        ValueError: as ``greedy_search``, and for a temperature, ``top_k``, ``top_p``
            or seed that isn't as described.
    """
    check_drawing("sample_search", temperature, top_k, top_p, seed)
    source, limits = check_search("sample_search", model, source, max_length)
    encode = compiled_encoder(model)
    step = compiled_step(model)
    batch_size = len(source)
    longest = limits.max()
    uniforms = draw_uniforms(seed, batch_size, longest)  # (B, T)
    choose = compiled_choice(model, temperature, top_k, top_p)
    encoded_source = encode(source)
    cache = model.empty_cache(batch_size, longest)
    newest = np.full(batch_size, START, dtype="int32")  # (B,)
    written = np.zeros((batch_size, longest), dtype="int32")  # (B, T)
    done = np.zeros(batch_size, dtype=bool)  # (B,)
    for position in range(longest):
        logits, cache = step(newest, position, cache, encoded_source)  # (B, V)
        chosen = choose(logits, uniforms[:, position])  # (B,)
        newest = np.where(done, PAD, chosen).astype("int32")
        written[:, position] = newest
        done = done | is_end(newest) | (position + 1 >= limits)
        if done.all():
            break
    return written


def is_end(tokens):
    """Tell which tokens end a sentence: the end, or padding without one."""
    return (tokens == END) | (tokens == PAD)


def check_drawing(name, temperature, top_k, top_p, seed):
    """Raise a ValueError for what can't be drawn with; ``name`` is the caller."""
    if not temperature > 0:
        raise ValueError(
            f"{name}: temperature is {temperature}; it must be above 0, and its limit "
            f"at 0 is greedy_search."
        )
    check_sampling(name, temperature, top_k, top_p, seed)


def check_search(name, model, source, max_length):
    """Return the source and each row's max_length (B,), or raise a ValueError."""
    source = np.asarray(source, dtype="int32")
    if source.ndim != 2 or 0 in source.shape:
        raise ValueError(
            f"{name}: source has shape {tuple(source.shape)}; expected (B, S) token "
            f"ids with at least one row and one column."
        )
    limits = np.array(max_length)
    if not np.issubdtype(limits.dtype, np.integer):
        raise ValueError(
            f"{name}: max_length is {max_length}; expected whole numbers of tokens."
        )
    limits = limits.astype("int32")
    if limits.shape not in ((), (source.shape[0],)):
        raise ValueError(
            f"{name}: max_length has shape {limits.shape}; expected one number, or one "
            f"for each of the {source.shape[0]} rows of the source."
        )
    check_sizes(name, max_length=int(limits.min()))
    positions = getattr(model, "sequence_length", None)
    if positions is not None and max(source.shape[1], limits.max()) > positions:
        raise ValueError(
            f"{name}: the source has {source.shape[1]} columns and max_length is "
            f"{limits.max()}, but the model has positions for {positions} tokens only."
        )
    return source, np.broadcast_to(limits, (source.shape[0],))

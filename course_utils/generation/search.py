"""Greedy search and sampling for encoder–decoders.

Shapes: B sentences, S source length, T target length.
"""

import numpy as np

from course_utils.arguments import check_sizes
from course_utils.generation.graphs import compiled
from course_utils.generation.loop import decode, encode
from course_utils.generation.sampling import check_sampling
from course_utils.text.vectorizers import START


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
    return _search("greedy_search", model, source, max_length)


def greedy_in_parts(model, source, max_length, batch_size):
    """Return what ``greedy_search`` gives, for so many rows of the source at a time."""
    starts = range(0, len(source), batch_size)
    parts = [source[start : start + batch_size] for start in starts]
    return np.concatenate([greedy_search(model, part, max_length) for part in parts])


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
    if not temperature > 0:
        raise ValueError(
            f"sample_search: temperature is {temperature}; it must be above 0, and "
            f"its limit at 0 is greedy_search."
        )
    sampling = dict(temperature=temperature, top_k=top_k, top_p=top_p, seed=seed)
    check_sampling("sample_search", **sampling)
    return _search("sample_search", model, source, max_length, **sampling)


def _search(name, model, source, max_length, **sampling):
    """Decode from the start token on; without options of sampling, greedily."""
    source, limits = check_search(name, model, source, max_length)
    encoded_source = compiled(encode, model)(source)
    prompts = [[START]] * len(source)
    return decode(model, prompts, limits, (encoded_source,), **sampling)


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

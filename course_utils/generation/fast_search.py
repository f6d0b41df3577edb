"""Greedy search and beam search as the ``Translator`` runs them: the same, sooner.

``fast_greedy_search`` equals ``greedy_search``, ``fast_beam_search`` equals
``beam_search``; tests/generation/test_fast_search.py shows it. What makes them fast:

- a chunk of several steps is one compiled loop, so that Python has less to do;
- between two chunks the sentences that are done leave the batch, and the cache grows,
  so that one long sentence costs the others nothing;
- a beam offers its K best tokens to the choice instead of all V.

Besides ``encode_for_steps``, ``empty_cache`` and ``step``, a model needs
``cache_axis``: along which axis of the cache positions stand, None where a state holds
all of them. All tensors of the cache and of the encoded source have one row for each
row of their input.

Shapes: B sentences, K beams, R rows, T target length, N steps of a chunk, V vocabulary.
"""

import typing

import numpy as np
from keras import ops, tree

from course_utils.arguments import check_sizes
from course_utils.generation.beam_search import best_beams, take_rows
from course_utils.generation.graphs import compiled_encoder, compiled_function
from course_utils.generation.sampling import NEVER
from course_utils.generation.search import check_search, is_end
from course_utils.text.vectorizers import PAD, START

CHUNK = 8  # N of greedy search
BEAM_CHUNK = 4  # N of beam search: its caches are larger, and so grow in smaller steps
GROUP = 32  # columns of which ``top_k_by_groups`` takes the largest first


class GreedyChunk(typing.NamedTuple):
    """What N steps of greedy search make of R rows."""

    tokens: typing.Any  # (R, N)
    newest: typing.Any  # (R,)
    done: typing.Any  # (R,)
    cache: typing.Any


class BeamChunk(typing.NamedTuple):
    """What N steps of beam search make of the K beams of each of B sentences."""

    tokens: typing.Any  # (B, K, N)
    origin: typing.Any  # (B, K) which beam each one was before these steps
    newest: typing.Any  # (B, K)
    log_probs: typing.Any  # (B, K)
    done: typing.Any  # (B,) whether all beams of a sentence are done
    cache: typing.Any


def fast_greedy_search(model, source, max_length):
    """Return what ``greedy_search`` returns."""
    source, limits = check_search("greedy_search", model, source, max_length)
    encode = compiled_encoder(model)
    extend = compiled_function(_extend_rows, model)
    longest = limits.max()
    encoded_source = encode(source)
    rows = np.arange(len(source))  # those that aren't done
    cache = model.empty_cache(len(rows), 0)
    newest = np.full(len(rows), START, dtype="int32")
    written = np.zeros((len(rows), longest), dtype="int32")
    for start in range(0, longest, CHUNK):
        chunk = extend(start, newest, limits[rows], cache, encoded_source)
        newest = chunk.newest
        cache = chunk.cache
        width = min(CHUNK, longest - start)
        tokens = ops.convert_to_numpy(chunk.tokens)[:, :width]
        written[rows, start : start + width] = tokens
        going_on = np.flatnonzero(~ops.convert_to_numpy(chunk.done))
        if not len(going_on):
            break
        if len(going_on) < len(rows):
            rows = rows[going_on]
            newest = take_rows(newest, going_on)
            cache = take_rows(cache, going_on)
            encoded_source = take_rows(encoded_source, going_on)
    return written


def fast_greedy_search_in_batches(model, source, max_length, batch_size):
    """Return what ``greedy_search`` returns, for so many rows at a time."""
    parts = []
    for start in range(0, len(source), batch_size):
        batch = source[start : start + batch_size]
        parts.append(fast_greedy_search(model, batch, max_length))
    return np.concatenate(parts)


def fast_beam_search(model, source, max_length, beam_width=4, length_penalty=1.0):
    """Return what ``beam_search`` returns, but for the rounding of scores."""
    source, limits = check_search("beam_search", model, source, max_length)
    check_sizes("beam_search", beam_width=beam_width)
    encode = compiled_encoder(model)
    extend = compiled_function(_extend_beams, model, beam_width=beam_width)
    longest = limits.max()
    encoded_source = encode(source)
    sentences = np.arange(len(source))  # those that aren't done
    cache = model.empty_cache(len(sentences) * beam_width, 0)
    newest = np.full((len(sentences), beam_width), START, dtype="int32")
    written = np.zeros((len(sentences), beam_width, longest), dtype="int32")
    # All beams begin alike, so at first only beam 0 may be extended.
    log_probs = np.full((len(sentences), beam_width), NEVER, dtype="float32")
    log_probs[:, 0] = 0.0
    for start in range(0, longest, BEAM_CHUNK):
        chunk = extend(
            start,
            newest,
            log_probs[sentences],
            limits[sentences],
            cache,
            encoded_source,
        )
        newest = ops.convert_to_numpy(chunk.newest)
        cache = chunk.cache
        log_probs[sentences] = ops.convert_to_numpy(chunk.log_probs)
        origin = ops.convert_to_numpy(chunk.origin)[:, :, None]
        before = np.take_along_axis(written[sentences], origin, axis=1)
        width = min(BEAM_CHUNK, longest - start)
        tokens = ops.convert_to_numpy(chunk.tokens)[:, :, :width]
        before[:, :, start : start + width] = tokens
        written[sentences] = before
        going_on = np.flatnonzero(~ops.convert_to_numpy(chunk.done))
        if not len(going_on):
            break
        if len(going_on) < len(sentences):
            sentences = sentences[going_on]
            newest = newest[going_on]
            beam_rows = going_on[:, None] * beam_width + np.arange(beam_width)
            cache = take_rows(cache, beam_rows.reshape(-1))
            encoded_source = take_rows(encoded_source, going_on)
    return best_beams(written, log_probs, length_penalty)


def _extend_rows(model, start, newest, limits, cache, encoded_source):
    """Extend rows by at most N tokens; stop earlier where all are done.

    Args:
        model: an encoder–decoder.
        start: the position of the newest tokens, a scalar.
        newest: (R,) tokens.
        limits: (R,) the positions at which the rows are done.
        cache, encoded_source: as ``model.step`` takes them.
    Returns:
        A ``GreedyChunk``.
    """
    rows = ops.shape(newest)[0]

    def is_done(number, newest):
        # At the very start nothing has been written, whatever the start token is.
        return ops.logical_or(is_end(newest), start + number >= limits)

    def unfinished(number, tokens, newest, cache):
        all_done = ops.all(is_done(number, newest))
        return ops.logical_and(number < CHUNK, ops.logical_not(all_done))

    def step(number, tokens, newest, cache):
        done = is_done(number, newest)
        logits, cache = model.step(newest, start + number, cache, encoded_source)
        _, best = top_k_by_groups(logits, 1)  # (R, 1)
        best = ops.cast(ops.squeeze(best, 1), "int32")  # (R,)
        newest = ops.where(done, PAD, best)
        tokens = ops.slice_update(tokens, (0, number), ops.expand_dims(newest, 1))
        return number + 1, tokens, newest, cache

    state = (
        ops.convert_to_tensor(0),
        ops.zeros((rows, CHUNK), dtype="int32"),
        newest,
        lengthen(model, cache, rows, CHUNK),
    )
    number, tokens, newest, cache = ops.while_loop(unfinished, step, state)
    return GreedyChunk(tokens, newest, is_done(number, newest), cache)


def _extend_beams(
    model, start, newest, log_probs, limits, cache, encoded_source, beam_width
):
    """Extend beams by at most N tokens; stop earlier where all are done.

    Args:
        model: an encoder–decoder.
        start: the position of the newest tokens, a scalar.
        newest: (B, K) tokens.
        log_probs: (B, K).
        limits: (B,) the positions at which the sentences are done.
        cache, encoded_source: as ``model.step`` takes them.
        beam_width: K.
    Returns:
        A ``BeamChunk``.
    """
    sentences = ops.shape(limits)[0]
    rows = sentences * beam_width
    row_limits = ops.repeat(limits, beam_width)  # (B·K,)
    first_rows = ops.expand_dims(ops.arange(sentences) * beam_width, 1)  # (B, 1)

    def is_done(number, newest):
        return ops.logical_or(is_end(newest), start + number >= row_limits)

    def unfinished(number, tokens, origin, newest, log_probs, cache):
        all_done = ops.all(is_done(number, newest))
        return ops.logical_and(number < BEAM_CHUNK, ops.logical_not(all_done))

    def step(number, tokens, origin, newest, log_probs, cache):
        done = is_done(number, newest)
        logits, cache = model.step(newest, start + number, cache, encoded_source)
        next_tokens, next_log_probs = _best_extensions(logits, done, beam_width)
        count = next_tokens.shape[1]  # C tokens for each beam, K or V
        extended = ops.reshape(log_probs, (-1, 1)) + next_log_probs  # (B·K, C)
        extended = ops.reshape(extended, (sentences, beam_width * count))
        log_probs, index = ops.top_k(extended, beam_width)  # (B, K)
        # Which row each new beam continues, and with which token.
        parents = ops.reshape(first_rows + index // count, (-1,))  # (B·K,)
        next_tokens = ops.reshape(next_tokens, (sentences, beam_width * count))
        newest = ops.take_along_axis(next_tokens, index, axis=1)  # (B, K)
        newest = ops.reshape(newest, (-1,))
        tokens = ops.take(tokens, parents, axis=0)
        tokens = ops.slice_update(tokens, (0, number), ops.expand_dims(newest, 1))
        origin = ops.take(origin, parents, axis=0)
        cache = take_rows(cache, parents)
        return number + 1, tokens, origin, newest, log_probs, cache

    state = (
        ops.convert_to_tensor(0),
        ops.zeros((rows, BEAM_CHUNK), dtype="int32"),
        ops.tile(ops.arange(beam_width, dtype="int32"), [sentences]),
        ops.reshape(newest, (-1,)),
        log_probs,
        lengthen(model, cache, rows, BEAM_CHUNK),
    )
    number, tokens, origin, newest, log_probs, cache = ops.while_loop(
        unfinished, step, state
    )
    done = ops.reshape(is_done(number, newest), (sentences, beam_width))
    return BeamChunk(
        tokens=ops.reshape(tokens, (sentences, beam_width, BEAM_CHUNK)),
        origin=ops.reshape(origin, (sentences, beam_width)),
        newest=ops.reshape(newest, (sentences, beam_width)),
        log_probs=log_probs,
        done=ops.all(done, axis=1),
        cache=cache,
    )


def _best_extensions(logits, done, beam_width):
    """Return each row's best next tokens and their log-probabilities, both (R, C).

    C is the beam width, or V where that is smaller. A row that is done is frozen:
    its only extension is padding, at no cost.
    """
    logits = ops.cast(logits, "float32")  # (R, V)
    count = min(beam_width, logits.shape[-1])
    best, tokens = top_k_by_groups(logits, count)
    largest = best[:, :1]  # subtracted, so that no exponential overflows
    total = ops.sum(ops.exp(logits - largest), axis=-1, keepdims=True)  # (R, 1)
    log_probs = best - largest - ops.log(total)
    done = ops.expand_dims(done, 1)
    only_first = ops.where(ops.arange(count) == 0, 0.0, NEVER)
    log_probs = ops.where(done, only_first, log_probs)
    tokens = ops.where(done, PAD, ops.cast(tokens, "int32"))
    return tokens, log_probs


def lengthen(model, cache, rows, steps):
    """Make room for so many more positions in a cache that has an axis of them."""
    axis = model.cache_axis
    if axis is None:
        return cache
    return tree.map_structure(
        lambda old, new: ops.concatenate([old, new], axis),
        cache,
        model.empty_cache(rows, steps),
    )


def top_k_by_groups(x, k):
    """Do the same as ``ops.top_k`` for (R, V), faster where V is large.

    The k largest numbers stand in the k groups of columns with the largest maxima.
    Those groups stay in their order, so that of equal numbers the first still wins.
    """
    columns = x.shape[-1]
    if columns % GROUP or columns < 4 * k * GROUP:
        return ops.top_k(x, k)
    groups = ops.reshape(x, (-1, columns // GROUP, GROUP))
    _, best_groups = ops.top_k(ops.max(groups, axis=-1), k)
    chosen = ops.sort(best_groups, axis=-1)  # (R, k)
    candidates = ops.take_along_axis(groups, ops.expand_dims(chosen, -1), axis=1)
    values, inside = ops.top_k(ops.reshape(candidates, (-1, k * GROUP)), k)
    group = ops.take_along_axis(chosen, inside // GROUP, axis=1)
    return values, group * GROUP + inside % GROUP

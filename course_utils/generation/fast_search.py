"""Searches as ``Translator`` and ``TextGenerator`` run them: the same, sooner.

``fast_greedy_search`` equals ``greedy_search``, ``fast_beam_search`` equals
``beam_search``, ``fast_sample_search`` equals ``sample_search``, ``fast_generate``
equals ``generate``; tests/generation/test_fast_search.py shows it. What makes them
fast:

- a chunk of several steps is one compiled loop, so that Python has less to do;
- between two chunks the sentences that are done leave the batch, and the cache grows,
  so that one long sentence costs the others nothing;
- a beam offers its K best tokens to the choice instead of all V.

Besides ``empty_cache`` and ``step``, and ``encode_for_steps`` where there is a source,
a model needs
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
from course_utils.generation.prompts import NOT_WRITTEN, check_prompts
from course_utils.generation.sampling import (
    NEVER,
    check_sampling,
    divide_by_temperature,
    draw_tokens,
    draw_uniforms,
    keep_nucleus,
    keep_top_k,
    rule_out,
)
from course_utils.generation.search import (
    check_drawing,
    check_search,
    is_end,
)
from course_utils.text.vectorizers import PAD, START

CHUNK = 8  # N of greedy search
BEAM_CHUNK = 4  # N of beam search: its caches are larger, and so grow in smaller steps
FREE = -1  # in place of a prompt's token where the model chooses
GROUP = 32  # columns of which ``top_k_by_groups`` takes the largest first


class RowsChunk(typing.NamedTuple):
    """What N steps of greedy search or sampling make of R rows."""

    tokens: typing.Any  # (R, N)
    newest: typing.Any  # (R,)
    done: typing.Any  # (R,)
    cache: typing.Any


class Sampling(typing.NamedTuple):
    """How tokens are drawn; all of it as ``generate`` takes it."""

    temperature: float
    top_k: int | None
    top_p: float | None
    seed: int


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


def fast_sample_search(
    model, source, max_length, temperature=1.0, top_k=None, top_p=None, seed=0
):
    """Return what ``sample_search`` returns, but for the rounding of logits.

    test_fast_sample_search_equals_sample_search shows it.
    """
    check_drawing("sample_search", temperature, top_k, top_p, seed)
    source, limits = check_search("sample_search", model, source, max_length)
    encode = compiled_encoder(model)
    prompts = [[START]] * len(source)
    sampling = Sampling(temperature, top_k, top_p, seed)
    return _sample_rows(model, prompts, limits, sampling, (encode(source),))


def fast_generate(
    model, prompts, length, temperature=1.0, top_k=None, top_p=None, seed=0
):
    """Return what ``generate`` returns, but for the rounding of logits.

    test_fast_generate_equals_generate shows it.
    """
    check_prompts(model, prompts, length)
    check_sampling("generate", temperature, top_k, top_p, seed)
    limits = np.full(len(prompts), length)
    sampling = Sampling(temperature, top_k, top_p, seed)
    return _sample_rows(model, prompts, limits, sampling, suppress_tokens=NOT_WRITTEN)


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
        A ``RowsChunk``.
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
    return RowsChunk(tokens, newest, is_done(number, newest), cache)


def _sample_rows(
    model, prompts, limits, sampling, encoded_source=(), suppress_tokens=()
):
    """Continue prompts until each has ended or is long enough.

    Args:
        model: a language model or an encoder–decoder.
        prompts: B lists of ids, one id at least in each.
        limits: (B,) largest numbers of new tokens, the largest of them is T.
        sampling: a ``Sampling``.
        encoded_source: what ``model.step`` takes after the cache, in a tuple.
        suppress_tokens: ids that are never chosen.
    Returns:
        (B, T) NumPy array of the new ids; after the end there is padding.
    """
    extend = _compiled_sampling(model, sampling, suppress_tokens)
    prompt_lengths = np.array([len(prompt) for prompt in prompts], dtype="int32")
    last_positions = (prompt_lengths + limits - 1).astype("int32")  # of a row's tokens
    longest = limits.max()
    chunks = -(-(prompt_lengths.max() + longest - 1) // CHUNK)  # rounded up
    given = _given_tokens(prompts, chunks * CHUNK)
    uniforms = _uniforms_of_positions(sampling.seed, given, prompt_lengths, longest)
    rows = np.arange(len(prompts))  # those that aren't done
    cache = model.empty_cache(len(rows), 0)
    newest = np.array([prompt[0] for prompt in prompts], dtype="int32")
    written = np.zeros(given.shape, dtype="int32")
    for start in range(0, chunks * CHUNK, CHUNK):
        columns = slice(start, start + CHUNK)
        chunk = extend(
            start,
            newest,
            prompt_lengths[rows],
            last_positions[rows],
            given[rows, columns],
            uniforms[rows, columns],
            cache,
            encoded_source,
        )
        newest = chunk.newest
        cache = chunk.cache
        written[rows, columns] = ops.convert_to_numpy(chunk.tokens)
        going_on = np.flatnonzero(~ops.convert_to_numpy(chunk.done))
        if not len(going_on):
            break
        if len(going_on) < len(rows):
            rows = rows[going_on]
            newest = take_rows(newest, going_on)
            cache = take_rows(cache, going_on)
            encoded_source = take_rows(encoded_source, going_on)
    new = prompt_lengths[:, None] - 1 + np.arange(longest)  # (B, T)
    return np.take_along_axis(written, new, axis=1)


def _compiled_sampling(model, sampling, suppress_tokens):
    """Return ``_extend_drawing`` with these settings, compiled.

    One graph serves all temperatures above 0, and one all values of ``top_p``.
    """
    has_nucleus = sampling.top_p is not None and sampling.top_p < 1
    temperature = float(sampling.temperature)
    top_p = float(sampling.top_p) if has_nucleus else 1.0
    extend = compiled_function(
        _extend_drawing,
        model,
        greedy=temperature == 0,
        top_k=sampling.top_k,
        has_nucleus=has_nucleus,
        suppress_tokens=suppress_tokens,
    )

    def extend_with_settings(*tensors):
        return extend(temperature, top_p, *tensors)

    return extend_with_settings


def _given_tokens(prompts, width):
    """Return the prompts' tokens behind the first ones (B, width), else ``FREE``."""
    given = np.full((len(prompts), width), FREE, dtype="int32")
    for row, prompt in enumerate(prompts):
        given[row, : len(prompt) - 1] = prompt[1:]
    return given


def _uniforms_of_positions(seed, given, prompt_lengths, longest):
    """Return what each row draws with at each position, in the shape of ``given``.

    A row's first number is for its first new token, as in ``generate``.
    """
    uniforms = draw_uniforms(seed, len(given), longest)  # (B, T)
    number = np.arange(given.shape[1]) - prompt_lengths[:, None] + 1
    number = np.clip(number, 0, longest - 1)
    return np.take_along_axis(uniforms, number, axis=1)


def _extend_drawing(
    model,
    temperature,
    top_p,
    start,
    newest,
    prompt_lengths,
    last_positions,
    given,
    uniforms,
    cache,
    encoded_source,
    **options,
):
    """Extend rows by at most N tokens; stop earlier where all are done.

    Args:
        model: a language model or an encoder–decoder.
        temperature, top_p: scalars, as ``_choose_tokens`` takes them.
        start: the position of the newest tokens, a scalar.
        newest: (R,) tokens.
        prompt_lengths: (R,); an end inside of a prompt ends nothing.
        last_positions: (R,) the positions at which the rows are done.
        given: (R, N) the tokens that follow in the prompts, ``FREE`` behind them.
        uniforms: (R, N) random numbers.
        cache: as ``model.step`` takes it.
        encoded_source: what ``model.step`` takes after the cache, in a tuple.
        options: of ``_choose_tokens``.
    Returns:
        A ``RowsChunk``.
    """
    rows = ops.shape(newest)[0]

    def is_done(number, newest):
        position = start + number
        has_ended = ops.logical_and(is_end(newest), position >= prompt_lengths)
        return ops.logical_or(has_ended, position >= last_positions)

    def unfinished(number, tokens, newest, cache):
        all_done = ops.all(is_done(number, newest))
        return ops.logical_and(number < CHUNK, ops.logical_not(all_done))

    def step(number, tokens, newest, cache):
        done = is_done(number, newest)
        logits, cache = model.step(newest, start + number, cache, *encoded_source)
        next_given = ops.take(given, number, axis=1)  # (R,)
        is_free = next_given == FREE

        def choose():
            next_uniforms = ops.take(uniforms, number, axis=1)  # (R,)
            return _choose_tokens(logits, next_uniforms, temperature, top_p, **options)

        # As long as all rows read their prompts, there is nothing to choose.
        chosen = ops.cond(ops.any(is_free), choose, lambda: next_given)
        newest = ops.where(done, PAD, ops.where(is_free, chosen, next_given))
        tokens = ops.slice_update(tokens, (0, number), ops.expand_dims(newest, 1))
        return number + 1, tokens, newest, cache

    state = (
        ops.convert_to_tensor(0),
        ops.zeros((rows, CHUNK), dtype="int32"),
        newest,
        lengthen(model, cache, rows, CHUNK),
    )
    number, tokens, newest, cache = ops.while_loop(unfinished, step, state)
    return RowsChunk(tokens, newest, is_done(number, newest), cache)


def _choose_tokens(
    logits, uniforms, temperature, top_p, greedy, top_k, has_nucleus, suppress_tokens
):
    """Do the same as ``choose_tokens`` where temperature and ``top_p`` are tensors.

    Args:
        logits: (R, V).
        uniforms: (R,) evenly distributed numbers, at least 0 and below 1.
        temperature: a scalar; used unless ``greedy``.
        top_p: a scalar; used if ``has_nucleus``.
        greedy: take the most probable token, as at temperature 0.
        top_k: see ``keep_top_k``; None keeps all tokens.
        has_nucleus: whether to keep a nucleus only, see ``keep_top_p``.
        suppress_tokens: ids that are never chosen.
    Returns:
        (R,) ids.
    """
    logits = ops.cast(logits, "float32")
    if suppress_tokens:
        logits = rule_out(logits, suppress_tokens)
    if greedy:
        _, best = top_k_by_groups(logits, 1)  # (R, 1)
        return ops.cast(ops.squeeze(best, 1), "int32")
    logits = divide_by_temperature(logits, temperature)
    if top_k is not None:
        logits = keep_top_k(logits, top_k)
    if has_nucleus:
        logits = keep_nucleus(logits, top_p)
    return ops.cast(draw_tokens(logits, uniforms), "int32")


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

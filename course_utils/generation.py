"""Decoding: greedy search, sampling and beam search over one cached step function.

All work on a whole batch at a time inside compiled loops of a few steps each. Between
two of them the sentences that are finished leave the batch, and the cache grows, so
that one long sentence costs the others nothing. A model needs ``encode_for_steps``,
``empty_cache`` and ``step``, as ``TranslationTransformer`` has them; all tensors that
the first two return have one row for each row of their input.

Shapes: B sentences, K beams, R rows, T target length, N steps of a loop, V vocabulary.
"""

import weakref

import keras
import numpy as np
from keras import ops, tree

from course_utils.text import END, PAD, START

NEVER = -1e9  # log-probability of what must not be chosen; finite, so that sums are
# N, for rows and for beams, whose caches are larger and so grow in smaller steps.
STEPS, BEAM_STEPS = 8, 4
GROUP = 32  # columns of which ``_top_k`` looks at the largest first
_compiled = weakref.WeakKeyDictionary()


def compiled(function, model, widths=False, **options):
    """Return ``function`` with ``model`` and ``options`` bound, compiled once for them.

    TensorFlow compiles it to one graph for all batch sizes and lengths; on other
    backends it runs step by step.

    Args:
        widths: whether the graph may count on the last axis of float arguments, which
            layers want to know where it is the width of vectors.
    """
    functions = _compiled.setdefault(model, {})
    key = (function, widths, *sorted(options.items()))
    if key not in functions:
        # A weak reference, so that the table doesn't keep the model alive.
        reference = weakref.ref(model)

        def bound(*arguments):
            return function(reference(), *arguments, **options)

        on_tensorflow = keras.backend.backend() == "tensorflow"
        run = _as_graph(bound, widths) if on_tensorflow else bound
        functions[key] = lambda *arguments: run(
            *tree.map_structure(ops.convert_to_tensor, arguments)
        )
    return functions[key]


def _as_graph(function, widths):
    """Compile ``function`` with TensorFlow; its sizes stay open, so it happens once."""
    import tensorflow as tf

    graph = tf.function(function)

    def open_shape(tensor):
        sizes = [None] * len(tensor.shape)
        if widths and sizes and tensor.dtype.is_floating:
            sizes[-1] = tensor.shape[-1]
        return tf.TensorSpec(sizes, tensor.dtype)

    def run(*tensors):
        open_shapes = tree.map_structure(open_shape, tensors)
        return graph.get_concrete_function(*open_shapes)(*tensors)

    return run


def _check_search(name, model, source, max_length):
    """Return source ids (B, S) and one limit per row (B,), or raise a ValueError."""
    source = ops.convert_to_tensor(source, "int32")
    if len(source.shape) != 2 or 0 in source.shape:
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
    _check_count(f"{name}: max_length", limits.min())
    positions = getattr(model, "sequence_length", None)
    if positions is not None and max(source.shape[1], limits.max()) > positions:
        raise ValueError(
            f"{name}: the source has {source.shape[1]} columns and max_length is "
            f"{limits.max()}, but the model has positions for {positions} tokens only."
        )
    return source, np.broadcast_to(limits, (source.shape[0],))


def _check_count(name, count):
    if count < 1:
        raise ValueError(f"{name} is {count}; it must be at least 1.")


def _finished(last, position, limits):
    """Return True for rows at their limit, or after their end: only padding follows."""
    ended = ops.logical_or(last == END, last == PAD)
    return ops.logical_or(ended, position >= limits)


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
    source, limits = _check_search("greedy_search", model, source, max_length)
    return _token_by_token(
        model, source, limits, compiled(_greedy_steps, model, widths=True)
    )


def _greedy_steps(model, state, encoded_source):
    def most_probable(logits, number):
        return ops.squeeze(_top_k(logits, 1)[1], 1)

    return _steps(model, state, encoded_source, most_probable)


def _encode(model, source):
    return model.encode_for_steps(source)


def _token_by_token(model, source, limits, steps, draws=None):
    """Extend every row, N steps at a time, until it is finished.

    Args:
        limits: (B,) NumPy array.
        steps: a compiled function that extends the rows by N tokens.
        draws: (B, T or more) random numbers for it, or None.
    Returns:
        (B, T) NumPy array.
    """
    found = np.zeros((len(limits), limits.max()), "int32")
    encoded_source = compiled(_encode, model)(source)
    rows = np.arange(len(limits))  # those that are not finished
    last, cache = np.full(len(rows), START, "int32"), model.empty_cache(len(rows), 0)
    for start in range(0, limits.max(), STEPS):
        columns = slice(start, start + STEPS)
        state = (
            np.int32(start),
            limits[rows],
            last,
            _longer(model, cache, len(rows), STEPS),
        )
        drawn = () if draws is None else (draws[rows, columns],)
        tokens, last, cache = steps(state, encoded_source, *drawn)
        tokens, last = map(ops.convert_to_numpy, (tokens, last))
        found[rows, columns] = tokens[:, : found[:, columns].shape[1]]
        finished = _finished(last, start + STEPS, limits[rows])
        going_on = np.flatnonzero(~ops.convert_to_numpy(finished))
        if not len(going_on):
            break
        if len(going_on) < len(rows):
            rows, last = rows[going_on], last[going_on]
            cache, encoded_source = _rows((cache, encoded_source), going_on)
    return found


def _longer(model, cache, rows, steps):
    """Make room for more positions in those tensors of the cache that have any."""

    def join(old, new, one, two):
        differ = np.not_equal(one.shape, two.shape)
        return ops.concatenate([old, new], axis=differ.argmax()) if any(differ) else old

    # Where a cache for one position and one for two differ, there is the length.
    sizes = (rows, steps), (1, 1), (1, 2)
    return tree.map_structure(
        join, cache, *[model.empty_cache(*size) for size in sizes]
    )


def _rows(tensors, rows):
    """Return some rows of all tensors of a structure."""
    return tree.map_structure(lambda tensor: ops.take(tensor, rows, axis=0), tensors)


def _steps(model, state, encoded_source, choose):
    """Extend rows by at most N tokens; stop earlier where all are finished.

    Args:
        state: the position, the limits (R,), the last tokens (R,) and the cache.
        choose: returns the tokens (R,) for logits (R, V) and the number of the step.
    Returns:
        Tokens (R, N), the last tokens and the cache.
    """
    start, limits, last, cache = state

    def unfinished(number, tokens, last, cache):
        open_rows = ops.logical_not(_finished(last, start + number, limits))
        return ops.logical_and(number < STEPS, ops.any(open_rows))

    def step(number, tokens, last, cache):
        position = start + number
        logits, cache = model.step(last, position, cache, encoded_source)
        chosen = ops.cast(choose(logits, number), "int32")  # (R,)
        last = ops.where(_finished(last, position, limits), PAD, chosen)
        tokens = ops.slice_update(tokens, (0, number), ops.expand_dims(last, 1))
        return number + 1, tokens, last, cache

    tokens = ops.zeros((ops.shape(last)[0], STEPS), dtype="int32")
    state = ops.convert_to_tensor(0), tokens, last, cache
    return ops.while_loop(unfinished, step, state)[1:]


def _top_k(x, k):
    """Do the same as ``ops.top_k`` for (R, V), faster where V is large.

    The k largest numbers stand in the k groups of columns with the largest maxima.
    Those groups stay in their order, so that of equal numbers the first still wins.
    """
    columns = x.shape[-1]
    if columns % GROUP or columns < 4 * k * GROUP:
        return ops.top_k(x, k)
    groups = ops.reshape(x, (-1, columns // GROUP, GROUP))
    chosen = ops.sort(ops.top_k(ops.max(groups, axis=-1), k)[1], axis=-1)  # (R, k)
    candidates = ops.take_along_axis(groups, ops.expand_dims(chosen, -1), axis=1)
    values, places = ops.top_k(ops.reshape(candidates, (-1, k * GROUP)), k)
    group = ops.take_along_axis(chosen, places // GROUP, axis=1)
    return values, group * GROUP + places % GROUP


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
    source, limits = _check_search("sample_search", model, source, max_length)
    _check_sampling(temperature, top_k, top_p, seed)
    # The random numbers are drawn before the loop: keras.random takes no tensor as a
    # seed, so that inside of it every new seed would be a new graph.
    rows = np.random.default_rng(seed).spawn(len(limits))
    count = -(-limits.max() // STEPS) * STEPS
    draws = np.stack([row.random(count, dtype="float32") for row in rows])
    sampling = compiled(
        _sample_steps,
        model,
        widths=True,
        top_k=None if top_k is None else int(top_k),
        nucleus=top_p is not None,
    )
    share = 1.0 if top_p is None else float(top_p)

    def steps(state, encoded_source, draws):
        return sampling(state, encoded_source, draws, float(temperature), share)

    return _token_by_token(model, source, limits, steps, draws)


def _check_sampling(temperature, top_k, top_p, seed):
    """Raise a ValueError for what ``sample_search`` can't draw with."""
    if not temperature > 0:
        raise ValueError(
            f"sample_search: temperature is {temperature}; it must be above 0, and "
            f"its limit at 0 is greedy_search."
        )
    if top_k is not None:
        _check_count("sample_search: top_k", top_k)
    if top_p is not None:
        _check_share("sample_search: top_p", top_p)
    if not isinstance(seed, int | np.integer) or seed < 0:
        raise ValueError(
            f"sample_search: seed is {seed!r}; expected an integer, at least 0."
        )


def _check_share(name, share):
    if not 0 < share <= 1:
        raise ValueError(f"{name} is {share}; it must be above 0 and at most 1.")


def _sample_steps(
    model, state, encoded_source, draws, temperature, top_p, top_k, nucleus
):
    def drawn(logits, number):
        logits = ops.cast(logits, "float32") / temperature
        if top_k is not None:
            logits = keep_top_k(logits, top_k)
        if nucleus:
            logits = keep_top_p(logits, top_p)
        return draw(logits, ops.take(draws, number, axis=1))

    return _steps(model, state, encoded_source, drawn)


def draw(logits, draws):
    """Return the tokens (R,) at which the cumulated probability passes the draws.

    Args:
        logits: (R, V).
        draws: (R,) evenly distributed numbers, at least 0 and below 1.
    """
    probabilities = ops.softmax(ops.cast(logits, "float32"))
    reached = ops.cumsum(probabilities, axis=-1)  # (R, V)
    # However sums are rounded, a token of probability 0 must not be drawn.
    reached = ops.where(probabilities > 0, reached, 0.0)
    threshold = ops.expand_dims(draws, 1) * ops.max(reached, axis=-1, keepdims=True)
    return ops.argmax(ops.cast(reached > threshold, "int32"), axis=-1)


def keep_top_k(logits, k):
    """Rule out all but the k most probable tokens (Fan et al., 2018).

    Args:
        logits: (R, V).
        k: how many tokens of a row stay; of equal ones those with the smaller ids.
    Returns:
        (R, V) logits; those of the other tokens are ``NEVER``.
    Raises:
        ValueError: for a k below 1.
    """
    _check_count("keep_top_k: k", k)
    logits = ops.convert_to_tensor(logits)
    values, tokens = ops.top_k(logits, min(k, logits.shape[-1]))
    return _keep_until(logits, values[:, -1:], tokens[:, -1:])


def keep_top_p(logits, p):
    """Rule out all but the nucleus (Holtzman et al., 2020).

    The nucleus is the smallest set of most probable tokens whose probability reaches
    p; it holds one token at least.

    Args:
        logits: (R, V).
        p: above 0 and at most 1; 1 keeps everything.
    Returns:
        (R, V) logits; those of the other tokens are ``NEVER``.
    Raises:
        ValueError: for a p out of its range.
    """
    if not ops.is_tensor(p):  # inside a compiled loop it is one, checked before
        _check_share("keep_top_p: p", p)
    logits = ops.convert_to_tensor(logits)
    values, tokens = ops.top_k(logits, logits.shape[-1])  # all, best first
    probabilities = ops.softmax(values)
    before = ops.cumsum(probabilities, axis=-1) - probabilities
    # A rounded sum may reach 1 before the last token.
    inside = ops.logical_or(before < p, p >= 1)
    last = ops.sum(ops.cast(inside, "int32"), axis=-1, keepdims=True) - 1  # (R, 1)
    return _keep_until(
        logits,
        ops.take_along_axis(values, last, axis=1),
        ops.take_along_axis(tokens, last, axis=1),
    )


def _keep_until(logits, value, token):
    """Rule out what comes after ``token`` (R, 1), of logit ``value``, in ``top_k``.

    Equal logits stand there in the order of their ids.
    """
    ids = ops.arange(logits.shape[-1], dtype="int32")
    tied = ops.logical_and(logits == value, ids <= ops.cast(token, "int32"))
    return ops.where(ops.logical_or(logits > value, tied), logits, NEVER)


def beam_search(model, source, max_length, beam_width=4, length_penalty=1.0):
    """Keep the ``beam_width`` most probable beginnings at every step.

    At the end the beams of a sentence are ranked by log-probability divided by
    ((5 + length) / 6) ** length_penalty (Wu et al., 2016, equation 14).

    Args:
        model: an encoder–decoder with a step function.
        source: (B, S) ids.
        max_length: T, largest number of target tokens, the end included; or one
            such number for each sentence, the largest of which is T.
        beam_width: K; 1 gives greedy search.
        length_penalty: 0 ranks by plain log-probability, larger prefers longer.
    Returns:
        (B, T) NumPy array of the best beams' ids, and their (B,) penalised scores.
    Raises:
        ValueError: as ``greedy_search``, and for a beam width below 1.
    """
    source, limits = _check_search("beam_search", model, source, max_length)
    _check_count("beam_search: beam_width", beam_width)
    tokens, scores = _all_beams(model, source, limits, int(beam_width))
    lengths = (tokens != PAD).sum(axis=-1).astype("float32")
    scores = scores / ((5 + lengths) / 6) ** np.float32(length_penalty)  # (B, K)
    best = scores.argmax(axis=-1)[:, None]  # (B, 1)
    tokens = np.take_along_axis(tokens, best[..., None], axis=1)[:, 0]
    return tokens, np.take_along_axis(scores, best, axis=1)[:, 0]


def _all_beams(model, source, limits, beam_width):
    """Extend all beams, N steps at a time, until those of a sentence are finished.

    Returns:
        Tokens (B, K, T) and sums of log-probabilities (B, K), NumPy arrays.
    """
    steps = compiled(_beam_steps, model, widths=True, beam_width=beam_width)
    found = np.zeros((len(limits), beam_width, limits.max()), "int32")
    # All beams start alike, so at first only beam 0 may be extended.
    first = np.where(np.arange(beam_width) == 0, 0.0, NEVER).astype("float32")
    scores = np.tile(first, (len(limits), 1))
    encoded_source = compiled(_encode, model)(source)
    rows = np.arange(len(limits))  # those sentences that are not finished
    last = np.full((len(rows), beam_width), START, "int32")
    cache = model.empty_cache(last.size, 0)
    for start in range(0, limits.max(), BEAM_STEPS):
        columns = slice(start, start + BEAM_STEPS)
        state = np.int32(start), limits[rows], last, scores[rows]
        cache = _longer(model, cache, last.size, BEAM_STEPS)
        *arrays, cache = steps(state, cache, encoded_source)
        tokens, origin, last, scores[rows] = map(ops.convert_to_numpy, arrays)
        found[rows] = np.take_along_axis(found[rows], origin[..., None], axis=1)
        found[rows, :, columns] = tokens[:, :, : found[:, :, columns].shape[2]]
        finished = _finished(last, start + BEAM_STEPS, limits[rows, None])
        going_on = np.flatnonzero(~ops.convert_to_numpy(finished).all(axis=1))
        if not len(going_on):
            break
        if len(going_on) < len(rows):
            rows, last = rows[going_on], last[going_on]
            beams = going_on[:, None] * beam_width + np.arange(beam_width)
            cache = _rows(cache, beams.reshape(-1))
            encoded_source = _rows(encoded_source, going_on)
    return found, scores


def _extensions(logits, done, beam_width):
    """Return each row's best next tokens and their log-probabilities, both (R, C).

    C is the beam width, or V where that is smaller. A row that is done is frozen:
    its only extension is padding, at no cost.
    """
    logits = ops.cast(logits, "float32")
    count = min(beam_width, logits.shape[-1])
    best, tokens = _top_k(logits, count)
    above = best - best[:, :1]  # so that no exponential overflows
    total = ops.sum(ops.exp(logits - best[:, :1]), axis=-1, keepdims=True)
    log_probs = above - ops.log(total)
    done = ops.expand_dims(done, 1)
    only_first = ops.where(ops.arange(count) == 0, 0.0, NEVER)
    log_probs = ops.where(done, only_first, log_probs)
    return ops.where(done, PAD, ops.cast(tokens, "int32")), log_probs


def _beam_steps(model, state, cache, encoded_source, beam_width):
    """Extend beams by at most N tokens; stop earlier where all are finished.

    Args:
        state: the position, the limits (B,), the last tokens (B, K) and the scores
            (B, K).
    Returns:
        Tokens (B, K, N), the beam (B, K) that each one was at the start, the last
        tokens, the scores and the cache.
    """
    start, limits, last, scores = state
    sentences = ops.shape(limits)[0]
    limits = ops.repeat(limits, beam_width)  # (B·K,)
    first_row = ops.expand_dims(ops.arange(sentences) * beam_width, 1)  # (B, 1)

    def unfinished(number, tokens, origin, last, scores, cache):
        open_rows = ops.logical_not(_finished(last, start + number, limits))
        return ops.logical_and(number < BEAM_STEPS, ops.any(open_rows))

    def step(number, tokens, origin, last, scores, cache):
        position = start + number
        logits, cache = model.step(last, position, cache, encoded_source)
        done = _finished(last, position, limits)
        next_tokens, log_probs = _extensions(logits, done, beam_width)  # (B·K, C)
        count = next_tokens.shape[1]
        extended = ops.reshape(scores, (-1, 1)) + log_probs
        extended = ops.reshape(extended, (sentences, beam_width * count))
        scores, choice = ops.top_k(extended, beam_width)  # (B, K)
        # Which row each new beam continues, and with which token.
        parent = ops.reshape(first_row + choice // count, (-1,))  # (B·K,)
        next_tokens = ops.reshape(next_tokens, (sentences, beam_width * count))
        last = ops.reshape(ops.take_along_axis(next_tokens, choice, axis=1), (-1,))
        tokens, origin, cache = _rows((tokens, origin, cache), parent)
        tokens = ops.slice_update(tokens, (0, number), ops.expand_dims(last, 1))
        return number + 1, tokens, origin, last, scores, cache

    rows = sentences * beam_width
    state = (
        ops.convert_to_tensor(0),
        ops.zeros((rows, BEAM_STEPS), dtype="int32"),
        ops.tile(ops.arange(beam_width, dtype="int32"), [sentences]),
        ops.reshape(last, (-1,)),
        scores,
        cache,
    )
    _, tokens, origin, last, scores, cache = ops.while_loop(unfinished, step, state)
    by_sentence = (sentences, beam_width)
    tokens = ops.reshape(tokens, (*by_sentence, BEAM_STEPS))
    origin, last = (ops.reshape(x, by_sentence) for x in (origin, last))
    return tokens, origin, last, scores, cache

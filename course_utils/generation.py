"""Decoding: greedy search, sampling and beam search over one cached step function.

All work on a whole batch at a time inside one compiled loop that ends as soon as
every sentence is finished. A model needs ``encode_for_steps``, ``empty_cache`` and
``step``, as ``TranslationTransformer`` has them.

Shapes: B sentences, K beams, R rows, T target length, V vocabulary.
"""

import weakref

import keras
import numpy as np
from keras import ops

from course_utils.text import END, PAD, START

NEVER = -1e9  # log-probability of what must not be chosen; finite, so that sums are
_compiled = weakref.WeakKeyDictionary()


def compiled(function, model, **options):
    """Return ``function`` with ``model`` and ``options`` bound, compiled once for them.

    TensorFlow compiles it to one graph for all batch sizes and lengths; on other
    backends it runs step by step.
    """
    functions = _compiled.setdefault(model, {})
    key = (function, *sorted(options.items()))
    if key not in functions:
        # A weak reference, so that the table doesn't keep the model alive.
        reference = weakref.ref(model)

        def bound(*arguments):
            return function(reference(), *arguments, **options)

        on_tensorflow = keras.backend.backend() == "tensorflow"
        functions[key] = _as_graph(bound) if on_tensorflow else bound
    return functions[key]


def _as_graph(function):
    """Compile ``function`` with TensorFlow; its sizes stay open, so it happens once."""
    import tensorflow as tf

    graph = tf.function(function)

    def run(*arguments):
        tensors = [tf.convert_to_tensor(argument) for argument in arguments]
        open_shapes = [
            tf.TensorSpec([None] * len(tensor.shape), tensor.dtype)
            for tensor in tensors
        ]
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
    limits = np.array(max_length, dtype="int32")
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
    tokens = compiled(_greedy_loop, model)(source, limits)
    return ops.convert_to_numpy(tokens)


def _greedy_loop(model, source, limits):
    def most_probable(logits, position):
        # The first of top_k is the argmax; on a CPU it takes half the time of it.
        return ops.squeeze(ops.top_k(logits, 1)[1], 1)

    return _token_by_token(model, source, limits, most_probable)


def _token_by_token(model, source, limits, choose):
    """Extend every row by the token (R,) that ``choose(logits, position)`` returns."""
    rows, max_length = ops.shape(source)[0], ops.max(limits)
    encoded_source = model.encode_for_steps(source)

    def unfinished(position, tokens, last, cache):
        return ops.logical_not(ops.all(_finished(last, position, limits)))

    def step(position, tokens, last, cache):
        logits, cache = model.step(last, position, cache, encoded_source)
        chosen = ops.cast(choose(logits, position), "int32")  # (B,)
        last = ops.where(_finished(last, position, limits), PAD, chosen)
        tokens = ops.slice_update(tokens, (0, position), ops.expand_dims(last, 1))
        return position + 1, tokens, last, cache

    state = (
        ops.convert_to_tensor(0),
        ops.zeros((rows, max_length), dtype="int32"),
        ops.full((rows,), START, dtype="int32"),
        model.empty_cache(rows, max_length),
    )
    return ops.while_loop(unfinished, step, state)[1]


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
    draws = np.stack([row.random(limits.max(), dtype="float32") for row in rows])
    search = compiled(
        _sample_loop,
        model,
        top_k=None if top_k is None else int(top_k),
        nucleus=top_p is not None,
    )
    share = 1.0 if top_p is None else float(top_p)
    tokens = search(source, limits, draws, float(temperature), share)
    return ops.convert_to_numpy(tokens)


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


def _sample_loop(model, source, limits, draws, temperature, top_p, top_k, nucleus):
    def drawn(logits, position):
        logits = ops.cast(logits, "float32") / temperature
        if top_k is not None:
            logits = keep_top_k(logits, top_k)
        if nucleus:
            logits = keep_top_p(logits, top_p)
        return _draw(logits, ops.take(draws, position, axis=1))

    return _token_by_token(model, source, limits, drawn)


def _draw(logits, draws):
    """Return the tokens (R,) at which the cumulated probability passes the draws.

    Args:
        logits: (R, V).
        draws: (R,) evenly distributed numbers, at least 0 and below 1.
    """
    probabilities = ops.softmax(logits)
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
    search = compiled(_beam_loop, model, beam_width=int(beam_width))
    tokens, scores = search(source, limits, float(length_penalty))
    return ops.convert_to_numpy(tokens), ops.convert_to_numpy(scores)


def _extensions(logits, done, beam_width):
    """Return each row's best next tokens and their log-probabilities, both (R, C).

    C is the beam width, or V where that is smaller. A row that is done is frozen:
    its only extension is padding, at no cost.
    """
    logits = ops.cast(logits, "float32")
    count = min(beam_width, logits.shape[-1])
    best, tokens = ops.top_k(logits, count)
    log_probs = best - ops.logsumexp(logits, axis=-1, keepdims=True)
    done = ops.expand_dims(done, 1)
    only_first = ops.where(ops.arange(count) == 0, 0.0, NEVER)
    log_probs = ops.where(done, only_first, log_probs)
    return ops.where(done, PAD, ops.cast(tokens, "int32")), log_probs


def _beam_loop(model, source, limits, length_penalty, beam_width):
    sentences, max_length = ops.shape(source)[0], ops.max(limits)
    rows = sentences * beam_width
    limits = ops.repeat(limits, beam_width)  # (B·K,)
    encoded_source = model.encode_for_steps(source)
    first_row = ops.expand_dims(ops.arange(sentences) * beam_width, 1)  # (B, 1)

    def unfinished(position, tokens, last, scores, cache):
        return ops.logical_not(ops.all(_finished(last, position, limits)))

    def step(position, tokens, last, scores, cache):
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
        tokens = ops.take(tokens, parent, axis=0)
        tokens = ops.slice_update(tokens, (0, position), ops.expand_dims(last, 1))
        cache = [
            tuple(ops.take(tensor, parent, axis=0) for tensor in pair) for pair in cache
        ]
        return position + 1, tokens, last, scores, cache

    # All beams start alike, so at first only beam 0 may be extended.
    first_scores = ops.where(ops.arange(beam_width) == 0, 0.0, NEVER)
    state = (
        ops.convert_to_tensor(0),
        ops.zeros((rows, max_length), dtype="int32"),
        ops.full((rows,), START, dtype="int32"),
        ops.tile(ops.expand_dims(first_scores, 0), (sentences, 1)),
        model.empty_cache(rows, max_length),
    )
    _, tokens, _, scores, _ = ops.while_loop(unfinished, step, state)
    tokens = ops.reshape(tokens, (sentences, beam_width, -1))
    lengths = ops.sum(ops.cast(tokens != PAD, "float32"), axis=-1)
    scores = scores / ((5.0 + lengths) / 6.0) ** length_penalty
    best = ops.argmax(scores, axis=-1)  # (B,)
    pick = ops.reshape(best, (-1, 1))
    tokens = ops.take_along_axis(tokens, ops.expand_dims(pick, -1), axis=1)
    return ops.squeeze(tokens, 1), ops.squeeze(
        ops.take_along_axis(scores, pick, axis=1), 1
    )

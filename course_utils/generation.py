"""Decoding: greedy and beam search over one step function with a key/value cache.

Both work on a whole batch at a time inside one compiled loop that ends as soon as
every sentence is finished. A model needs ``encode_for_steps``, ``empty_cache`` and
``step``, as ``TranslationTransformer`` has them.

Shapes: B sentences, K beams, T target length, V vocabulary.
"""

import weakref

import keras
from keras import ops

from course_utils.text import END, PAD, START

_compiled = weakref.WeakKeyDictionary()


def compiled(function, model):
    """Return ``function`` with ``model`` bound, compiled once for that model.

    TensorFlow compiles it to a graph for any batch size and length; on other
    backends it runs step by step.
    """
    functions = _compiled.setdefault(model, {})
    if function not in functions:
        # A weak reference, so that the table doesn't keep the model alive.
        reference = weakref.ref(model)

        def bound(*arguments):
            return function(reference(), *arguments)

        if keras.backend.backend() == "tensorflow":
            import tensorflow as tf

            bound = tf.function(bound, reduce_retracing=True)
        functions[function] = bound
    return functions[function]


def _check_search(name, source, max_length):
    if len(source.shape) != 2 or 0 in source.shape:
        raise ValueError(
            f"{name}: source has shape {tuple(source.shape)}; expected (B, S) token "
            f"ids with at least one row and one column."
        )
    if max_length < 1:
        raise ValueError(f"{name}: max_length is {max_length}; it must be at least 1.")


def greedy_search(model, source, max_length):
    """Take the most probable token at every step.

    Args:
        model: an encoder–decoder with a step function.
        source: (B, S) ids.
        max_length: T, largest number of target tokens, the end included.
    Returns:
        (B, T) NumPy array of ids; after the end there is padding.
    """
    _check_search("greedy_search", source, max_length)
    search = compiled(_greedy_loop, model)
    tokens = search(
        ops.convert_to_tensor(source, "int32"), ops.convert_to_tensor(max_length)
    )
    return ops.convert_to_numpy(tokens)


def _greedy_loop(model, source, max_length):
    rows = ops.shape(source)[0]
    encoded_source = model.encode_for_steps(source)

    def unfinished(position, tokens, last, cache):
        return ops.logical_and(position < max_length, ops.any(last != PAD))

    def step(position, tokens, last, cache):
        logits, cache = model.step(last, position, cache, encoded_source)
        # After the end only padding follows.
        done = ops.logical_or(last == END, last == PAD)
        last = ops.where(done, PAD, ops.cast(ops.argmax(logits, axis=-1), "int32"))
        tokens = ops.slice_update(tokens, (0, position), ops.expand_dims(last, 1))
        return position + 1, tokens, last, cache

    state = (
        ops.convert_to_tensor(0),
        ops.zeros((rows, max_length), dtype="int32"),
        ops.full((rows,), START, dtype="int32"),
        model.empty_cache(rows, max_length),
    )
    return ops.while_loop(unfinished, step, state)[1]


def beam_search(model, source, max_length, beam_width=4, length_penalty=1.0):
    """Keep the ``beam_width`` most probable beginnings at every step.

    At the end the beams of a sentence are ranked by log-probability divided by
    ((5 + length) / 6) ** length_penalty (Wu et al., 2016, equation 14).

    Args:
        model: an encoder–decoder with a step function.
        source: (B, S) ids.
        max_length: T, largest number of target tokens, the end included.
        beam_width: K; 1 gives greedy search.
        length_penalty: 0 ranks by plain log-probability, larger prefers longer.
    Returns:
        (B, T) NumPy array of the best beams' ids, and their (B,) penalised scores.
    """
    _check_search("beam_search", source, max_length)
    if beam_width < 1:
        raise ValueError(
            f"beam_search: beam_width is {beam_width}; it must be at least 1."
        )
    search = compiled(_beam_loop, model)
    tokens, scores = search(
        ops.convert_to_tensor(source, "int32"),
        ops.convert_to_tensor(max_length),
        beam_width,
        ops.convert_to_tensor(length_penalty, "float32"),
    )
    return ops.convert_to_numpy(tokens), ops.convert_to_numpy(scores)


def _extend(scores, logits, last):
    """Return the log-probability of every one-token extension, (B, K, V).

    A finished beam is frozen: its only extension is padding, at no cost.
    """
    sentences, beams = ops.shape(scores)[0], scores.shape[1]
    vocab_size = logits.shape[-1]
    log_probs = ops.log_softmax(ops.cast(logits, "float32"), axis=-1)
    done = ops.logical_or(last == END, last == PAD)
    only_pad = ops.where(ops.arange(vocab_size) == PAD, 0.0, -1e9)
    log_probs = ops.where(ops.expand_dims(done, 1), only_pad, log_probs)
    log_probs = ops.reshape(log_probs, (sentences, beams, vocab_size))
    return ops.expand_dims(scores, -1) + log_probs


def _beam_loop(model, source, max_length, beam_width, length_penalty):
    sentences = ops.shape(source)[0]
    rows = sentences * beam_width
    encoded_source = model.encode_for_steps(source)
    first_row = ops.expand_dims(ops.arange(sentences) * beam_width, 1)  # (B, 1)

    def unfinished(position, tokens, last, scores, cache):
        return ops.logical_and(position < max_length, ops.any(last != PAD))

    def step(position, tokens, last, scores, cache):
        logits, cache = model.step(last, position, cache, encoded_source)
        vocab_size = logits.shape[-1]
        extended = ops.reshape(
            _extend(scores, logits, last), (sentences, beam_width * vocab_size)
        )
        scores, choice = ops.top_k(extended, beam_width)  # (B, K)
        # Which row each new beam continues, and with which token.
        parent = ops.reshape(first_row + choice // vocab_size, (-1,))  # (B·K,)
        last = ops.cast(ops.reshape(choice % vocab_size, (-1,)), "int32")
        tokens = ops.take(tokens, parent, axis=0)
        tokens = ops.slice_update(tokens, (0, position), ops.expand_dims(last, 1))
        cache = [
            tuple(ops.take(tensor, parent, axis=0) for tensor in pair) for pair in cache
        ]
        return position + 1, tokens, last, scores, cache

    # All beams start alike, so at first only beam 0 may be extended.
    first_scores = ops.where(ops.arange(beam_width) == 0, 0.0, -1e9)
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

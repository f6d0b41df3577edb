"""Beam search: keep the most probable beginnings at every step.

Shapes: B sentences, K beams, R rows, T target length, N steps of a loop, V vocabulary.
"""

import numpy as np
from keras import ops

from course_utils.arguments import check_sizes
from course_utils.generation.graphs import compiled
from course_utils.generation.loop import done_rows, encode, lengthen, take_rows
from course_utils.generation.sampling import NEVER, top_k_by_groups
from course_utils.generation.search import check_search
from course_utils.text.vectorizers import PAD, START

STEPS = 4  # N; caches of beams are larger, and so grow in smaller steps


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
    source, limits = check_search("beam_search", model, source, max_length)
    check_sizes("beam_search", beam_width=beam_width)
    tokens, scores = _all_beams(model, source, limits, beam_width)
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
    steps = compiled(_beam_steps, model, beam_width=beam_width)
    written = np.zeros((len(limits), beam_width, limits.max()), "int32")
    # All beams start alike, so at first only beam 0 may be extended.
    first = np.where(np.arange(beam_width) == 0, 0.0, NEVER).astype("float32")
    scores = np.tile(first, (len(limits), 1))
    encoded_source = compiled(encode, model)(source)
    rows = np.arange(len(limits))  # those sentences that are not finished
    last = np.full((len(rows), beam_width), START, "int32")
    cache = model.empty_cache(last.size, 0)
    for start in range(0, limits.max(), STEPS):
        columns = slice(start, start + STEPS)
        state = np.int32(start), limits[rows], last, scores[rows]
        *arrays, cache = steps(state, cache, encoded_source)
        tokens, origin, last, scores[rows], done = map(ops.convert_to_numpy, arrays)
        written[rows] = np.take_along_axis(written[rows], origin[..., None], axis=1)
        written[rows, :, columns] = tokens[:, :, : written[:, :, columns].shape[2]]
        going_on = np.flatnonzero(~done)
        if not len(going_on):
            break
        if len(going_on) < len(rows):
            rows, last = rows[going_on], last[going_on]
            beams = going_on[:, None] * beam_width + np.arange(beam_width)
            cache = take_rows(cache, beams.reshape(-1))
            encoded_source = take_rows(encoded_source, going_on)
    return written, scores


def _extensions(logits, done, beam_width):
    """Return each row's best next tokens and their log-probabilities, both (R, C).

    C is the beam width, or V where that is smaller. A row that is done is frozen:
    its only extension is padding, at no cost.
    """
    logits = ops.cast(logits, "float32")
    count = min(beam_width, logits.shape[-1])
    best, tokens = top_k_by_groups(logits, count)
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
        tokens, the scores, which sentences are done (B,), and the cache.
    """
    start, limits, last, scores = state
    sentences = ops.shape(limits)[0]
    limits = ops.repeat(limits, beam_width)  # (B·K,)
    first_row = ops.expand_dims(ops.arange(sentences) * beam_width, 1)  # (B, 1)

    def done_beams(number, last):
        return done_rows(last, start + number, 1, limits)  # the prompt is the start

    def unfinished(number, tokens, origin, last, scores, cache):
        going_on = ops.logical_not(ops.all(done_beams(number, last)))
        return ops.logical_and(number < STEPS, going_on)

    def step(number, tokens, origin, last, scores, cache):
        logits, cache = model.step(last, start + number, cache, encoded_source)
        next_tokens, log_probs = _extensions(
            logits, done_beams(number, last), beam_width
        )  # (B·K, C)
        count = next_tokens.shape[1]
        extended = ops.reshape(scores, (-1, 1)) + log_probs
        extended = ops.reshape(extended, (sentences, beam_width * count))
        scores, choice = ops.top_k(extended, beam_width)  # (B, K)
        # Which row each new beam continues, and with which token.
        parent = ops.reshape(first_row + choice // count, (-1,))  # (B·K,)
        next_tokens = ops.reshape(next_tokens, (sentences, beam_width * count))
        last = ops.reshape(ops.take_along_axis(next_tokens, choice, axis=1), (-1,))
        tokens, origin, cache = take_rows((tokens, origin, cache), parent)
        tokens = ops.slice_update(tokens, (0, number), ops.expand_dims(last, 1))
        return number + 1, tokens, origin, last, scores, cache

    rows = sentences * beam_width
    state = (
        ops.convert_to_tensor(0),
        ops.zeros((rows, STEPS), dtype="int32"),
        ops.tile(ops.arange(beam_width, dtype="int32"), [sentences]),
        ops.reshape(last, (-1,)),
        scores,
        lengthen(model, cache, rows, STEPS),
    )
    number, tokens, origin, last, scores, cache = ops.while_loop(
        unfinished, step, state
    )
    done = done_beams(number, last)
    tokens, origin, last, done = (
        ops.reshape(x, (sentences, beam_width, *x.shape[1:]))
        for x in (tokens, origin, last, done)
    )
    return tokens, origin, last, scores, ops.all(done, axis=1), cache

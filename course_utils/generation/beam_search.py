"""Beam search: keep the most probable beginnings at every step.

``fast_search`` finds the same translations sooner.

Shapes: B sentences, K beams, S source length, T target length, V vocabulary.
"""

import typing

import numpy as np
from keras import ops, tree

from course_utils.arguments import check_sizes
from course_utils.generation.graphs import compiled_encoder, compiled_function
from course_utils.generation.sampling import NEVER
from course_utils.generation.search import check_search, is_end
from course_utils.text.vectorizers import PAD, START


class Beams(typing.NamedTuple):
    """The K translations of each of B sentences that a beam search ends with.

    A sentence's most probable translation is certainly among them if one of them is
    at least as probable as the best beginning that was dropped: a beginning can only
    lose by going on.
    """

    tokens: typing.Any  # (B, K, T) ids
    log_probs: typing.Any  # (B, K)
    best_dropped: typing.Any  # (B,) log-probability of the best dropped beginning


class BeamStep(typing.NamedTuple):
    """What one step makes of the K beams of each of B sentences."""

    tokens: typing.Any  # (B, K) the token that each new beam ends with
    parents: typing.Any  # (B, K) the number of the beam that it continues
    log_probs: typing.Any  # (B, K)
    best_dropped: typing.Any  # (B,) log-probability of the next best extension
    cache: typing.Any  # of the B · K new beams


def beam_search(model, source, max_length, beam_width=4, length_penalty=1.0):
    """Keep the ``beam_width`` most probable beginnings at every step.

    At the end the beams of a sentence are ranked by their log-probability, see
    ``penalised``.

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
    beams = all_beams(model, source, max_length, beam_width)
    return best_beams(beams.tokens, beams.log_probs, length_penalty)


def all_beams(model, source, max_length, beam_width):
    """Return all beams that ``beam_search`` chooses from, as ``Beams``."""
    source, limits = check_search("beam_search", model, source, max_length)
    check_sizes("beam_search", beam_width=beam_width)
    encode = compiled_encoder(model)
    extend = compiled_function(extend_beams, model, beam_width=beam_width)
    batch_size = len(source)
    longest = limits.max()
    encoded_source = encode(source)
    cache = model.empty_cache(batch_size * beam_width, longest)
    newest = np.full((batch_size, beam_width), START, dtype="int32")  # (B, K)
    written = np.zeros((batch_size, beam_width, longest), dtype="int32")  # (B, K, T)
    done = np.zeros((batch_size, beam_width), dtype=bool)  # (B, K)
    # All beams begin alike, so at first only beam 0 may be extended.
    log_probs = np.full((batch_size, beam_width), NEVER, dtype="float32")
    log_probs[:, 0] = 0.0
    best_dropped = np.full(batch_size, NEVER, dtype="float32")
    for position in range(longest):
        step = extend(newest, position, log_probs, done, cache, encoded_source)
        cache = step.cache
        newest = ops.convert_to_numpy(step.tokens)
        parents = ops.convert_to_numpy(step.parents)
        log_probs = ops.convert_to_numpy(step.log_probs)
        dropped = ops.convert_to_numpy(step.best_dropped)
        best_dropped = np.maximum(best_dropped, dropped)
        written = np.take_along_axis(written, parents[:, :, None], axis=1)
        written[:, :, position] = newest
        done = np.take_along_axis(done, parents, axis=1)
        done = done | is_end(newest) | (position + 1 >= limits[:, None])
        if done.all():
            break
    return Beams(written, log_probs, best_dropped)


def extend_beams(
    model, newest, position, log_probs, done, cache, encoded_source, beam_width
):
    """Extend the K beams of each of B sentences by one token.

    All K · V extensions of a sentence are scored, and the best K are kept.

    Args:
        model: an encoder–decoder with a step function.
        newest: (B, K) the beams' last tokens.
        position: their index, a scalar.
        log_probs: (B, K), of the beams so far.
        done: (B, K) boolean, True for beams that have ended.
        cache, encoded_source: as ``model.step`` takes them.
        beam_width: K.
    Returns:
        A ``BeamStep``.
    """
    rows = ops.reshape(newest, (-1,))  # (B·K,)
    logits, cache = model.step(rows, position, cache, encoded_source)  # (B·K, V)
    vocab_size = logits.shape[-1]
    next_log_probs = ops.log_softmax(ops.cast(logits, "float32"))  # (B·K, V)

    # A beam that is done is frozen: its only extension is padding, at no cost.
    only_padding = ops.where(ops.arange(vocab_size) == PAD, 0.0, NEVER)  # (V,)
    done = ops.reshape(done, (-1, 1))  # (B·K, 1)
    next_log_probs = ops.where(done, only_padding, next_log_probs)

    extended = ops.reshape(log_probs, (-1, 1)) + next_log_probs  # (B·K, V)
    extended = ops.reshape(extended, (-1, beam_width * vocab_size))  # (B, K·V)
    best, index = ops.top_k(extended, beam_width + 1)  # (B, K + 1)
    index = ops.cast(index[:, :beam_width], "int32")  # (B, K)
    parents = index // vocab_size
    tokens = index % vocab_size

    # The cache has to follow: each new beam takes over the row of its parent.
    sentences = ops.expand_dims(ops.arange(ops.shape(parents)[0]), 1)  # (B, 1)
    parent_rows = ops.reshape(sentences * beam_width + parents, (-1,))  # (B·K,)
    cache = take_rows(cache, parent_rows)
    return BeamStep(tokens, parents, best[:, :beam_width], best[:, beam_width], cache)


def take_rows(tensors, rows):
    """Return some rows of all tensors of a structure."""
    return tree.map_structure(lambda tensor: ops.take(tensor, rows, axis=0), tensors)


def best_beams(tokens, log_probs, length_penalty):
    """Return each sentence's best beam (B, T), and its penalised score (B,).

    Args:
        tokens: (B, K, T) ids.
        log_probs: (B, K).
        length_penalty: see ``penalised``.
    """
    scores = penalised(tokens, log_probs, length_penalty)  # (B, K)
    sentences = np.arange(len(tokens))
    best = scores.argmax(axis=1)  # (B,)
    return tokens[sentences, best], scores[sentences, best]


def penalised(tokens, log_probs, length_penalty):
    """Divide log-probabilities by ((5 + length) / 6) ** length_penalty.

    Wu et al. (2016), "Google's Neural Machine Translation System", equation 14. The
    length counts the end, but no padding.

    Example:
        >>> two_beams = np.array([[[7, 3, 0, 0, 0, 0, 0], [7, 8, 9, 7, 8, 9, 3]]])
        >>> penalised(two_beams, np.array([[-4.0, -4.4]]), 1.0).round(2).tolist()
        [[-3.43, -2.2]]
    """
    lengths = (tokens != PAD).sum(axis=-1).astype("float32")  # (B, K)
    return log_probs / ((5 + lengths) / 6) ** np.float32(length_penalty)

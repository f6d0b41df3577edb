"""How well a language model predicts a text: log-probabilities, bits a character.

Shapes: B rows of a batch, N rows, T length, V vocabulary.
"""

import numpy as np
from keras import ops

from course_utils.generation.graphs import compiled_function
from course_utils.text.vectorizers import PAD


def log_probabilities(model, inputs, targets, batch_size=64):
    """Return how probable a model finds each target, given what stands before it.

    Args:
        model: a language model: ids (B, T) -> logits (B, T, V).
        inputs: (N, T) ids.
        targets: (N, T) ids that follow the inputs; 0 where nothing is to be scored.
        batch_size: how many rows are computed at a time.
    Returns:
        (N, T) float32 array of natural logarithms, 0 where the target is 0.
    Raises:
        ValueError: when the two differ in shape, or there are no rows.
    """
    inputs = np.asarray(inputs, dtype="int32")
    targets = np.asarray(targets, dtype="int32")
    if inputs.shape != targets.shape or inputs.ndim != 2 or not len(inputs):
        raise ValueError(
            f"log_probabilities: inputs have the shape {inputs.shape} and targets "
            f"{targets.shape}; expected the same (N, T) with at least one row."
        )
    score = compiled_function(_log_probabilities, model)
    parts = []
    for start in range(0, len(inputs), batch_size):
        rows = slice(start, start + batch_size)
        parts.append(ops.convert_to_numpy(score(inputs[rows], targets[rows])))
    return np.concatenate(parts)


def _log_probabilities(model, inputs, targets):
    logits = ops.cast(model(inputs), "float32")  # (B, T, V)
    columns = ops.expand_dims(targets, -1)  # (B, T, 1)
    chosen = ops.squeeze(ops.take_along_axis(logits, columns, axis=-1), -1)  # (B, T)
    log_probs = chosen - ops.logsumexp(logits, axis=-1)
    return ops.where(ops.equal(targets, PAD), 0.0, log_probs)


def bits_per_character(log_probs, targets):
    """Return the mean negative log-probability of the scored targets, in bits.

    It is the base-2 logarithm of the perplexity.

    Args:
        log_probs: (N, T) natural logarithms.
        targets: (N, T) ids; positions with 0 don't count.
    Returns:
        A number from 0 (always certain, and right) on.
    Raises:
        ValueError: when no target is scored.

    Example:
        >>> bits_per_character(np.log([[0.5, 0.125, 1.0]]), [[7, 8, 0]])
        2.0
    """
    scored = np.asarray(targets) != PAD
    if not scored.any():
        raise ValueError(
            "bits_per_character: there is no target to score; all of them are 0."
        )
    # The exact value of a float64 sum doesn't depend on how rows were batched.
    nats = -np.asarray(log_probs, dtype="float64")[scored].mean()
    return float(nats / np.log(2))

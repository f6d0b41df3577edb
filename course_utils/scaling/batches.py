"""Batches for faster steps: a few fixed shapes, and gradients of several small parts.

Shapes use the letters of the course: B rows, T target length, S source length.
"""

import numpy as np

from course_utils.seq2seq.recurrent import teacher_forcing_arrays
from course_utils.text.vectorizers import PAD


def bucket_batches(sources, targets, widths, tokens_per_batch, seed=0):
    """Batch sentence pairs in a few fixed shapes, one for each width.

    XLA compiles a program for each shape of its inputs. Here a pair goes to the
    smallest width that holds both its sides, and a batch of a width has always the same
    number of rows, filled up with padding where pairs are missing.

    Args:
        sources, targets: lists of ids, targets without start and end.
        widths: numbers of columns.
        tokens_per_batch: rows times columns of a batch, at most.
        seed: of the order of pairs and batches.
    Returns:
        A list of ((source, decoder input), labels), arrays of (rows, width).
    Raises:
        ValueError: a pair is longer than the largest width, or a width is larger than
            ``tokens_per_batch``.
    """
    rng = np.random.default_rng(seed)
    lengths = [max(len(s), len(t) + 1) for s, t in zip(sources, targets, strict=True)]
    buckets = np.searchsorted(sorted(widths), lengths)
    batches = []
    for bucket, width in enumerate([*sorted(widths), None]):
        members = rng.permutation(np.flatnonzero(buckets == bucket))
        if width is None and len(members):
            raise ValueError(
                f"bucket_batches: a pair has {max(lengths)} tokens, but the largest "
                f"width is {max(widths)}; leave it out or add a width."
            )
        if not len(members):
            continue
        rows = tokens_per_batch // width
        if not rows:
            raise ValueError(
                f"bucket_batches: tokens_per_batch ({tokens_per_batch}) is below the "
                f"width {width}; a batch needs one row at least."
            )
        for start in range(0, len(members), rows):
            chosen = members[start : start + rows]
            arrays = teacher_forcing_arrays(
                [sources[i] for i in chosen], [targets[i] for i in chosen]
            )
            batches.append(pad_batch(arrays, rows, width))
    rng.shuffle(batches)
    return batches


def pad_batch(arrays, rows, columns):
    """Fill a batch up with padding to (rows, columns).

    Args:
        arrays: ((source, decoder input), labels), each with at most so many rows and
            columns.
    """
    (source, decoder_input), labels = arrays

    def fill(array):
        wanted = ((0, rows - array.shape[0]), (0, columns - array.shape[1]))
        return np.pad(array, wanted, constant_values=PAD)

    return (fill(source), fill(decoder_input)), fill(labels)


def real_tokens(labels):
    """Return how many labels aren't padding."""
    return int(np.count_nonzero(labels))


# Gradients of a batch that doesn't fit into memory


def accumulated_gradients(model, loss, batches):
    """Return loss and gradients of several small batches as if they were one.

    The mean loss of a part counts as much as its part of the real tokens. (Keras's
    ``gradient_accumulation_steps`` gives all parts the same weight, which is the same
    when all have equally many real tokens.)

    Args:
        model: a Keras model on the TensorFlow backend.
        loss: function of labels and outputs, the mean over the real tokens.
        batches: list of (inputs, labels).
    Returns:
        The loss, a float, and a list of gradients, one for each trainable variable.
    Raises:
        ValueError: there is no real token in any batch.
    """
    import tensorflow as tf

    total = sum(real_tokens(labels) for _, labels in batches)
    if not total:
        raise ValueError(
            "accumulated_gradients: there is no real token in the batches."
        )
    weights = [variable.value for variable in model.trainable_variables]
    sums, loss_sum = [tf.zeros_like(weight) for weight in weights], 0.0
    for inputs, labels in batches:
        weight = real_tokens(labels) / total
        with tf.GradientTape() as tape:
            value = weight * loss(labels, model(inputs, training=True))
        gradients = map(tf.convert_to_tensor, tape.gradient(value, weights))
        sums = [old + new for old, new in zip(sums, gradients, strict=True)]
        loss_sum += float(value)
    return loss_sum, sums

"""Batches of sequences of like length, as tf.data datasets.

Padding is wasted work. Here sequences are sorted by length before they are cut into
batches, each batch is padded to its own longest sequence only, and the *batches* are
shuffled, anew in every epoch.

XLA, which compiles models for accelerators, compiles a program for each shape of a
batch. There batches are padded to a few fixed lengths instead, chosen such that the
least padding is needed, and each length has a fixed number of rows.
"""

import numpy as np

from course_utils.datasets.streams import batch_stream
from course_utils.kit.environment import accelerator
from course_utils.text.vectorizers import decoder_inputs_and_labels, pad

# Fixed lengths of a training, and of an evaluation, which is quicker and often has two
# data sets. With the last batch, which may have fewer rows, a data set has one shape
# more: 8, and 4.
TRAINING_LENGTHS, EVALUATION_LENGTHS = 7, 3


def token_batches(lengths, tokens_per_batch, rng=None):
    """Group the indices of sequences into batches of about equal numbers of tokens.

    Args:
        lengths: one number per sequence, or one row of numbers (the first counts
            most) when a sequence has several, as a translation pair has.
        tokens_per_batch: upper limit of rows × longest row of a batch.
        rng: a NumPy generator; with one, ties are broken and batches ordered at
            random, without one all is sorted.
    Returns:
        A list of index arrays that together hold every index once.

    Example:
        >>> [batch.tolist() for batch in token_batches([3, 1, 2, 1], 3)]
        [[1, 3], [2], [0]]
    """
    lengths = np.asarray(lengths)
    lengths = lengths[:, None] if lengths.ndim == 1 else lengths
    longest = lengths.max(axis=1)
    ties = rng.random(len(lengths)) if rng is not None else np.arange(len(lengths))
    order = np.lexsort((ties, *lengths.T[::-1]))
    batches, start, width = [], 0, 0
    for end, index in enumerate(order):
        width = max(width, longest[index])
        if end > start and (end + 1 - start) * width > tokens_per_batch:
            batches.append(order[start:end])
            start, width = end, longest[index]
    if len(order):
        batches.append(order[start:])
    if rng is not None:
        rng.shuffle(batches)
    return batches


def fixed_lengths(lengths, count):
    """Choose a few lengths such that sequences padded to the next one hold the least.

    Args:
        lengths: one number per sequence.
        count: how many lengths there may be.
    Returns:
        A list of at most ``count`` rising numbers; the last one is the largest length.

    Example:
        >>> fixed_lengths([3, 3, 3, 4, 9], 2)
        [4, 9]
    """
    values, numbers = np.unique(lengths, return_counts=True)
    rows = np.concatenate([[0], np.cumsum(numbers)])
    # Dynamic programming: how many tokens the first j values hold with k lengths, when
    # the last of them pads the values from i on.
    group = (rows - rows[:, None]) * np.concatenate([[0], values])  # (i, j)
    group = np.where(np.tri(len(rows), k=-1), np.inf, group)
    held = group[0]
    chosen = [[] if j == 0 else [int(values[j - 1])] for j in range(len(rows))]
    for _ in range(count - 1):
        total = held[:, None] + group
        last = total.argmin(axis=0)  # i for each j; i = j adds no length
        chosen = [
            chosen[i] + ([int(values[j - 1])] if i < j else [])
            for j, i in enumerate(last)
        ]
        held = total.min(axis=0)
    return chosen[-1]


def fixed_batches(lengths, tokens_per_batch, count, rng=None):
    """Group the indices of sequences into batches of at most ``count + 1`` shapes.

    A length has always the same number of rows, as many as ``tokens_per_batch`` allows
    (one at least). Only the last of the sorted batches may have fewer. So no row is
    filled up, and none is left out.

    Args:
        lengths: one number per sequence, or one row of numbers; the largest counts.
        tokens_per_batch, rng: as in ``token_batches``.
        count: number of fixed lengths.
    Returns:
        A list of (index array, length to pad to).

    Example:
        >>> [(b.tolist(), n) for b, n in fixed_batches([4, 1, 3, 1, 1, 1], 4, 2)]
        [([1, 3, 4, 5], 1), ([2], 4), ([0], 4)]
    """
    lengths = np.asarray(lengths)
    lengths = lengths.max(axis=1) if lengths.ndim == 2 else lengths
    ties = rng.random(len(lengths)) if rng is not None else np.arange(len(lengths))
    order = np.lexsort((ties, lengths))
    widths = fixed_lengths(lengths, count) if len(order) else []
    batches, start = [], 0
    while start < len(order):
        for width in widths:
            end = start + max(1, tokens_per_batch // max(1, width))
            if end <= len(order) and lengths[order[end - 1]] <= width:
                break
        batches.append((order[start:end], width))
        start = end
    if rng is not None:
        rng.shuffle(batches)
    return batches


def _dataset(lengths, tokens_per_batch, seed, make_arrays, fixed_shapes, signature):
    """Return the batches as a dataset that knows how many there are: ``len`` works."""
    shuffled = None if seed is None else np.random.default_rng(seed)
    count = EVALUATION_LENGTHS if seed is None else TRAINING_LENGTHS
    fixed = accelerator() if fixed_shapes is None else fixed_shapes

    def batches(rng):
        """Return pairs of indices and the length to pad to; None is the longest."""
        if fixed:
            return fixed_batches(lengths, tokens_per_batch, count, rng)
        return [(rows, None) for rows in token_batches(lengths, tokens_per_batch, rng)]

    def epoch():
        for indices, width in batches(shuffled):
            yield make_arrays(indices, width)

    # Ties are broken at random, but the sorted lengths, and so the cuts, stay.
    return batch_stream(epoch, signature, len(batches(None)))


def classification_batches(
    sequences, labels, tokens_per_batch=8192, seed=None, window=None, fixed_shapes=None
):
    """Batch texts for a classifier.

    Args:
        sequences: lists of ids.
        labels: one number per sequence, or a row of numbers, such as a label and a
            teacher's answer.
        tokens_per_batch: about how many tokens a batch holds, padding included.
        seed: shuffle with this seed, anew each epoch; None keeps the sorted order.
        window: of a longer sequence, take so many ids that stand together, in each
            epoch from another random place; None takes all. For training only.
        fixed_shapes: whether all batches together have at most 8 shapes (4 without a
            seed), see ``fixed_batches``; None: on accelerators only.
    Returns:
        A dataset of (B, T) int32 ids and (B,) or (B, K) float32 labels; T differs by
        batch.
    """
    import tensorflow as tf

    labels = np.asarray(labels, dtype="float32")
    places = np.random.default_rng(seed)

    def cut(ids):
        if window is None or len(ids) <= window:
            return ids
        start = places.integers(len(ids) - window + 1)
        return ids[start : start + window]

    def make_arrays(indices, width):
        return pad([cut(sequences[i]) for i in indices], width), labels[indices]

    lengths = [min(len(ids), window or len(ids)) for ids in sequences]
    signature = (
        tf.TensorSpec((None, None), "int32"),
        tf.TensorSpec((None, *labels.shape[1:]), "float32"),
    )
    options = tokens_per_batch, seed, make_arrays, fixed_shapes
    return _dataset(lengths, *options, signature)


def translation_batches(
    sources, targets, tokens_per_batch=2048, seed=None, fixed_shapes=None
):
    """Batch sentence pairs for an encoder–decoder trained with teacher forcing.

    Args:
        sources: lists of source ids.
        targets: lists of target ids, without start and end.
        tokens_per_batch: upper limit of rows × longest side, source or target.
        seed: shuffle with this seed, anew each epoch; None keeps the sorted order.
        fixed_shapes: as in ``classification_batches``; source and target then have
            the same number of columns.
    Returns:
        A dataset of ((source (B, S), decoder input (B, T)), labels (B, T)): the
        decoder reads start + target and learns to say target + end.
    """
    import tensorflow as tf

    def make_arrays(indices, width):
        source = pad([sources[i] for i in indices], width)
        decoder_input, labels = decoder_inputs_and_labels(
            [targets[i] for i in indices], width
        )
        return (source, decoder_input), labels

    lengths = [
        (len(target) + 1, len(source))
        for source, target in zip(sources, targets, strict=True)
    ]
    ids = tf.TensorSpec((None, None), "int32")
    options = tokens_per_batch, seed, make_arrays, fixed_shapes
    return _dataset(lengths, *options, ((ids, ids), ids))

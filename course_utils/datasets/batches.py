"""Batches of sequences of like length (length bucketing), as tf.data datasets.

Padding is wasted work. Here sequences are sorted by length before they are cut into
batches, each batch is padded to its own longest sequence only, and the *batches* are
shuffled, anew in every epoch.
"""

import numpy as np

from course_utils.datasets.streams import batch_stream
from course_utils.text.vectorizers import decoder_inputs_and_labels, pad


def bucket_by_length(lengths, tokens_per_batch, rng=None):
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
        >>> [batch.tolist() for batch in bucket_by_length([3, 1, 2, 1], 3)]
        [[1, 3], [2], [0]]
    """
    lengths = np.asarray(lengths)
    if lengths.ndim == 1:
        lengths = lengths[:, None]
    longest = lengths.max(axis=1)
    ties = np.arange(len(lengths))
    if rng is not None:
        ties = rng.random(len(lengths))
    order = np.lexsort((ties, *lengths.T[::-1]))  # the first column counts most
    batches = []
    start = 0
    width = 0
    for end, index in enumerate(order):
        width = max(width, longest[index])
        if end > start and (end + 1 - start) * width > tokens_per_batch:
            batches.append(order[start:end])
            start = end
            width = longest[index]
    if len(order):
        batches.append(order[start:])
    if rng is not None:
        rng.shuffle(batches)
    return batches


def _dataset(lengths, tokens_per_batch, seed, make_arrays, signature, first_epoch=0):
    """Return the batches as a dataset that knows how many there are: ``len`` works."""
    rng = None
    if seed is not None:
        rng = np.random.default_rng(seed)
        for _ in range(first_epoch):  # the orders that were seen already
            bucket_by_length(lengths, tokens_per_batch, rng)

    def epoch():
        for indices in bucket_by_length(lengths, tokens_per_batch, rng):
            yield make_arrays(indices)

    # Ties are broken at random, but the sorted lengths, and so the cuts, stay.
    count = len(bucket_by_length(lengths, tokens_per_batch))
    return batch_stream(epoch, signature, count)


def classification_batches(
    sequences, labels, tokens_per_batch=8192, seed=None, window=None
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
    Returns:
        A dataset of (B, T) int32 ids and (B,) or (B, K) float32 labels; T differs by
        batch.
    """
    import tensorflow as tf

    labels = np.asarray(labels, dtype="float32")
    window_rng = np.random.default_rng(seed)

    def cut(ids):
        if window is None or len(ids) <= window:
            return ids
        start = window_rng.integers(len(ids) - window + 1)
        return ids[start : start + window]

    def make_arrays(indices):
        return pad([cut(sequences[i]) for i in indices]), labels[indices]

    lengths = [len(ids) for ids in sequences]
    if window is not None:
        lengths = [min(length, window) for length in lengths]
    signature = (
        tf.TensorSpec((None, None), "int32"),
        tf.TensorSpec((None, *labels.shape[1:]), "float32"),
    )
    return _dataset(lengths, tokens_per_batch, seed, make_arrays, signature)


def translation_batches(
    sources, targets, tokens_per_batch=2048, seed=None, first_epoch=0
):
    """Batch sentence pairs for an encoder–decoder trained with teacher forcing.

    Args:
        sources: lists of source ids.
        targets: lists of target ids, without start and end.
        tokens_per_batch: upper limit of rows × longest side, source or target.
        seed: shuffle with this seed, anew each epoch; None keeps the sorted order.
        first_epoch: begin with the order that this epoch has, counted from 0; so a
            training that was interrupted sees the batches it would have seen.
    Returns:
        A dataset of ((source (B, S), decoder input (B, T)), labels (B, T)): the
        decoder reads start + target and learns to say target + end.
    """
    import tensorflow as tf

    def make_arrays(indices):
        source = pad([sources[i] for i in indices])
        decoder_input, labels = decoder_inputs_and_labels([targets[i] for i in indices])
        return (source, decoder_input), labels

    lengths = [
        (len(target) + 1, len(source))
        for source, target in zip(sources, targets, strict=True)
    ]
    ids = tf.TensorSpec((None, None), "int32")
    signature = ((ids, ids), ids)
    return _dataset(
        lengths, tokens_per_batch, seed, make_arrays, signature, first_epoch
    )

"""Batches of sequences of like length, as tf.data datasets.

Padding is wasted work. Here sequences are sorted by length before they are cut into
batches, each batch is padded to its own longest sequence only, and the *batches* are
shuffled, anew in every epoch.
"""

import numpy as np

from course_utils.datasets.streams import batch_stream
from course_utils.text.vectorizers import END, START, pad


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


class _Epochs:
    """Yield the arrays of one epoch each time it is called; reshuffles if asked."""

    def __init__(self, lengths, tokens_per_batch, seed, make_arrays):
        self.arguments = lengths, tokens_per_batch
        self.rng = None if seed is None else np.random.default_rng(seed)
        self.make_arrays = make_arrays

    def __call__(self):
        for indices in token_batches(*self.arguments, self.rng):
            yield self.make_arrays(indices)


def _dataset(epochs, signature):
    """Return the batches as a dataset that knows how many there are: ``len`` works."""
    # Ties are broken at random, but the sorted lengths, and so the cuts, stay.
    return batch_stream(epochs, signature, len(token_batches(*epochs.arguments)))


def classification_batches(
    sequences, labels, tokens_per_batch=8192, seed=None, window=None
):
    """Batch texts for a classifier.

    Args:
        sequences: lists of ids.
        labels: one number per sequence.
        tokens_per_batch: about how many tokens a batch holds, padding included.
        seed: shuffle with this seed, anew each epoch; None keeps the sorted order.
        window: of a longer sequence, take so many ids that stand together, in each
            epoch from another random place; None takes all. For training only.
    Returns:
        A dataset of (B, T) int32 ids and (B,) float32 labels; T differs by batch.
    """
    import tensorflow as tf

    labels = np.asarray(labels, dtype="float32")
    places = np.random.default_rng(seed)

    def cut(ids):
        if window is None or len(ids) <= window:
            return ids
        start = places.integers(len(ids) - window + 1)
        return ids[start : start + window]

    def make_arrays(indices):
        return pad([cut(sequences[i]) for i in indices]), labels[indices]

    lengths = [min(len(ids), window or len(ids)) for ids in sequences]
    return _dataset(
        _Epochs(lengths, tokens_per_batch, seed, make_arrays),
        (
            tf.TensorSpec((None, None), "int32"),
            tf.TensorSpec((None,), "float32"),
        ),
    )


def translation_batches(sources, targets, tokens_per_batch=2048, seed=None):
    """Batch sentence pairs for an encoder–decoder trained with teacher forcing.

    Args:
        sources: lists of source ids.
        targets: lists of target ids, without start and end.
        tokens_per_batch: upper limit of rows × longest side, source or target.
        seed: shuffle with this seed, anew each epoch; None keeps the sorted order.
    Returns:
        A dataset of ((source (B, S), decoder input (B, T)), labels (B, T)): the
        decoder reads start + target and learns to say target + end.
    """
    import tensorflow as tf

    def make_arrays(indices):
        source = pad([sources[i] for i in indices])
        decoder_input = pad([[START, *targets[i]] for i in indices])
        labels = pad([[*targets[i], END] for i in indices])
        return (source, decoder_input), labels

    lengths = [
        (len(target) + 1, len(source))
        for source, target in zip(sources, targets, strict=True)
    ]
    ids = tf.TensorSpec((None, None), "int32")
    return _dataset(
        _Epochs(lengths, tokens_per_batch, seed, make_arrays), ((ids, ids), ids)
    )

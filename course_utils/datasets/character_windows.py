"""Texts for language models of characters: split, stream, windows.

A model reads ``START``, then the characters, and learns to write ``END`` after the
last one. It learns from windows of one long stream, and is scored on windows of single
texts.
"""

import collections
import itertools
import re
import unicodedata

import numpy as np

from course_utils.datasets import imdb
from course_utils.datasets.streams import batch_stream
from course_utils.text.characters import FIRST
from course_utils.text.vectorizers import END, START, pad


def clean(text):
    """Return a text in Unicode's composed form, with one space for each white space.

    Example:
        >>> clean(" A  good film. ")
        'A good film.'
    """
    return " ".join(unicodedata.normalize("NFC", text).split())


def imdb_parts(sizes=(100, 300), least=5000):
    """Return film reviews without labels: to choose with, to test with, to learn from.

    They are IMDB's reviews for training and those without labels. Nothing that also
    stands in the corpus's own test part is among them. Characters that occur less than
    ``least`` times are left out, so that all models score the same ones.

    Args:
        sizes: numbers of reviews to choose with, and to test with.
        least: how often a character has to occur.
    """
    test_texts, _ = imdb.load("test")
    test_letters = {_letters(text) for text in test_texts}
    texts = []
    for split in ("train", "validation", "unsupervised"):
        part, _ = imdb.load(split)
        for text in part:
            if _letters(text) not in test_letters:
                texts.append(clean(text))
    counts = collections.Counter(itertools.chain.from_iterable(texts))
    rare = {ord(sign): None for sign, count in counts.items() if count < least}
    return split_texts([clean(text.translate(rare)) for text in texts], sizes)


def _letters(text):
    return re.sub(r"\W+", "", text.casefold())


def split_texts(texts, sizes, seed=0):
    """Deal texts out to parts so that no text stands in two of them.

    Texts that have the same letters and digits in the same order count as one, and
    only the first of them is kept.

    Args:
        texts: list of strings.
        sizes: how many texts each part gets, such as (500, 500).
        seed: another number gives another split.
    Returns:
        One list of texts per size, and last the list of all others.
    Raises:
        ValueError: when there are no texts left for the last list.

    Example:
        >>> split_texts(["a b", "A, b!", "c", "d"], (1, 1))
        [['d'], ['a b'], ['c']]
    """
    first_by_letters = {}
    for text in texts:
        first_by_letters.setdefault(_letters(text), text)
    texts = list(first_by_letters.values())
    if sum(sizes) >= len(texts):
        raise ValueError(
            f"split_texts: the parts take {sum(sizes)} texts, but there are only "
            f"{len(texts)} different ones, and some must be left over."
        )
    order = np.random.default_rng(seed).permutation(len(texts))
    cuts = np.split(order, np.cumsum(sizes))
    return [[texts[i] for i in part] for part in cuts]


def stream(sequences):
    """Join texts to one long array: start, text, end, start, text, end, …

    Example:
        >>> stream([[5, 6], [7]]).tolist()
        [2, 5, 6, 3, 2, 7, 3]
    """
    pieces = []
    for ids in sequences:
        pieces += [[START], ids, [END]]
    return np.concatenate(pieces, dtype="int32", casting="unsafe")


def training_batches(ids, length, batch_size, seed=0):
    """Cut a stream into windows, pass by pass, without an end.

    A pass takes windows that follow one another, in an order of chance; the first one
    begins somewhere within ``length``, so that each pass is cut at other places.

    Args:
        ids: (N,) ids, see ``stream``.
        length: T, how many ids a model reads.
        batch_size: B, windows in a batch.
        seed: another number gives other windows.
    Returns:
        A dataset of (B, T) ids to read and the (B, T) ids that follow each of them.
    Raises:
        ValueError: when the stream is shorter than a window.
    """
    import tensorflow as tf

    ids = np.asarray(ids)
    if len(ids) <= length:
        raise ValueError(
            f"training_batches: the stream has {len(ids)} ids; a window of length "
            f"{length} needs one more than that."
        )

    def windows():
        rng = np.random.default_rng(seed)
        starts = np.empty(0, "int64")
        while True:
            while len(starts) < batch_size:
                first = rng.integers(min(length, len(ids) - length))
                order = rng.permutation(np.arange(first, len(ids) - length, length))
                starts = np.concatenate([starts, order])
            chosen = starts[:batch_size, None]  # (B, 1)
            starts = starts[batch_size:]
            window = ids[chosen + np.arange(length + 1)]  # (B, T + 1)
            yield window[:, :-1], window[:, 1:]

    signature = tf.TensorSpec((batch_size, length), "int32")
    return batch_stream(windows, (signature, signature))


def scoring_windows(sequences, length, context):
    """Cut texts into windows in which every character is scored exactly once.

    A text's first window is scored from its beginning. Each later one overlaps the one
    before by ``context`` places; the first ``context`` targets are given there, not
    scored. Padding and unknown characters aren't scored either.

    Args:
        sequences: lists of ids, without start and end.
        length: T, number of columns.
        context: number of targets that are given in later windows, below T.
    Returns:
        inputs (N, T) and targets (N, T) of ids; a target that isn't scored is 0.
    Raises:
        ValueError: when ``context`` is out of its range, or all texts are empty.

    Example:
        >>> inputs, targets = scoring_windows([[5, 6, 7, 8]], length=3, context=1)
        >>> inputs.tolist(), targets.tolist()
        ([[2, 5, 6], [6, 7, 0]], [[5, 6, 7], [0, 8, 0]])
    """
    if not 0 <= context < length:
        raise ValueError(
            f"scoring_windows: context is {context}; it must be at least 0 and below "
            f"length ({length})."
        )
    inputs, targets = [], []
    for ids in sequences:
        if len(ids) == 0:
            continue
        row = np.concatenate([[START], ids])
        scored = 0  # so many characters of the text
        start = 0
        while scored < len(ids):
            next_ids = row[start + 1 : start + length + 1]
            target = np.where(next_ids < FIRST, 0, next_ids)
            if start > 0:
                target[:context] = 0  # the window before has scored them
            inputs.append(row[start : start + len(next_ids)])
            targets.append(target)
            scored = start + len(next_ids)
            start += length - context
    if not inputs:
        raise ValueError("scoring_windows: all texts are empty; pass some characters.")
    return pad(inputs, length), pad(targets, length)

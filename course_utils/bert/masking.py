"""The pipelines of BERT's two tasks: masked tokens and next sentences.

Devlin et al. (2019), section 3.1 and A.1. The masked positions are drawn anew each
time a text is read, so that no text is ever seen twice with the same gaps (Liu et al.,
2019, "RoBERTa", section 4.1).
"""

import numpy as np

from course_utils.datasets.streams import batch_stream
from course_utils.text.vectorizers import pad
from course_utils.text.wordpiece import MASK, add_special_tokens, is_special

RATE = 0.15  # of the real tokens that are to be predicted
MASKED = 0.8  # of these become [MASK]
RANDOM = 0.1  # of these become any token; the others stay
ROOM_TRIES = 8  # to find another text with room for a second segment


def num_masked(length, rate=RATE):
    """Return M, the most positions that are masked in a text of ``length`` tokens."""
    return max(1, round(rate * length))


def mask_tokens(ids, vocab_size, rng, rate=RATE):
    """Hide some tokens of each text; a model has to predict them.

    In each row, as many of its real tokens as the rate says (rounded, at least one) are
    chosen at random; [CLS], [SEP] and padding never are. Of the chosen tokens, 80 %
    become [MASK], 10 % a random token, and 10 % stay as they are, each decided by a
    draw of its own.

    Args:
        ids: (B, T) token ids with special tokens.
        vocab_size: V; random tokens come from the ids after [MASK] and below V.
        rng: a NumPy generator.
        rate: of the real tokens that are chosen, above 0 and at most 1.
    Returns:
        ids (B, T) with tokens hidden, positions (B, M) in rising order, and labels
        (B, M), the tokens that stood there. Unused positions and their labels are 0.
    Raises:
        ValueError: when the rate or the vocabulary size is impossible.

    Example:
        >>> ids = np.array([[2, 7, 8, 9, 3, 0]])
        >>> hidden, positions, labels = mask_tokens(ids, 50, np.random.default_rng(0))
        >>> bool(ids[0, positions[0, 0]] == labels[0, 0])
        True
    """
    if not 0 < rate <= 1:
        raise ValueError(
            f"mask_tokens: rate is {rate}; it must be above 0 and at most 1."
        )
    if vocab_size <= MASK + 1:
        raise ValueError(
            f"mask_tokens: vocab_size is {vocab_size}; it must be above {MASK + 1}, so "
            f"that there are tokens besides the special ones."
        )
    ids = np.asarray(ids)
    real = ~is_special(ids)  # (B, T)
    num_real = real.sum(axis=1)  # (B,)
    count = np.maximum(1, np.rint(rate * num_real))  # (B,) chosen tokens of each text
    count = np.where(num_real > 0, count, 0)
    most = num_masked(ids.shape[1], rate)  # M

    # The positions with the smallest numbers are a random choice of the right size.
    numbers = np.where(real, rng.random(ids.shape), 2.0)  # (B, T)
    chosen = np.argsort(numbers, axis=1)[:, :most]  # (B, M)
    used = np.arange(most) < count[:, None]  # (B, M)
    positions = np.sort(np.where(used, chosen, ids.shape[1]), axis=1)  # unused last
    positions = np.where(used, positions, 0)
    labels = np.where(used, np.take_along_axis(ids, positions, axis=1), 0)

    kind = rng.random(positions.shape)  # (B, M)
    random_ids = rng.integers(MASK + 1, vocab_size, positions.shape)
    new = np.where(kind < MASKED + RANDOM, random_ids, labels)
    new = np.where(kind < MASKED, MASK, new)
    hidden = ids.copy()
    rows = np.nonzero(used)[0]
    hidden[rows, positions[used]] = new[used]
    return hidden, positions, labels


class SentencePairs:
    """Windows of texts, each as two segments: a text and what follows, or does not.

    A window is cut at the end of a sentence in its middle half, or at its middle where
    there is none. In half of the windows, by a draw, the second segment is replaced by
    one of the same length from another text. It begins with a sentence, and ends with
    its text, where the true one does; so its form gives nothing away.

    Args:
        sequences: lists of ids, without special tokens; empty ones are left out.
        length: T, of a window with its three special tokens.
        sentence_ends: ids of the pieces that end a sentence.
        follow: rate of windows that keep their true second segment.
    Raises:
        ValueError: when a window has no room, or there are fewer than two texts.
    """

    def __init__(self, sequences, length, sentence_ends, follow=0.5):
        sequences = [ids for ids in sequences if len(ids) >= 2]
        if length < 5:
            raise ValueError(
                f"SentencePairs: length is {length}; it must be at least 5, three of "
                f"them for special tokens."
            )
        if len(sequences) < 2:
            raise ValueError(
                "SentencePairs: there must be at least two texts of two tokens or "
                "more, so that a sentence can come from another text."
            )
        self.room = length - 3
        self.follow = follow
        lengths = np.array([len(ids) for ids in sequences])
        self.stops = np.cumsum(lengths)  # text i is flat[starts[i]:stops[i]]
        self.starts = self.stops - lengths
        self.flat = np.concatenate([np.asarray(ids, "int32") for ids in sequences])
        ends = np.isin(self.flat, sentence_ends)
        first_ids = np.flatnonzero(ends[:-1] & ~ends[1:]) + 1
        # Where sentences begin, but for the first one of each text.
        self.sentences = np.setdiff1d(first_ids, self.starts)
        # The same by the number of tokens to the end of their text.
        left = self.stops[self.text_of(self.sentences)] - self.sentences
        order = np.argsort(left, kind="stable")
        self.sentences_by_left = self.sentences[order]
        self.left = left[order]

    def text_of(self, place):
        """Return the number of the text that holds a place of ``flat``."""
        return np.searchsorted(self.stops, place, side="right")

    def windows(self, rng):
        """Draw windows from all texts: (N, 2) start and stop, in random order.

        A text gives as many windows as cover its length, each from a random place.
        """
        lengths = self.stops - self.starts
        count = -(-lengths // self.room)  # rounded up
        text = np.repeat(np.arange(len(lengths)), count)  # (N,)
        latest = np.maximum(lengths[text] - self.room, 0)
        first = self.starts[text] + rng.integers(latest + 1)
        stop = np.minimum(first + self.room, self.stops[text])
        return rng.permutation(np.stack([first, stop], axis=1))

    def pair(self, start, stop, rng):
        """Return both segments of a window, and whether the second one follows."""
        quarter = (stop - start) // 4
        low = np.searchsorted(self.sentences, start + max(1, quarter))
        high = np.searchsorted(self.sentences, stop - quarter)
        at_sentence = high > low
        if at_sentence:
            cut = self.sentences[rng.integers(low, high)]
        else:
            cut = (start + stop + 1) // 2
        first = self.flat[start:cut]
        second = self.flat[cut:stop]
        follows = bool(rng.random() < self.follow)
        if not follows:
            second = self._from_another_text(start, stop, cut, at_sentence, rng)
        return first, second, follows

    def _from_another_text(self, start, stop, cut, at_sentence, rng):
        """Return as many ids of another text; fewer where none has room."""
        text = self.text_of(start)
        length = stop - cut
        at_end = stop == self.stops[text]
        # Sentences that end with their text, or that don't, as the true segment.
        low = np.searchsorted(self.left, length)
        high = np.searchsorted(self.left, length + 1)
        if not at_end:
            low = high
            high = len(self.left)
        for _ in range(ROOM_TRIES):
            if at_sentence and low < high:
                begin = self.sentences_by_left[rng.integers(low, high)]
            elif at_end:
                begin = max(0, rng.choice(self.stops) - length)
            else:
                begin = rng.integers(len(self.flat))
            other = self.text_of(begin)
            if other != text and self.stops[other] - begin >= length:
                return self.flat[begin : begin + length]
        num_texts = len(self.stops)
        other = (text + 1 + rng.integers(num_texts - 1)) % num_texts
        begin = self.starts[other]
        return self.flat[begin : min(self.stops[other], begin + length)]

    def batch(self, windows, rng):
        """Return ids (B, T), segments (B, T) and (B,) whether the second follows."""
        ids = []
        segments = []
        follow = []
        for start, stop in windows:
            first, second, follows = self.pair(start, stop, rng)
            row_ids, row_segments = add_special_tokens(first, second)
            ids.append(row_ids)
            segments.append(row_segments)
            follow.append(follows)
        length = self.room + 3
        return pad(ids, length), pad(segments, length), np.array(follow, "float32")


def pretraining_batches(pairs, vocab_size, batch_size, seed=0, hide=mask_tokens):
    """Batch windows for ``BertPretraining``; each epoch cuts, pairs and hides anew.

    Args:
        pairs: ``SentencePairs``.
        vocab_size: V.
        batch_size: B; windows that don't fill a batch are left out of the epoch.
        seed: of all draws.
        hide: what hides them, with the arguments and results of ``mask_tokens``.
    Returns:
        An endless dataset of ((ids (B, T), segments (B, T), positions (B, M)),
        (labels (B, M), follows (B, 1))).
    Raises:
        ValueError: when there are fewer windows than ``batch_size``.
    """
    import tensorflow as tf

    num_windows = len(pairs.windows(np.random.default_rng(seed)))
    if num_windows < batch_size:
        raise ValueError(
            f"pretraining_batches: {num_windows} windows don't fill a batch of "
            f"{batch_size}; pass more texts or a smaller batch_size."
        )

    def endless():
        rng = np.random.default_rng(seed)
        while True:
            windows = pairs.windows(rng)
            for start in range(0, len(windows) - batch_size + 1, batch_size):
                batch = windows[start : start + batch_size]
                ids, segments, follows = pairs.batch(batch, rng)
                hidden, positions, labels = hide(ids, vocab_size, rng)
                yield (
                    (hidden.astype("int32"), segments, positions.astype("int32")),
                    (labels.astype("int32"), follows[:, None]),
                )

    length = pairs.room + 3
    ids_spec = tf.TensorSpec((batch_size, length), "int32")
    masked_spec = tf.TensorSpec((batch_size, num_masked(length)), "int32")
    follows_spec = tf.TensorSpec((batch_size, 1), "float32")
    inputs = (ids_spec, ids_spec, masked_spec)
    labels = (masked_spec, follows_spec)
    return batch_stream(endless, (inputs, labels))

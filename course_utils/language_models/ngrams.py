"""A language model that counts: n-grams with Witten–Bell interpolation.

Shapes: N rows, T length, V vocabulary.
"""

import copy
import typing

import numpy as np

from course_utils.arguments import check_sizes
from course_utils.text.vectorizers import PAD


class NgramModel:
    """Predict the next id from counts of the ids before it.

    After a history h of n − 1 ids,

        P(c | h) = (count(h c) + types(h) · P(c | h′)) / (count(h) + types(h)),

    where h′ is h without its first id, and types(h) the number of different ids that
    followed h, its continuation types. So a history that was followed by many types
    leaves much of its probability to the shorter one; below the shortest, all ids are
    equally probable.
    Witten and Bell (1991), "The Zero-Frequency Problem", method C, in the recursive
    form of Chen and Goodman (1998), "An Empirical Study of Smoothing Techniques for
    Language Modeling", section 2.5.

    Args:
        ids: (N,) ids to count, such as a stream of texts.
        vocab_size: V, above every id.
        order: n, the length of the longest n-gram.
    Raises:
        ValueError: when n-grams of this order don't fit into 63 bits, there are fewer
            ids than that, or an id is not below ``vocab_size``.

    Example:
        >>> model = NgramModel([4, 5, 4, 5, 4], vocab_size=6, order=2)
        >>> model.probabilities([4]).round(3).tolist()
        [0.016, 0.016, 0.016, 0.016, 0.159, 0.778]
    """

    def __init__(self, ids, vocab_size, order):
        check_sizes("NgramModel", vocab_size=vocab_size, order=order)
        ids = np.asarray(ids, dtype="int64")
        _check(ids, vocab_size, order)
        self.vocab_size = vocab_size
        self.order = order
        self.tables = []  # of order 1, 2, …
        ngrams = np.zeros(len(ids) + 1, dtype="int64")
        for n in range(1, order + 1):
            # An n-gram is one number: its ids are the digits, in base V.
            ngrams = ngrams[: len(ids) - n + 1] * vocab_size + ids[n - 1 :]
            self.tables.append(_count_ngrams(ngrams, vocab_size))

    def lower_order(self, order):
        """Return the model of a smaller order; it shares the counts of this one."""
        if not 1 <= order <= self.order:
            raise ValueError(
                f"NgramModel.lower_order: order is {order}; it must be at least 1 and "
                f"at most that of the model ({self.order})."
            )
        model = copy.copy(self)
        model.order = order
        model.tables = self.tables[:order]
        return model

    def probability(self, histories, ids):
        """Return P(id | history) for many pairs at once.

        Args:
            histories: (R, H) ids, of which the last n − 1 count. Where one is padding,
                only the ids after it do.
            ids: (R,) the ids that follow.
        Returns:
            (R,) float64 array.
        """
        histories = np.asarray(histories, dtype="int64")[:, ::-1]  # the newest first
        ids = np.asarray(ids, dtype="int64")
        probability = np.full(len(ids), 1 / self.vocab_size)  # (R,)
        history = np.zeros(len(ids), dtype="int64")  # (R,) as a number in base V
        complete = np.ones(len(ids), dtype=bool)  # (R,) no padding in the history
        for n, table in enumerate(self.tables, start=1):
            if n > 1:  # one more id in front of the history
                if n - 2 >= histories.shape[1]:
                    break
                earlier_id = histories[:, n - 2]
                complete = complete & (earlier_id != PAD)
                history = history + earlier_id * self.vocab_size ** (n - 2)
            total, types = table.of_histories(history)
            count = table.of_ngrams(history * self.vocab_size + ids)
            mixed = (count + types * probability) / np.maximum(total + types, 1)
            probability = np.where(complete & (total > 0), mixed, probability)
        return probability

    def probabilities(self, history):
        """Return P(· | history), (V,), for one list of ids."""
        all_ids = np.arange(self.vocab_size)
        history = np.asarray(history, dtype="int64").reshape(1, -1)
        histories = np.tile(history, (self.vocab_size, 1))
        return self.probability(histories, all_ids)

    def log_probabilities(self, inputs, targets):
        """Score targets as ``language_models.log_probabilities`` does for a network.

        Args:
            inputs, targets: (N, T) ids; targets that are 0 aren't scored.
        Returns:
            (N, T) float64 array of natural logarithms, 0 where the target is 0.
        """
        targets = np.asarray(targets)
        length = max(self.order - 1, 1)  # H, of a history
        padded = np.pad(np.asarray(inputs), ((0, 0), (length - 1, 0)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, length, axis=1)
        scored = targets != PAD
        log_probs = np.zeros(targets.shape)
        log_probs[scored] = np.log(self.probability(windows[scored], targets[scored]))
        return log_probs


def _check(ids, vocab_size, order):
    if order * np.log2(vocab_size) >= 63:
        raise ValueError(
            f"NgramModel: {order} ids from a vocabulary of {vocab_size} don't fit into "
            f"63 bits; choose a smaller order."
        )
    if len(ids) < order:
        raise ValueError(
            f"NgramModel: there are {len(ids)} ids; an order of {order} needs as many."
        )
    if ids.min() < 0 or ids.max() >= vocab_size:
        raise ValueError(
            f"NgramModel: ids go from {ids.min()} to {ids.max()}, but vocab_size is "
            f"{vocab_size}; ids must be at least 0 and below it."
        )


class NgramTable(typing.NamedTuple):
    """Counts of all n-grams of one length, which are numbers in rising order."""

    ngrams: np.ndarray
    counts: np.ndarray  # of each n-gram
    histories: np.ndarray  # n-grams without their last id
    totals: np.ndarray  # how often each history was followed by any id
    continuation_types: np.ndarray  # by how many different ids

    def of_histories(self, histories):
        """Return count(h) and types(h), 0 for histories that never occurred."""
        index, known = _lookup(self.histories, histories)
        totals = np.where(known, self.totals[index], 0)
        types = np.where(known, self.continuation_types[index], 0)
        return totals, types

    def of_ngrams(self, ngrams):
        """Return count(h c), 0 for n-grams that never occurred."""
        index, known = _lookup(self.ngrams, ngrams)
        return np.where(known, self.counts[index], 0)


def _count_ngrams(ngrams, vocab_size):
    """Count n-grams that are numbers in base V."""
    ngrams, counts = np.unique(ngrams, return_counts=True)
    # N-grams of one history stand together.
    histories, first, types = np.unique(
        ngrams // vocab_size, return_index=True, return_counts=True
    )
    totals = np.add.reduceat(counts, first)
    counts = counts.astype("int32")
    return NgramTable(ngrams, counts, histories, totals, types.astype("int32"))


def _lookup(values, wanted):
    """Return where sorted values hold the wanted ones, and whether they do."""
    index = np.searchsorted(values, wanted)
    index = np.minimum(index, len(values) - 1)
    return index, values[index] == wanted

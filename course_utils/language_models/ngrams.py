"""A language model that counts: n-grams with Witten–Bell interpolation.

Shapes: N rows, T length, V vocabulary.
"""

import copy

import numpy as np

from course_utils.arguments import check_sizes
from course_utils.text.vectorizers import PAD


class NgramModel:
    """Predict the next id from counts of the ids before it.

    After a history h of n − 1 ids,

        P(c | h) = (count(h c) + kinds(h) · P(c | h′)) / (count(h) + kinds(h)),

    where h′ is h without its first id, and kinds(h) the number of different ids that
    followed h. So a history that was followed by many kinds of ids leaves much of its
    probability to the shorter one; below the shortest, all ids are equally probable.
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
        self.vocab_size, self.order = vocab_size, order
        self.tables = []  # of order 1, 2, …
        codes = np.zeros(len(ids) + 1, dtype="int64")
        for n in range(1, order + 1):
            # An n-gram is one number: its ids are the digits, in base V.
            codes = codes[: len(ids) - n + 1] * vocab_size + ids[n - 1 :]
            self.tables.append(_table(codes, vocab_size))

    def shorter(self, order):
        """Return the model of a smaller order; it shares the counts of this one."""
        if not 1 <= order <= self.order:
            raise ValueError(
                f"NgramModel.shorter: order is {order}; it must be at least 1 and at "
                f"most that of the model ({self.order})."
            )
        model = copy.copy(self)
        model.order, model.tables = order, self.tables[:order]
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
        found = np.full(len(ids), 1 / self.vocab_size)
        history, known = np.zeros(len(ids), dtype="int64"), np.ones(len(ids), bool)
        for n, table in enumerate(self.tables, start=1):
            if n > 1:  # one more id in front of the history
                if n - 2 >= histories.shape[1]:
                    break
                new = histories[:, n - 2]
                known = known & (new != PAD)
                history = history + new * self.vocab_size ** (n - 2)
            total, kinds, count = _counts(
                table, history, history * self.vocab_size + ids
            )
            mixed = (count + kinds * found) / np.maximum(total + kinds, 1)
            found = np.where(known & (total > 0), mixed, found)
        return found

    def probabilities(self, history):
        """Return P(· | history), (V,), for one list of ids."""
        every = np.arange(self.vocab_size)
        rows = np.tile(np.asarray(history, "int64").reshape(1, -1), (len(every), 1))
        return self.probability(rows, every)

    def log_probabilities(self, inputs, targets):
        """Score targets as ``language_models.log_probabilities`` does for a network.

        Args:
            inputs, targets: (N, T) ids; targets that are 0 aren't scored.
        Returns:
            (N, T) float64 array of natural logarithms, 0 where the target is 0.
        """
        targets = np.asarray(targets)
        before = max(self.order - 1, 1)
        padded = np.pad(np.asarray(inputs), ((0, 0), (before - 1, 0)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, before, axis=1)
        scored = targets != PAD
        found = np.zeros(targets.shape)
        found[scored] = np.log(self.probability(windows[scored], targets[scored]))
        return found


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


def _table(codes, vocab_size):
    """Return sorted n-grams with counts, and their histories with totals and kinds."""
    codes, counts = np.unique(codes, return_counts=True)
    # N-grams of one history stand together.
    histories, first, kinds = np.unique(
        codes // vocab_size, return_index=True, return_counts=True
    )
    totals = np.add.reduceat(counts, first)
    return codes, counts.astype("int32"), histories, totals, kinds.astype("int32")


def _counts(table, history, code):
    """Return count(h), kinds(h) and count(h c), 0 where they never occurred."""
    codes, counts, histories, totals, kinds = table
    place, known = _find(histories, history)
    total, kind = totals[place] * known, kinds[place] * known
    place, known = _find(codes, code)
    return total, kind, counts[place] * known


def _find(values, wanted):
    """Return where sorted values hold the wanted ones, and whether they do."""
    place = np.minimum(np.searchsorted(values, wanted), len(values) - 1)
    return place, values[place] == wanted

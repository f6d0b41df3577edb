"""Pairs of words as tokens: "waste of" says more than "waste" and "of".

Example:
    >>> texts = [[2, 3, 4], [4, 2, 3]] * 20
    >>> pairs = choose_pairs(texts, 5, count=1)
    >>> join_pairs([[4, 2, 3]], pairs, 5)  # 5 + 0, the first pair
    [[4, 5]]
"""

import numpy as np


def choose_pairs(sequences, vocab_size, count, least=20):
    """Choose the pairs of neighbours that are most clearly no chance.

    That is, with the highest log-likelihood ratio (Dunning, 1993, "Accurate Methods for
    the Statistics of Surprise and Coincidence"), from counts alone and without labels.

    Args:
        sequences: lists of ids; 0 (padding) must not occur, and 1 (unknown) joins none.
        vocab_size: V, above every id.
        count: how many pairs there may be.
        least: pairs that are rarer don't count.
    Returns:
        An array of numbers first × V + second, the best pair first.
    """
    row, here = _neighbours(sequences, vocab_size)
    found, seen = np.unique(here[here >= 0], return_counts=True)
    found, seen = found[seen >= least], seen[seen >= least]
    single = np.bincount(row, minlength=vocab_size)
    first, second = single[found // vocab_size], single[found % vocab_size]
    chance = first * second / np.count_nonzero(row)
    ratio = seen * np.log(seen / chance) - (seen - chance)
    best = np.argsort(np.where(seen > chance, -ratio, 0), kind="stable")
    return found[best[:count]]


def join_pairs(sequences, pairs, vocab_size):
    """Put one id in the place of each pair; of two that overlap, the better one.

    Args:
        sequences: lists of ids.
        pairs: what `choose_pairs` returns; the n-th pair gets the id V + n.
        vocab_size: V.
    Returns:
        Lists of ids.
    """
    row, here = _neighbours(sequences, vocab_size)
    order = np.argsort(pairs)
    place = np.searchsorted(pairs, here, sorter=order).clip(max=len(pairs) - 1)
    rank = np.where(pairs[order[place]] == here, order[place], len(pairs))
    joined = (rank < np.roll(rank, 1)) & (rank <= np.roll(rank, -1))
    joined &= rank < len(pairs)
    row = np.where(joined, vocab_size + rank, row)[~np.roll(joined, 1)]
    parts = np.split(row, np.flatnonzero(row == 0) + 1)[:-1]
    return [part[:-1].tolist() for part in parts]


def _neighbours(sequences, vocab_size):
    """Return all ids in a row, 0 after each text, and the pair that begins at each."""
    row = np.fromiter((i for ids in sequences for i in (*ids, 0)), "int64")
    after = np.roll(row, -1)
    return row, np.where((row > 1) & (after > 1), row * vocab_size + after, -1)

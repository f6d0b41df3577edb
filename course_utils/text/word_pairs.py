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
    A pair that isn't more frequent than chance is never chosen.

    Args:
        sequences: lists of ids; 0 (padding) must not occur, and 1 (unknown) joins none.
        vocab_size: V, above every id.
        count: how many pairs there may be.
        least: pairs that are rarer don't count.
    Returns:
        An array of numbers first × V + second, the best pair first.
    """
    ids, pair_codes = _ids_and_pairs(sequences, vocab_size)
    pairs, counts = np.unique(pair_codes[pair_codes >= 0], return_counts=True)
    word_counts = np.bincount(ids, minlength=vocab_size)
    first_counts = word_counts[pairs // vocab_size]
    second_counts = word_counts[pairs % vocab_size]
    expected = first_counts * second_counts / max(np.count_nonzero(ids), 1)
    eligible = (counts >= least) & (counts > expected)
    pairs = pairs[eligible]
    counts = counts[eligible]
    expected = expected[eligible]
    ratio = counts * np.log(counts / expected) - (counts - expected)
    best = np.argsort(-ratio, kind="stable")
    return pairs[best[:count]]


def join_pairs(sequences, pairs, vocab_size):
    """Put one id in the place of each pair; of two that overlap, the better one.

    Args:
        sequences: lists of ids.
        pairs: what `choose_pairs` returns; the n-th pair gets the id V + n.
        vocab_size: V.
    Returns:
        Lists of ids.
    """
    pairs = np.asarray(pairs)
    if not len(pairs):
        return [list(sequence) for sequence in sequences]
    ids, pair_codes = _ids_and_pairs(sequences, vocab_size)
    no_pair = len(pairs)
    order = np.argsort(pairs)
    index = np.searchsorted(pairs, pair_codes, sorter=order)
    candidate = order[np.minimum(index, len(pairs) - 1)]
    rank = np.where(pairs[candidate] == pair_codes, candidate, no_pair)  # 0 is the best
    # Of pairs that overlap, the better one is joined; of equal ones, the first.
    joined = (rank < no_pair) & (rank < np.roll(rank, 1)) & (rank <= np.roll(rank, -1))
    ids = np.where(joined, vocab_size + rank, ids)
    second_of_joined = np.roll(joined, 1)
    ids = ids[~second_of_joined]
    texts = np.split(ids, np.flatnonzero(ids == 0) + 1)[:-1]
    return [text[:-1].tolist() for text in texts]


def _ids_and_pairs(sequences, vocab_size):
    """Return all ids in a row, 0 after each text, and the pair that begins at each.

    A pair is the number first × V + second; -1 where one of the two is 0 or 1.
    """
    ids = []
    for sequence in sequences:
        ids.extend(sequence)
        ids.append(0)
    ids = np.array(ids, dtype="int64")
    following = np.roll(ids, -1)
    pairs = np.where((ids > 1) & (following > 1), ids * vocab_size + following, -1)
    return ids, pairs

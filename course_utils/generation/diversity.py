"""What can be counted in generated texts: repetition, and words that exist."""

import re

import numpy as np


def repeated(texts, n=4):
    """Return which share of a text's n-grams stood in the same text before.

    Words are what stands between spaces, with the signs at them. The mean over the
    texts of 1 − different / all, as Welleck et al. (2020), "Neural
    Text Generation with Unlikelihood Training", section 6, measure repetition. Texts
    with less than n words are left out.

    Example:
        >>> repeated(["so bad so bad so bad"], n=2)
        0.6
    """
    shares = []
    for text in _checked("repeated", texts):
        all_ngrams = ngrams(text.split(), n)
        if all_ngrams:
            shares.append(1 - len(set(all_ngrams)) / len(all_ngrams))
    return float(np.mean(shares)) if shares else 0.0


def ngrams(words, n):
    """Return all sequences of n neighbours in a list of words.

    Example:
        >>> ngrams(["a", "b", "c"], 2)
        [('a', 'b'), ('b', 'c')]
    """
    return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]


def words(text):
    """Return the words of a text in lower case, without signs.

    Example:
        >>> words("It's good, and SHORT.")
        ["it's", 'good', 'and', 'short']
    """
    return re.findall(r"[^\W\d_]+(?:'[^\W\d_]+)?", text.lower())


def known_words(texts, vocabulary):
    """Return the share of words that stand in a set of words, 0 for no words.

    Example:
        >>> known_words(["A good fulm."], {"a", "good", "film"})
        0.6666666666666666
    """
    total = 0
    known = 0
    for text in _checked("known_words", texts):
        for word in words(text):
            total += 1
            if word in vocabulary:
                known += 1
    return known / max(total, 1)


def _checked(name, texts):
    """Return a list of texts, or raise a ValueError."""
    if isinstance(texts, str):
        raise ValueError(f"{name}: texts is one string; pass a list, such as [text].")
    texts = list(texts)
    if not texts:
        raise ValueError(f"{name}: there are no texts; pass at least one.")
    return texts

"""How varied generated texts are: different n-grams, repetition, self-BLEU, real words.

Words are what stands between spaces, with the signs at them.
"""

import re

import numpy as np

from course_utils.metrics import bleu


def ngrams(text, n):
    """Return the n-grams of a text's words, in order.

    Example:
        >>> ngrams("a good good film", 2)
        [('a', 'good'), ('good', 'good'), ('good', 'film')]
    """
    if n < 1:
        raise ValueError(f"ngrams: n is {n}; it must be at least 1.")
    words = text.split()
    return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]


def distinct(texts, n=2):
    """Return the share of different n-grams among all n-grams of all texts.

    Li et al. (2016), "A Diversity-Promoting Objective Function for Neural Conversation
    Models", section 5. It falls as texts get more or longer, so compare equal amounts.

    Args:
        texts: list of strings.
        n: words in an n-gram.
    Returns:
        A number from 0 to 1; 0 when no text has n words.

    Example:
        >>> distinct(["a good film", "a good plot"], n=2)
        0.75
    """
    found = [ngram for text in _checked("distinct", texts) for ngram in ngrams(text, n)]
    return len(set(found)) / len(found) if found else 0.0


def repeated(texts, n=4):
    """Return which share of a text's n-grams stood in the same text before.

    The mean over the texts of 1 − different / all, as Welleck et al. (2020), "Neural
    Text Generation with Unlikelihood Training", section 6, measure repetition. Texts
    with less than n words are left out.

    Example:
        >>> repeated(["so bad so bad so bad"], n=2)
        0.6
    """
    every = [ngrams(text, n) for text in _checked("repeated", texts)]
    shares = [1 - len(set(found)) / len(found) for found in every if found]
    return float(np.mean(shares)) if shares else 0.0


def self_bleu(texts):
    """Return the mean BLEU, 0 to 100, of each text against all the others.

    Zhu et al. (2018), "Texygen", section 3.3: 100 when all texts are the same, small
    when they share few sequences of words.

    Raises:
        ValueError: for less than two texts.

    Example:
        >>> self_bleu(["a film to love for ever"] * 3)
        100.0
    """
    texts = _checked("self_bleu", texts)
    if len(texts) < 2:
        raise ValueError("self_bleu: there is one text only; pass two at least.")
    scores = [
        bleu([text], [texts[:i] + texts[i + 1 :]]) for i, text in enumerate(texts)
    ]
    return float(np.mean(scores))


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
    found = [word for text in _checked("known_words", texts) for word in words(text)]
    return sum(word in vocabulary for word in found) / max(len(found), 1)


def _checked(name, texts):
    """Return a list of texts, or raise a ValueError."""
    if isinstance(texts, str):
        raise ValueError(f"{name}: texts is one string; pass a list, such as [text].")
    texts = list(texts)
    if not texts:
        raise ValueError(f"{name}: there are no texts; pass at least one.")
    return texts

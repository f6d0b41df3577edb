"""Texts for models: batches of like length, and what every text model checks."""

from course_utils.text.vectorizers import pad, refuse_string


def batch_by_length(sequences, batch_size):
    """Yield batches of sequences of about the same length, so that padding is rare.

    Args:
        sequences: N lists of ids.
        batch_size: B.
    Returns:
        Pairs of a list of B indices and a (B, T) array, from short to long.

    Example:
        >>> for indices, ids in batch_by_length([[7, 8, 9], [5], [6, 6]], 2):
        ...     print(indices, ids.tolist())
        [1, 2] [[5, 0], [6, 6]]
        [0] [[7, 8, 9]]
    """
    order = sorted(range(len(sequences)), key=lambda i: len(sequences[i]))
    for start in range(0, len(order), batch_size):
        indices = order[start : start + batch_size]
        yield indices, pad([sequences[i] for i in indices])


def list_texts(owner, texts, name="texts"):
    """Return a list of strings, or raise a ValueError that says what is none.

    Args:
        owner: the caller, for the message.
        texts: strings in any order that can be gone through.
        name: of the argument, for the message.
    """
    refuse_string(owner, texts, name)
    texts = list(texts)
    for text in texts:
        if not isinstance(text, str):
            raise ValueError(f"{owner}: {text!r} is not a string.")
    return texts


def check_vocabulary(owner, vectorizer, name, vocab_size):
    """Raise a ValueError where a vectorizer has other ids than a model.

    Args:
        owner: the caller, for the message.
        vectorizer: it has a ``vocabulary_size``.
        name: what ``owner`` calls the model, for the message.
        vocab_size: number of ids that the model knows.
    """
    if vocab_size != vectorizer.vocabulary_size:
        raise ValueError(
            f"{owner}: the vectorizer has {vectorizer.vocabulary_size} ids, but the "
            f"{name} {vocab_size}; pass the vectorizer that the {name} was trained "
            f"with."
        )

"""Word vectors learned without labels, to start a classifier from."""

import numpy as np

from course_utils.text.vectorizers import PAD


def train_word_vectors(
    sequences,
    vocab_size,
    width=256,
    epochs=5,
    window=5,
    stddev=0.05,
    seed=0,
    progress=True,
):
    """Learn a vector for each word from the words around it: word2vec, through gensim.

    The continuous bag-of-words form: the mean vector of the neighbours on each
    side has to tell the word from five random ones (Mikolov et al., 2013, "Efficient
    Estimation of Word Representations in Vector Space", section 3.1, with the negative
    sampling of "Distributed Representations of Words and Phrases", section 2.2).
    One thread works, so that a seed gives the same vectors again.

    Args:
        sequences: lists of ids, without padding.
        vocab_size: V, above every id.
        width: numbers in a vector.
        epochs: passes over the texts.
        window: the most neighbours on each side.
        stddev: the vectors are scaled to this standard deviation. Small ones suit a
            block that begins as the identity (`zero_init_residual_branches`).
        seed: another number gives other vectors.
        progress: print a dot after each pass.

    Returns:
        A float32 array (V, width); the rows of ids that never occur, padding among
        them, are 0.

    Raises:
        ValueError: there is no text, or an id is padding or not below ``vocab_size``.

    Example:
        >>> train_word_vectors([[2, 3, 4]] * 9, 6, width=4, progress=False).shape
        (6, 4)
    """
    names = [str(i) for i in range(vocab_size)]  # gensim's words are strings
    _check(sequences, vocab_size)
    # Here and not above: only the lessons that train vectors need gensim.
    from gensim.models import Word2Vec
    from gensim.models.callbacks import CallbackAny2Vec

    class Dots(CallbackAny2Vec):
        def on_epoch_end(self, model):
            print(".", end="", flush=True)

    learned = Word2Vec(
        [[names[i] for i in ids] for ids in sequences],
        vector_size=width,
        window=window,
        negative=5,
        sample=1e-4,  # frequent words such as "the" are mostly left out
        min_count=1,
        epochs=epochs,
        seed=seed,
        workers=1,
        callbacks=[Dots()] if progress else [],
    ).wv
    vectors = np.zeros((vocab_size, width), "float32")
    vectors[[int(name) for name in learned.index_to_key]] = learned.vectors
    return vectors * (stddev / learned.vectors.std())


def _check(sequences, vocab_size):
    ids = {i for sequence in sequences for i in set(sequence)}
    if not ids:
        raise ValueError("train_word_vectors: there is no text to learn from.")
    if PAD in ids:
        raise ValueError(
            f"train_word_vectors: id {PAD} is padding; pass the texts without it."
        )
    if min(ids) < 0 or max(ids) >= vocab_size:
        raise ValueError(
            f"train_word_vectors: ids go from {min(ids)} to {max(ids)}, but vocab_size "
            f"is {vocab_size}; ids must be at least 0 and below it."
        )

"""A vectorizer and a Keras model that reads its ids, together in one file."""

import keras

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


class TextModel(keras.Model):
    """What the course's models for texts share: two parts, and their config.

    Saved with ``save("name.keras")`` and read with ``keras.models.load_model``, such a
    model needs nothing else. All its weights are those of the second part.

    A subclass sets ``PARTS``, with another name for the second part if it has one; in
    the config and in the constructor the parts stand under these names.

    Args:
        vectorizer: from strings to ids.
        part: a built Keras model that reads these ids.
        vocab_size: number of ids that ``part`` knows; None leaves this unchecked.
    Raises:
        ValueError: the vectorizer has another number of ids.
    """

    PARTS = ("vectorizer", "model")

    def __init__(self, vectorizer, part, vocab_size=None, **kwargs):
        super().__init__(**kwargs)
        name = self.PARTS[1]
        if vocab_size not in (None, vectorizer.vocabulary_size):
            raise ValueError(
                f"{type(self).__name__}: the vectorizer has "
                f"{vectorizer.vocabulary_size} ids, but the {name} {vocab_size}; "
                f"pass the vectorizer that the {name} was trained with."
            )
        self.vectorizer = vectorizer
        setattr(self, name, part)
        self.built = True

    def list_texts(self, texts, name="texts"):
        """Return a list of strings, or raise a ValueError that says what is none.

        A single string would be read letter by letter.
        """
        owner = type(self).__name__
        refuse_string(owner, texts, name)
        texts = list(texts)
        for text in texts:
            if not isinstance(text, str):
                raise ValueError(f"{owner}: {text!r} is not a string.")
        return texts

    def call(self, inputs, training=False):
        return getattr(self, self.PARTS[1])(inputs, training=training)

    def get_config(self):
        config = super().get_config()
        for name in self.PARTS:
            part = getattr(self, name)
            config[name] = keras.saving.serialize_keras_object(part)
        return config

    @classmethod
    def from_config(cls, config):
        config = dict(config)
        for name in cls.PARTS:
            config[name] = keras.saving.deserialize_keras_object(config[name])
        return cls(**config)

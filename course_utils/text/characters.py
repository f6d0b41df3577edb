"""Text to ids and back, one id per character.

Ids 0 to 3 are padding, unknown, start and end, as for subwords.
"""

import collections

import keras
import numpy as np

from course_utils.text.vectorizers import END, UNKNOWN, Vectorizer, refuse_string

FIRST = END + 1  # the id of the first character
CODE_POINTS = 0x110000  # of Unicode


@keras.saving.register_keras_serializable(package="course_utils")
class CharacterVectorizer(Vectorizer):
    """One id per character.

    Args:
        characters: the characters of ids 4, 5, …; use ``train`` to get them.

    Example:
        >>> vectorizer = CharacterVectorizer.train(["a bad cab"])
        >>> vectorizer.decode(vectorizer.encode(["bad"]))
        ['bad']
    """

    def __init__(self, characters):
        if not characters or len(set(characters)) < len(characters):
            raise ValueError(
                f"CharacterVectorizer: characters is {characters!r}; it must hold at "
                f"least one character, and none of them twice."
            )
        self.characters = "".join(characters)
        # Where Unicode's number of a character leads to its id.
        self._ids = np.full(CODE_POINTS, UNKNOWN, dtype="int32")
        code_points = [ord(character) for character in self.characters]
        self._ids[code_points] = np.arange(FIRST, self.vocabulary_size)

    @classmethod
    def train(cls, texts, least=1):
        """Learn the characters that occur ``least`` times, frequent ones first."""
        refuse_string("CharacterVectorizer.train", texts)
        counts = collections.Counter()
        for text in texts:
            counts.update(text)
        characters = [c for c, count in counts.items() if count >= least]
        characters.sort(key=lambda c: (-counts[c], c))
        return cls("".join(characters))

    @property
    def vocabulary_size(self):
        """Number of ids, the four special ones included."""
        return FIRST + len(self.characters)

    def encode(self, texts):
        """Return one int32 array of ids per text, without start and end."""
        refuse_string("CharacterVectorizer", texts)
        sequences = []
        for text in texts:
            code_points = np.frombuffer(text.encode("utf-32-le"), "uint32")
            sequences.append(self._ids[code_points])
        return sequences

    def decode(self, sequences):
        """Return one text per sequence of ids, without those of no character."""
        return [
            "".join(self.characters[i - FIRST] for i in row if i >= FIRST)
            for row in sequences
        ]

    def tokens(self, text):
        """Return the characters of one text as strings, unknown ones as "[unk]"."""
        return [c if c in self.characters else "[unk]" for c in text]

    def get_config(self):
        return {"characters": self.characters}

"""The pre-trained small BERT with its vectorizer: it fills masks.

Shapes: T length, M masks, D model width, V vocabulary size.
"""

import keras
import numpy as np
from keras import ops

from course_utils.text.text_model import TextModel
from course_utils.text.wordpiece import MASK, add_special_tokens


@keras.saving.register_keras_serializable(package="course_utils")
class MiniBert(TextModel):
    """A pre-trained network together with its vectorizer, in one file.

    Saved with ``save("name.keras")`` and read with ``keras.models.load_model``, it
    needs nothing else to fill masks.

    Args:
        vectorizer: a ``WordPieceVectorizer``.
        network: a ``BertPretraining`` of the same vocabulary.
    """

    PARTS = ("vectorizer", "network")

    def __init__(self, vectorizer, network, **kwargs):
        vocab_size = network.encoder.options["vocab_size"]
        super().__init__(vectorizer, network, vocab_size, **kwargs)

    def fill_mask(self, text, top=5):
        """Guess what stands at each [MASK] of a text.

        Args:
            text: a string with one or more "[MASK]".
            top: number of guesses for each.
        Returns:
            For each mask a list of ``top`` pairs (piece, probability), best first.
        Raises:
            ValueError: when the text has no [MASK] or is too long.
        """
        ids, segments = add_special_tokens(self.vectorizer.encode_masked(text))
        self._check_length(ids, text)
        ids = np.array([ids])  # (1, T)
        positions = np.flatnonzero(ids[0] == MASK)[None]  # (1, M)
        logits, _ = self.network((ids, np.array([segments]), positions))
        logits = ops.convert_to_numpy(logits)[0]  # (M, V)
        logits[:, : MASK + 1] = -np.inf  # special tokens are never to be guessed
        powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
        probabilities = powers / powers.sum(axis=-1, keepdims=True)
        best = np.argsort(-probabilities, axis=-1)[:, :top]
        return [
            [(self.vectorizer.token(i), float(row[i])) for i in chosen]
            for row, chosen in zip(probabilities, best, strict=True)
        ]

    def _check_length(self, ids, text):
        limit = self.network.encoder.options["sequence_length"]
        if len(ids) > limit:
            raise ValueError(
                f"MiniBert: a text has {len(ids)} tokens with [CLS] and [SEP], but the "
                f"model reads {limit} at most; shorten it. It starts with "
                f"{text[:40]!r}."
            )

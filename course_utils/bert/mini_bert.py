"""The pre-trained small BERT with its vectorizer: it fills masks.

Shapes: T length, M masks, D model width, V vocabulary size.
"""

import keras
import numpy as np
from keras import ops

from course_utils.text.text_model import check_vocabulary
from course_utils.text.wordpiece import MASK, add_special_tokens


@keras.saving.register_keras_serializable(package="course_utils")
class MiniBert(keras.Model):
    """A pre-trained network together with its vectorizer, in one file.

    Saved with ``save("name.keras")`` and read with ``keras.models.load_model``, it
    needs nothing else to fill masks.

    Args:
        vectorizer: a ``WordPieceVectorizer``.
        network: a ``BertPretraining`` of the same vocabulary.
    Raises:
        ValueError: the vectorizer has another number of ids.
    """

    def __init__(self, vectorizer, network, **kwargs):
        super().__init__(**kwargs)
        check_vocabulary("MiniBert", vectorizer, "network", network.encoder.vocab_size)
        if not network.built:
            network.build()
        self.vectorizer = vectorizer
        self.network = network
        self.built = True

    def call(self, inputs, training=False):
        return self.network(inputs, training=training)

    def get_config(self):
        config = super().get_config()
        config["vectorizer"] = keras.saving.serialize_keras_object(self.vectorizer)
        config["network"] = keras.saving.serialize_keras_object(self.network)
        return config

    @classmethod
    def from_config(cls, config):
        config = dict(config)
        for name in ("vectorizer", "network"):
            config[name] = keras.saving.deserialize_keras_object(config[name])
        return cls(**config)

    def fill_mask(self, text, top=5):
        """Predict what stands at each [MASK] of a text.

        Args:
            text: a string with one or more "[MASK]".
            top: number of predictions for each.
        Returns:
            For each mask a list of ``top`` pairs (piece, probability), best first.
        Raises:
            ValueError: when the text has no [MASK] or is too long.
        """
        ids, segments = add_special_tokens(self.vectorizer.encode_masked(text))
        self._check_length(ids, text)
        ids = np.array([ids])  # (1, T)
        segments = np.array([segments])  # (1, T)
        positions = np.flatnonzero(ids[0] == MASK)[None]  # (1, M)
        logits, _ = self.network((ids, segments, positions))  # (1, M, V)
        logits = ops.convert_to_numpy(logits)[0]  # (M, V)
        logits[:, : MASK + 1] = -np.inf  # no mask stands for a special token
        powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
        probabilities = powers / powers.sum(axis=-1, keepdims=True)
        predictions = []
        for row in probabilities:
            best = np.argsort(-row)[:top]
            predictions.append(
                [(self.vectorizer.token(i), float(row[i])) for i in best]
            )
        return predictions

    def _check_length(self, ids, text):
        limit = self.network.encoder.sequence_length
        if len(ids) > limit:
            raise ValueError(
                f"MiniBert: a text has {len(ids)} tokens with [CLS] and [SEP], but the "
                f"model reads {limit} at most; shorten it. It starts with "
                f"{text[:40]!r}."
            )

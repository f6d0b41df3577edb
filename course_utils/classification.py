"""A text classifier that carries its own vectorizer, in one file."""

import keras
from keras import ops

from course_utils.text import head_and_tail, pad


@keras.saving.register_keras_serializable(package="course_utils")
class TextClassifier(keras.Model):
    """A classifier of token ids together with the vectorizer that makes the ids.

    Saved with ``save("name.keras")`` and read with ``keras.models.load_model``, it
    needs nothing else to classify a text.

    Args:
        vectorizer: a ``WordVectorizer`` or ``SubwordVectorizer``.
        classifier: a Keras model from (B, T) ids to (B, 1) probabilities.
        max_length: longer texts are cut by ``head_and_tail``.
    """

    def __init__(self, vectorizer, classifier, max_length=512, **kwargs):
        super().__init__(**kwargs)
        self.vectorizer = vectorizer
        self.classifier = classifier
        self.max_length = max_length

    def build(self, input_shape=None):
        self.built = True

    def call(self, inputs, training=False):
        return self.classifier(inputs, training=training)

    def predict_texts(self, texts, batch_size=64):
        """Return one probability per text, shape (N,).

        Raises:
            ValueError: when a text holds no token at all.
        """
        sequences = [
            head_and_tail(ids, self.max_length) for ids in self.vectorizer.encode(texts)
        ]
        for text, ids in zip(texts, sequences, strict=True):
            if not ids:
                raise ValueError(
                    f"predict_texts: the text {text!r} has no words; pass a text "
                    f"with at least one."
                )
        order = sorted(range(len(texts)), key=lambda i: len(sequences[i]))
        probabilities = [0.0] * len(texts)
        for start in range(0, len(order), batch_size):
            rows = order[start : start + batch_size]
            outputs = self(pad([sequences[i] for i in rows]))
            for i, value in zip(rows, ops.convert_to_numpy(outputs)[:, 0], strict=True):
                probabilities[i] = float(value)
        return probabilities

    def get_config(self):
        serialize = keras.saving.serialize_keras_object
        return {
            **super().get_config(),
            "vectorizer": serialize(self.vectorizer),
            "classifier": serialize(self.classifier),
            "max_length": self.max_length,
        }

    @classmethod
    def from_config(cls, config):
        for name in ("vectorizer", "classifier"):
            config[name] = keras.saving.deserialize_keras_object(config[name])
        return cls(**config)

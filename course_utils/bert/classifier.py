"""Fine-tuning a BERT encoder: texts of any length in windows, and a classifier.

Devlin et al. (2019), "BERT: Pre-training of Deep Bidirectional Transformers", section
4. Shapes: B texts, L their length, W windows of a text, T length of a window, D width.
"""

import keras
from keras import layers, ops

from course_utils.arguments import check_option
from course_utils.bert.model import BertEncoder  # noqa: F401 (for loading)
from course_utils.saving import register
from course_utils.text.wordpiece import CLS, SEP


def split_windows(ids, length):
    """Cut long texts into windows, each with its own [CLS] and [SEP].

    Args:
        ids: (B, L) token ids without special tokens, 0 = padding on the right.
        length: T, of a window, special tokens included.
    Returns:
        (B, W, T) ids, W = L / (T - 2) rounded up. A window without any token is all
        padding. Where all texts are shorter than a window, T is L + 2.

    Example:
        >>> split_windows([[7, 8, 9]], 4)[0].numpy().tolist()
        [[2, 7, 8, 3], [2, 9, 3, 0]]
    """
    room = length - 2
    ids = ops.cast(ids, "int32")
    rows, total = ops.shape(ids)[0], ops.shape(ids)[1]
    number = (total + room - 1) // room  # W
    filled = ops.concatenate([ids, ops.zeros((rows, room), "int32")], axis=1)
    windows = ops.reshape(filled[:, : number * room], (-1, room))
    real = ops.sum(ops.cast(windows > 0, "int32"), axis=1, keepdims=True)
    first = CLS * ops.cast(real > 0, "int32")  # (B W, 1)
    last = SEP * ops.one_hot(ops.squeeze(real, 1) + 1, length, dtype="int32")
    windows = ops.concatenate([first, windows, ops.zeros_like(first)], axis=1)
    windows = windows + last * ops.cast(real > 0, "int32")
    windows = ops.reshape(windows, (rows, number, length))
    return windows[:, :, : total + 2]  # of short texts: no padding up to the window


@register
class BertClassifier(keras.Model):
    """Classify texts of any length with a BERT encoder.

    A long text is read in windows. The vectors of all its tokens are averaged (or
    those of the windows' [CLS]), then follow dropout and one dense layer.

    Args:
        encoder: a ``BertEncoder``.
        dropout: rate of the dropout before the last layer.
        pooling: "mean" over all real tokens, or "first" over the [CLS] tokens.

    Call arguments:
        inputs: (B, L) token ids without special tokens, 0 = padding.
    Returns:
        (B, 1) probabilities, float32.
    Raises:
        ValueError: for another ``pooling``.
    """

    def __init__(self, encoder, dropout=0.1, pooling="mean", **kwargs):
        super().__init__(**kwargs)
        check_option("BertClassifier", "pooling", pooling, ("mean", "first"))
        self.encoder = encoder
        self.dropout = dropout
        self.pooling = pooling
        self.dropout_layer = layers.Dropout(dropout)
        self.output_dense = layers.Dense(1, dtype="float32")

    def build(self, input_shape=None):
        if not self.encoder.built:
            self.encoder.build()
        self.output_dense.build((None, self.encoder.embed_dim))
        self.built = True

    def pool(self, inputs, training=False):
        """Return one vector for each text: (B, L) ids -> (B, D), float32."""
        windows = split_windows(inputs, self.encoder.sequence_length)
        length = ops.shape(windows)[2]  # T
        x = self.encoder(ops.reshape(windows, (-1, length)), training=training)
        x = ops.cast(x, "float32")
        taken = ops.not_equal(windows, 0)
        if self.pooling == "first":
            taken = ops.logical_and(taken, ops.equal(ops.arange(length), 0))
        weights = ops.cast(ops.reshape(taken, (ops.shape(inputs)[0], 1, -1)), x.dtype)
        x = ops.reshape(x, (ops.shape(inputs)[0], -1, x.shape[-1]))  # (B, W T, D)
        total = ops.squeeze(ops.matmul(weights, x), 1)  # (B, D)
        return total / ops.maximum(ops.sum(weights, axis=2), 1.0)

    def call(self, inputs, training=False):
        x = self.dropout_layer(self.pool(inputs, training), training=training)
        return ops.sigmoid(self.output_dense(x))

    def get_config(self):
        config = super().get_config()
        config["encoder"] = keras.saving.serialize_keras_object(self.encoder)
        config["dropout"] = self.dropout
        config["pooling"] = self.pooling
        return config

    @classmethod
    def from_config(cls, config):
        encoder = keras.saving.deserialize_keras_object(config["encoder"])
        return cls(**{**config, "encoder": encoder})

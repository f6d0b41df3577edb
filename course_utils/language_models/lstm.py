"""A recurrent language model, with the interface of the mini GPT.

Shapes: B texts, T length, E width of a token vector, U units of an LSTM, V vocabulary.
"""

import keras
from keras import layers, ops

from course_utils.arguments import check_sizes
from course_utils.saving import register


@register
class CharacterLSTM(keras.Model):
    """Recurrent language model with the interface of ``MiniGPT``.

    One LSTM (Hochreiter and Schmidhuber, 1997) or several, each of which reads the
    states of the one below (Graves, 2013, "Generating Sequences With Recurrent Neural
    Networks", section 2).

    Args:
        vocab_size: V.
        embed_dim: E, width of the token vectors.
        units: U, width of the states.
        num_layers: number of LSTMs.
        dropout: rate of the dropout between the layers.

    Call arguments:
        inputs: ids (B, T); padding stands at the right, where nothing before sees it.
    Returns:
        (B, T, V) logits of the token after each position.

    Example:
        >>> model = CharacterLSTM(20, embed_dim=4, units=6)
        >>> tuple(model(ops.ones((2, 5))).shape)
        (2, 5, 20)
    """

    cache_axis = None  # a state is as large after one token as after many

    def __init__(
        self, vocab_size, embed_dim=64, units=256, num_layers=1, dropout=0.0, **kwargs
    ):
        super().__init__(**kwargs)
        check_sizes("CharacterLSTM", vocab_size=vocab_size, embed_dim=embed_dim)
        check_sizes("CharacterLSTM", units=units, num_layers=num_layers)
        self.vocab_size = vocab_size
        self.embed_dim = embed_dim
        self.units = units
        self.num_layers = num_layers
        self.dropout = dropout
        self.embedding = layers.Embedding(
            vocab_size, embed_dim, dtype=self.dtype_policy
        )
        self.lstms = [
            layers.LSTM(units, return_sequences=True, dtype=self.dtype_policy)
            for _ in range(num_layers)
        ]
        self.dropout_layer = layers.Dropout(dropout, dtype=self.dtype_policy)
        self.output_dense = layers.Dense(vocab_size, dtype=self.dtype_policy)

    def build(self, input_shape=None):
        width = self.embed_dim
        self.embedding.build((None, None))
        for lstm in self.lstms:
            lstm.build((None, None, width))
            width = self.units
        self.output_dense.build((None, None, width))
        self.built = True

    def call(self, inputs, training=False):
        x = self.embedding(inputs)  # (B, T, E)
        for lstm in self.lstms:
            x = lstm(x, training=training)  # (B, T, U)
            x = self.dropout_layer(x, training=training)
        return self.output_dense(x)  # (B, T, V)

    def empty_cache(self, rows, length):
        """Return zeros for the states; ``length`` doesn't matter to an LSTM."""
        zeros = ops.zeros((rows, self.units), dtype=self.compute_dtype)
        return [(zeros, zeros) for _ in self.lstms]

    def step(self, tokens, position, cache):
        """Score the token after ``tokens``, the newest ones, from the last states.

        Args:
            tokens: (B,) ids at ``position``.
            position: their index; the states hold all that an LSTM needs of it.
            cache: from ``empty_cache`` or the step before.
        Returns:
            (B, V) logits and the updated cache.
        """
        new_cache = []
        x = self.embedding(tokens)  # (B, E)
        for lstm, states in zip(self.lstms, cache, strict=True):
            x, states = lstm.cell(x, list(states))  # (B, U)
            new_cache.append(tuple(states))
        return self.output_dense(x), new_cache

    def compute_output_shape(self, input_shape):
        return (*input_shape, self.vocab_size)

    def get_config(self):
        config = super().get_config()
        config["vocab_size"] = self.vocab_size
        config["embed_dim"] = self.embed_dim
        config["units"] = self.units
        config["num_layers"] = self.num_layers
        config["dropout"] = self.dropout
        return config

"""Translators with six ways to attend, for `benchmarks.alignment`.

The translator itself, with the score "dot" and without attention, is the package's, as
lesson 03 shows it.
"""

import keras
from keras import layers, ops

from course_utils.seq2seq.gru_translator import (
    AttentionTranslator,
    dot_attention,
    new_translator,
    train_gru_translator,
)
from course_utils.text import PAD

EMBED_DIM = 64
UNITS = 128


def new_model(kind, size, seed=0, **options):
    """Return a model whose parameters come from one seed, and are all there."""
    return new_translator(kind, size, EMBED_DIM, UNITS, seed, **options)


def cosine(layer, q, k):
    q, k = ops.normalize(q), ops.normalize(k)  # each vector to length 1
    return ops.exp(layer.log_sharpness) * dot(layer, q, k)


def additive(layer, q, k):
    hidden = (q @ layer.w_query)[:, :, None] + (k @ layer.w_keys)[:, None]
    return ops.sum(ops.tanh(hidden) * layer.v, axis=-1)  # from (B, T, S, units)


def location(layer, q, k):
    return (q @ layer.kernel)[..., : ops.shape(k)[1]]  # only how many keys there are


def general(layer, q, k):
    return dot(layer, q @ layer.kernel, k)


def dot(layer, q, k):
    return q @ ops.swapaxes(k, 1, 2)  # (B, T, S)


def scaled_dot(layer, q, k):
    return dot(layer, q, k) / q.shape[-1] ** 0.5


SCORES = {
    score.__name__: score
    for score in (cosine, additive, location, general, dot, scaled_dot)
}


def parts_of(width, units, max_length):
    """Return the weights of each score and window: names and shapes."""
    units = units or width
    return {
        "cosine": {"log_sharpness": ()},
        "additive": {
            "w_query": (width, units),
            "w_keys": (width, units),
            "v": (units,),
        },
        "location": {"kernel": (width, max_length)},
        "general": {"kernel": (width, width)},
        "predictive": {"w_place": (width, units), "v_place": (units,)},
    }


class ScoredAttention(layers.Layer):
    """One head of attention: any score, over all keys or in a window."""

    def __init__(self, score, units=None, max_length=40, window=None, half_width=2):
        super().__init__()
        self.score, self.units, self.max_length = score, units, max_length
        self.window, self.half_width = window, half_width

    def build(self, query_shape, value_shape=None):
        parts = parts_of(query_shape[-1], self.units, self.max_length)
        own = {**parts.get(self.score, {}), **parts.get(self.window, {})}
        for name, shape in own.items():
            start = None if shape else "zeros"  # β begins with 1
            setattr(self, name, self.add_weight(shape, start, name=name))

    def middles(self, query, real):
        """Return p for each query: (1, T, 1) or (B, T, 1)."""
        length = ops.sum(ops.cast(real, "float32"), axis=1)[:, None, None]
        if self.window == "monotonic":
            own = ops.arange(ops.shape(query)[1], dtype="float32")[None, :, None]
            return ops.minimum(own, length - 1)  # never past the last real key
        hidden = ops.tanh(query @ self.w_place) * self.v_place  # (B, T, units)
        return length * ops.sigmoid(ops.sum(hidden, axis=-1, keepdims=True))

    def call(self, query, value, value_mask):
        scores, mask = SCORES[self.score](self, query, value), value_mask[:, None]
        if self.window:
            keys = ops.arange(ops.shape(value)[1], dtype="float32")
            distance = keys - self.middles(query, value_mask)  # (B, T, S)
            mask = mask & (ops.abs(distance) <= self.half_width)
            if self.window == "predictive":
                scores = scores - (distance / (self.half_width / 2)) ** 2 / 2
        weights = ops.softmax(ops.where(mask, scores, -1e9))
        return weights @ value, weights


class ReadingCell(layers.Layer):
    """A GRU step that attends first, with the state from before."""

    def __init__(self, units, attention):
        super().__init__()
        self.gru, self.attention = layers.GRUCell(units), attention
        self.state_size = self.output_size = units

    def build(self, shape):  # (B, E)
        self.gru.build((None, shape[-1] + self.state_size))

    def call(self, x, states):
        outputs, _, mask = self.encoded
        context, _ = self.attention(states[0][:, None], outputs, mask)  # (B, 1, U)
        x = ops.concatenate([x, context[:, 0]], axis=-1)  # (B, E + U)
        return self.gru(x, states)


class BahdanauTranslator(AttentionTranslator):
    """Attention before the step; its context goes into the GRU and into the output."""

    def __init__(self, vocab_size, embed_dim, units, attention=dot_attention):
        super().__init__(vocab_size, embed_dim, units, attention)
        cell = ReadingCell(units, attention)
        self.decoder = layers.RNN(cell, return_sequences=True, return_state=True)

    def decode(self, tokens, state, encoded):
        self.decoder.cell.encoded = encoded
        x, first = self.target_embedding(tokens), state[:, None]
        states, state = self.decoder(x, initial_state=state)
        queries = ops.concatenate([first, states[:, :-1]], axis=1)  # the states before
        context, weights = self.attention(queries, encoded[0], encoded[2])
        joined = ops.concatenate([context, states], axis=-1)
        return self.output_dense(self.combine(joined)), weights, state


def uniform_attention(query, value, mask):
    """Attend to all real words alike: (B, T, U), (B, S, U) -> (B, T, U), weights."""
    real = ops.cast(mask, value.dtype)[:, None]  # (B, 1, S)
    alike = real / ops.sum(real, axis=-1, keepdims=True)
    weights = alike + ops.zeros_like(query[..., :1])  # (B, T, S)
    return weights @ value, weights


class GuidedTranslator(AttentionTranslator):
    """The same, but in training each target id carries the place of its source word."""

    def __init__(self, vocab_size, *sizes, **options):
        super().__init__(vocab_size, *sizes, **options)
        self.vocab_size = vocab_size

    def call(self, inputs):
        source, coded = inputs
        ids = coded % self.vocab_size
        places = coded[:, 1:] // self.vocab_size
        encoded = self.encode(source)
        logits, weights, _ = self.decode(ids, encoded[1], encoded)
        at = ops.maximum(places - 1, 0)[..., None]  # (B, T - 1, 1)
        found = ops.take_along_axis(weights[:, :-1], at, axis=2)[..., 0]
        linked = ops.cast(places > 0, "float32")
        loss = -ops.sum(linked * ops.log(found + 1e-6)) / (ops.sum(linked) + 1e-6)
        self.add_loss(loss)
        return logits


def train_guided(model, sides, rows, updates, seed=0):
    """Train with the links of the rows (source, target, links), too."""
    size = model.vocab_size
    places = [{j: 1 + i for i, j in links} for *_, links in rows]
    coded = [
        [token + size * at.get(j, 0) for j, token in enumerate(ids)]
        for ids, at in zip(sides[1], places, strict=True)
    ]
    nats = keras.losses.SparseCategoricalCrossentropy(
        from_logits=True, ignore_class=PAD
    )
    train_gru_translator(
        model, (sides[0], coded), updates, seed, loss=lambda y, p: nats(y % size, p)
    )

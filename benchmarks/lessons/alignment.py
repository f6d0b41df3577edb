"""Translators with six ways to attend, for `benchmarks.alignment`."""

import keras
import numpy as np
from keras import layers, ops

from course_utils.datasets import batches
from course_utils.seq2seq import teacher_forcing_arrays
from course_utils.text import END, PAD, START, UNKNOWN

EMBED_DIM = 64
UNITS = 128


def vocabulary_of(rows):
    """Return an index from token to id; 0 to 3 are padding, unknown, start and end."""
    found = sorted({token for row in rows for side in row[:2] for token in side})
    special = ["[pad]", "[unknown]", "[start]", "[end]"]
    return {token: i for i, token in enumerate([*special, *found])}


def encode(rows, index):
    """Return the ids of both sides: two lists of lists."""
    return [[[index.get(t, UNKNOWN) for t in row[n]] for row in rows] for n in (0, 1)]


class Translator(keras.Model):
    """An encoder–decoder of GRUs: ids (B, S) and (B, T) -> logits (B, T, V)."""

    def __init__(self, vocab_size, embed_dim, units):
        super().__init__()
        self.source_embedding = layers.Embedding(vocab_size, embed_dim)
        self.target_embedding = layers.Embedding(vocab_size, embed_dim)
        options = dict(return_sequences=True, return_state=True)
        gru = layers.GRU(units, **options)
        self.encoder = layers.Bidirectional(gru, merge_mode="sum")
        self.decoder = layers.GRU(units, **options)
        self.output_dense = layers.Dense(vocab_size)

    def build(self, shapes):
        pass  # the first call builds the layers

    def encode(self, source):
        mask = ops.not_equal(source, PAD)
        x = self.source_embedding(source)  # (B, S, E)
        outputs, forwards, backwards = self.encoder(x, mask=mask)
        return outputs, forwards + backwards, mask  # (B, S, U), (B, U), (B, S)

    def say(self, states, encoded):
        return self.output_dense(states), None  # logits (B, T, V), no weights

    def decode(self, tokens, state, encoded):
        x = self.target_embedding(tokens)  # (B, T, E)
        states, state = self.decoder(x, initial_state=state)  # (B, T, U), (B, U)
        logits, weights = self.say(states, encoded)
        return logits, weights, state

    def call(self, inputs):
        encoded = self.encode(inputs[0])
        return self.decode(inputs[1], encoded[1], encoded)[0]


def write(model, source, length):
    """Write the most probable token again and again: (B, S) -> (B, length)."""
    encoded, last, wrote = model.encode(source), np.full((len(source), 1), START), []
    state = encoded[1]
    for _ in range(length):
        logits, _, state = model.decode(last, state, encoded)  # (B, 1, V)
        best = ops.convert_to_numpy(logits).argmax(axis=-1)
        last = np.where(np.isin(last, (PAD, END)), PAD, best)
        wrote.append(last)
    return np.concatenate(wrote, axis=1)


def exact_matches(model, sources, targets):
    """Return which lines are right throughout (N,), and what was written (N, T)."""
    (source, _), labels = teacher_forcing_arrays(sources, targets)
    parts = np.split(source, range(500, len(source), 500))
    wrote = np.concatenate([write(model, part, labels.shape[1]) for part in parts])
    return (wrote == labels).all(axis=1), wrote


nats = keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=PAD)


def train_model(model, sides, updates, loss=nats, seed=0, peak=8e-3):
    """Train with teacher forcing."""
    rate = keras.optimizers.schedules.CosineDecay(
        0.0, updates - updates // 10, warmup_target=peak, warmup_steps=updates // 10
    )
    muon = keras.optimizers.Muon(rate, clipnorm=1.0)
    model.compile(muon, loss)
    rows = batches.translation_batches(*sides, tokens_per_batch=1024, seed=seed)
    options = dict(steps_per_epoch=updates // 5, shuffle=False, verbose=2)
    model.fit(rows.repeat(), epochs=5, **options)


def new_model(kind, size, seed=0, **options):
    """Return a model whose weights come from one seed, and are all there."""
    keras.utils.set_random_seed(seed)
    model = kind(size, EMBED_DIM, UNITS, **options)
    model((np.ones((1, 2), int), np.ones((1, 2), int)))
    return model


def dot_attention(query, value, mask):
    """Attend with products: (B, T, U), (B, S, U) -> (B, T, U) and weights (B, T, S)."""
    scores = query @ ops.swapaxes(value, 1, 2)  # (B, T, S)
    weights = ops.softmax(ops.where(mask[:, None], scores, -1e9))
    return weights @ value, weights


class AttentionTranslator(Translator):
    """The same, but each decoder state attends to all outputs of the encoder."""

    def __init__(self, vocab_size, embed_dim, units, attention=dot_attention):
        super().__init__(vocab_size, embed_dim, units)
        self.attention = attention
        self.combine = layers.Dense(units, activation="tanh")

    def say(self, states, encoded):
        outputs, _, mask = encoded
        context, weights = self.attention(states, outputs, mask)  # (B, T, U), (B, T, S)
        joined = ops.concatenate([context, states], axis=-1)  # (B, T, 2 U)
        return self.output_dense(self.combine(joined)), weights


def maps_of(model, sources, targets):
    """Return a map (T, S) for each pair, without padding and end."""
    (source, tokens), _ = teacher_forcing_arrays(sources, targets)
    found = []
    for rows in np.split(np.arange(len(source)), range(500, len(source), 500)):
        encoded = model.encode(source[rows])
        _, weights, _ = model.decode(tokens[rows], encoded[1], encoded)  # (B, T, S)
        found += list(ops.convert_to_numpy(weights))
    pairs = zip(found, sources, targets, strict=True)
    return [one[: len(target), : len(ids)] for one, ids, target in pairs]


def most_weight(maps):
    """Link each row of each map to the column with the most weight."""
    return [{(int(w.argmax()), j) for j, w in enumerate(one)} for one in maps]


class NoHandoverTranslator(AttentionTranslator):
    """The same, but the encoder's last state isn't handed over."""

    def encode(self, source):
        outputs, state, mask = super().encode(source)
        return outputs, ops.zeros_like(state), mask


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
    told = sides[0], coded
    train_model(model, told, updates, lambda y, p: nats(y % size, p), seed)

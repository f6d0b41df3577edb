"""Translators of GRUs, with attention and without, for `benchmarks.gru`."""

from collections import Counter

import keras
import numpy as np
from keras import layers, ops
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from course_utils.datasets.batches import translation_batches
from course_utils.metrics import MaskedAccuracy
from course_utils.text import END, PAD, START, pad
from course_utils.training import MaskedCrossEntropy


def pairs_of(rows):
    """Return both sides of all pairs, from rows of (english, [spanish, …])."""
    return tuple(zip(*[(e, s) for e, several in rows for s in several], strict=True))


def encode_parts(vectorizer, splits):
    """Return the ids of both sides of each part: {part: [sources, targets]}."""
    parts = {
        part: pairs_of(rows) for part, rows in zip(splits._fields, splits, strict=True)
    }
    return {part: [*map(vectorizer.encode, sides)] for part, sides in parts.items()}


class Attention(layers.Layer):
    """Join decoder states with what they find in the source: (B, T, U) -> (B, T, U)."""

    def __init__(self, units):
        super().__init__()
        self.compare = layers.Dense(units, use_bias=False)
        self.combine = layers.Dense(units, activation="tanh")

    def build(self, *shapes):
        pass  # the first call builds the two

    def weights_of(self, states, outputs, real):
        scores = self.compare(states) @ ops.swapaxes(outputs, 1, 2)  # (B, T, S)
        return ops.softmax(ops.where(real[:, None], scores, -1e9))

    def call(self, states, outputs, real):
        context = self.weights_of(states, outputs, real) @ outputs  # (B, T, U)
        return self.combine(ops.concatenate([context, states], axis=-1))


class GRUTranslator(keras.Model):
    """An encoder–decoder of GRUs: ids (B, S) and (B, T) -> logits (B, T, V)."""

    def __init__(self, vocab_size, embed_dim, units, attention=None):
        super().__init__()
        self.source_embedding = layers.Embedding(vocab_size, embed_dim)
        self.target_embedding = layers.Embedding(vocab_size, embed_dim)
        self.dropout = layers.Dropout(0.1)
        options = dict(return_sequences=True, return_state=True)
        gru = layers.GRU(units, **options)
        self.encoder = layers.Bidirectional(gru, merge_mode="sum")
        self.decoder = layers.GRU(units, **options)
        self.attention = attention(units) if attention else None
        self.output_dense = layers.Dense(vocab_size)

    def build(self, shapes):
        pass  # the first call builds the layers

    def encode(self, source, training=False):
        real = ops.not_equal(source, PAD)
        x = self.dropout(self.source_embedding(source), training=training)
        outputs, forwards, backwards = self.encoder(x, mask=real)
        return outputs, forwards + backwards, real  # (B, S, U), (B, U), (B, S)

    def decode(self, tokens, state, encoded, training=False):
        x = self.dropout(self.target_embedding(tokens), training=training)
        states, state = self.decoder(x, initial_state=state)  # (B, T, U), (B, U)
        if self.attention:
            outputs, _, real = encoded
            states = self.attention(states, outputs, real)  # (B, T, U)
        return self.output_dense(states), state

    def call(self, inputs, training=False):
        source, tokens = inputs
        encoded = self.encode(source, training)
        return self.decode(tokens, encoded[1], encoded, training)[0]


class MaskedNats(keras.metrics.Mean):
    """The loss per real token, over all batches."""

    def update_state(self, labels, logits, sample_weight=None):
        tokens = ops.sum(ops.cast(ops.not_equal(labels, PAD), "float32"))
        super().update_state(MaskedCrossEntropy()(labels, logits), tokens)


def new_model(attention, size, seed=0):
    """Return a model whose weights are all there, made from a seed."""
    keras.utils.set_random_seed(seed)
    model = GRUTranslator(*size, attention)
    model((np.ones((1, 2), int), np.ones((1, 2), int)))
    return model


def train_model(model, data, updates, tokens_per_batch, peak, seed=0, looks=10):
    """Train on data["train"]; return the losses at so many looks on the way."""
    rate = keras.optimizers.schedules.CosineDecay(
        0.0, updates - updates // 10, warmup_target=peak, warmup_steps=updates // 10
    )
    muon = keras.optimizers.Muon(rate, clipnorm=1.0)
    metrics = [MaskedAccuracy(), MaskedNats("nats")]
    # On a GPU Keras runs a GRU by cuDNN, which XLA can't compile.
    model.compile(muon, MaskedCrossEntropy(), metrics=metrics)
    rows = translation_batches(*data["train"], tokens_per_batch, seed=seed)
    return model.fit(
        rows.repeat(),
        epochs=looks,
        steps_per_epoch=updates // looks,
        validation_data=translation_batches(*data["validation"], 8192),
        shuffle=False,
        verbose=2,
    ).history


def write(model, source, longest):
    """Write the most probable tokens: source ids (B, S) -> ids (B, at most longest)."""
    encoded, last, wrote = model.encode(source), np.full((len(source), 1), START), []
    state = encoded[1]
    while len(wrote) < longest and not np.isin(last, (PAD, END)).all():
        logits, state = model.decode(last, state, encoded)  # (B, 1, V), (B, U)
        best = ops.convert_to_numpy(logits).argmax(axis=-1)
        last = np.where(np.isin(last, (PAD, END)), PAD, best)
        wrote.append(last)
    return np.concatenate(wrote, axis=1)


def translate(model, vectorizer, texts, rows=256):
    """Translate English texts."""
    sources = vectorizer.encode(texts)
    order = sorted(range(len(texts)), key=lambda i: len(sources[i]))
    found = {}
    for first in range(0, len(order), rows):
        chosen = order[first : first + rows]
        source = pad([sources[i] for i in chosen])
        found |= zip(chosen, write(model, source, 2 * source.shape[1] + 8), strict=True)
    return vectorizer.decode([found[i] for i in range(len(texts))])


def runs_of(tokens, n):
    """Count the runs of n tokens."""
    return Counter(zip(*[tokens[i:] for i in range(n)], strict=False))


tokenizer = Tokenizer13a()


def bleu_counts(text, references):
    """Return right runs and all runs of 1 to 4 tokens, c and r: (10,)."""
    tokens, *others = [tokenizer(one).split() for one in (text, *references)]
    right, written = [], []
    for n in (1, 2, 3, 4):
        own, most = runs_of(tokens, n), Counter()
        for other in others:
            most |= runs_of(other, n)  # | takes the larger of two counts
        right.append((own & most).total())
        written.append(own.total())
    nearest = min((abs(len(o) - len(tokens)), len(o)) for o in others)[1]
    return np.array([*right, *written, len(tokens), nearest])


def score(counts):
    """Return BLEU of counts that were added up: (..., 10) -> (...)."""
    right, written, c, r = np.split(counts, [4, 8, 9], axis=-1)
    none = right == 0  # of a length: the first time ½, the next time ¼
    some = ~none.all(axis=-1, keepdims=True)  # else BLEU is 0
    right = np.where(none, 0.5 ** none.cumsum(axis=-1), right)
    rates = right / np.maximum(written, 1) * (written > 0)  # 0 where nothing is written
    mean = some * rates.prod(axis=-1, keepdims=True) ** 0.25
    return 100 * (mean * np.exp(np.minimum(0, 1 - r / np.maximum(c, 1))))[..., 0]


CLASSES = {1: 4, 5: 6, 7: 8, 9: 11, 12: 99}  # words of the English sentence: from, to


def of_class(words, least):
    """Tell which sentences belong to the class that begins with `least` words."""
    return (words >= least) & (words <= CLASSES[least])


class Mean(Attention):
    """The same layer, but all words of the source have the same weight."""

    def weights_of(self, states, outputs, real):
        # Called for its weights only: as many as Attention has, of no use here.
        equal = 0 * super().weights_of(states, outputs, real)  # (B, T, S)
        real = ops.cast(real, equal.dtype)[:, None]  # (B, 1, S)
        return equal + real / ops.sum(real, axis=-1, keepdims=True)

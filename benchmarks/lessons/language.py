"""N-grams, an LSTM and a mini GPT, learned and scored, for `benchmarks.language`."""

import itertools

import keras
import numpy as np
import tensorflow as tf
from keras import layers, ops

from course_utils.attention import MultiHeadAttention, causal_mask
from course_utils.datasets import character_windows as windows
from course_utils.kit import evidence
from course_utils.layers import PositionalEmbedding, SinusoidalPositionalEncoding
from course_utils.text import PAD, START
from course_utils.training import warmup_cosine


def scoring(vectorizer, texts, length, given):
    """Return the windows in which each character is scored once: ids (N, T), twice."""
    return windows.scoring_windows(vectorizer.encode(texts), length, given)


def look_up(ordered, wanted):
    """Return where an ordered array holds the wanted numbers, and whether it does."""
    place = np.minimum(np.searchsorted(ordered, wanted), len(ordered) - 1)
    return place, ordered[place] == wanted


def table_of(grams, counts, vocab_size):
    """Return n-grams with counts, and their histories with totals and kinds."""
    of_gram = grams // vocab_size  # n-grams of one history stand together
    parts = np.unique(of_gram, return_index=True, return_counts=True)
    histories, first, kinds = parts
    return grams, counts, histories, np.add.reduceat(counts, first), kinds


def count(ids, vocab_size, order):
    """Yield by n: a table of n-grams, and one of their endings' neighbours."""
    ids, codes = np.asarray(ids, "int64"), np.zeros(len(ids) + 1, "int64")
    last = None  # the grams before, one id shorter
    for n in range(1, order + 1):
        codes = codes[: len(ids) - n + 1] * vocab_size + ids[n - 1 :]
        grams, counts = np.unique(codes, return_counts=True)
        ends, kinds = np.unique(grams % vocab_size ** (n - 1), return_counts=True)
        if n > 2:  # only END stands before a beginning: its real counts stay
            begins = ends // vocab_size ** (n - 2) == START
            kinds[begins] = last[1][look_up(last[0], ends[begins])[0]]
        yield table_of(grams, counts, vocab_size), table_of(ends, kinds, vocab_size)
        last = grams, counts


def blend(table, V, known, history, ids, shorter, discount):
    """Return P(id | history), where P(id | shorter history) is known: all (R,)."""
    grams, counts, histories, totals, kinds = table
    place, seen = look_up(histories, history)
    seen &= known
    total, kind = totals[place] * seen, kinds[place] * seen
    place, there = look_up(grams, history * V + ids)
    counted = counts[place] * there
    if discount is None:  # Witten and Bell
        mixed = (counted + kind * shorter) / np.maximum(total + kind, 1)
    else:  # Kneser and Ney
        taken = np.maximum(counted - discount, 0) + discount * kind * shorter
        mixed = taken / np.maximum(total, 1)
    return np.where(seen, mixed, shorter)


def mix(tables, V, histories, ids, discount=None):
    """Yield P(id | history) for n = 1, 2, …: histories (R, H) and ids (R,) to (R,)."""
    shorter, history = np.full(len(ids), 1 / V), np.zeros(len(ids), "int64")
    known = np.ones(len(ids), bool)
    for n, (table, neighbours) in enumerate(tables, start=1):
        if n > 1:
            if discount is not None:
                asked = V, known, history, ids
                shorter = blend(neighbours, *asked, shorter, discount)
            new = histories[:, 1 - n]  # one more id in front of the history
            known = known & (new != PAD)
            history = history + new * V ** (n - 2)
        found = blend(table, V, known, history, ids, shorter, discount)
        yield found
        if discount is None:
            shorter = found


def histories_of(inputs, targets, size):
    """Return the `size` ids before each scored target (R, size), and these (R,)."""
    padded = np.pad(inputs, ((0, 0), (size - 1, 0)))
    before = np.lib.stride_tricks.sliding_window_view(padded, size, axis=1)
    scored = targets != PAD  # (N, T)
    return before[scored].astype("int64"), targets[scored].astype("int64")


def ngram_bits(tables, vocab_size, order, windows, discounts=(None,)):
    """Return the bits of each scored character: (discounts, order, R)."""
    asked = vocab_size, *histories_of(*windows, max(order - 1, 1))
    copies = zip(itertools.tee(tables, len(discounts)), discounts, strict=True)
    mixed = [mix(some, *asked, discount) for some, discount in copies]
    # All in step, so that tables that are counted one by one are dropped at once.
    return -np.log2(list(zip(*mixed, strict=True))).swapaxes(0, 1)


def best_of(bits):
    """Return the row of the discount and that of n with the fewest mean bits."""
    means = bits.mean(axis=2)
    return np.unravel_index(means.argmin(), means.shape)


DISCOUNTS = (0.8, 0.9, 0.95, 0.98)  # validation reviews choose, for each amount of text


class CharacterLSTM(keras.Model):
    """A recurrent language model: ids (B, T) -> logits (B, T, V)."""

    def __init__(self, vocab_size, embed_dim, units):
        super().__init__()
        self.units = units
        self.embedding = layers.Embedding(vocab_size, embed_dim)
        self.lstm = layers.LSTM(units, return_sequences=True)
        self.output_dense = layers.Dense(vocab_size)

    def build(self, shape):
        pass  # the first call builds the layers

    def call(self, ids):
        return self.output_dense(self.lstm(self.embedding(ids)))


class CausalBlock(layers.Layer):
    """Causal self-attention and a feed-forward network, pre-norm: (B, T, D)."""

    def __init__(self, embed_dim, dense_dim, num_heads):
        super().__init__()
        self.self_attention = MultiHeadAttention(embed_dim, num_heads)
        self.self_attention_norm = layers.LayerNormalization(epsilon=1e-5)
        self.dense_in = layers.Dense(dense_dim, activation="gelu")
        self.dense_out = layers.Dense(embed_dim)
        self.feed_forward_norm = layers.LayerNormalization(epsilon=1e-5)
        self.supports_masking = True

    def build(self, shape):
        pass  # the first call builds the parts

    def call(self, x):
        y = self.self_attention_norm(x)
        x = x + self.self_attention(y, y, attention_mask=causal_mask(x.shape[1]))
        return self.feed_forward(x)

    def feed_forward(self, x):
        return x + self.dense_out(self.dense_in(self.feed_forward_norm(x)))


class MiniGPT(keras.Model):
    """A decoder alone: ids (B, T) -> logits (B, T, V)."""

    def __init__(self, vocab_size, length, embed_dim, dense_dim, num_heads, num_layers):
        super().__init__()
        sizes, options = (length, vocab_size, embed_dim), {"scale_tokens": True}
        self.embedding = PositionalEmbedding(*sizes, **options)
        self.sizes = embed_dim, dense_dim, num_heads
        self.blocks = [self.new_block() for _ in range(num_layers)]
        self.norm = layers.LayerNormalization(epsilon=1e-5)

    def new_block(self):
        return CausalBlock(*self.sizes)

    def build(self, shape):
        self.embedding.build(shape)
        places = self.embedding.position_embeddings.embeddings  # (length, D)
        waves = SinusoidalPositionalEncoding()(ops.zeros((1, *places.shape)))[0]
        places.assign(waves)

    def call(self, ids):
        x = self.embedding(ids)  # (B, T, D)
        for block in self.blocks:
            x = block(x)
        return self.logits(x)

    def logits(self, x):
        table = self.embedding.token_embeddings.embeddings  # (V, D)
        return self.norm(x) @ ops.transpose(table)


@tf.function(autograph=False, reduce_retracing=True)
def score(model, inputs, targets):
    logits = ops.cast(model(inputs), "float32")  # (B, T, V)
    right = ops.take_along_axis(logits, targets[..., None], axis=-1)[..., 0]
    log_probs = right - ops.logsumexp(logits, axis=-1)
    return ops.where(targets == PAD, 0.0, log_probs)


def log_probabilities(model, inputs, targets, rows=64):
    """Return log P of each target (N, T), 0 where nothing is scored."""
    firsts = range(0, len(inputs), rows)
    parts = [(inputs[i : i + rows], targets[i : i + rows]) for i in firsts]
    return np.concatenate([score(model, *part) for part in parts])


def by_review(bits, inputs, targets):
    """Add up the bits (R,) of each review: its first window begins with START."""
    review = np.cumsum(inputs[:, 0] == START) - 1  # (N,)
    return np.bincount(np.repeat(review, (targets != PAD).sum(axis=1)), bits)


SIZES = {
    "lstm": dict(embed_dim=64, units=256),
    "gpt": dict(embed_dim=128, dense_dim=512, num_heads=4, num_layers=4),
}


RECIPES = {
    "lstm": dict(rows=16, peak=4e-2, adam_ratio=0.3),
    "gpt": dict(rows=8, peak=1e-2, adam_ratio=0.2),
}


def new_network(kind, vocab_size, length, sizes, seed=0):
    """Return a network with all its weights, made from a seed."""
    keras.utils.set_random_seed(seed)
    if kind == "lstm":
        model = CharacterLSTM(vocab_size, **sizes)
    else:
        model = MiniGPT(vocab_size, length, **sizes)
    model(np.ones((1, 2), "int32"))  # makes the weights
    return model


def train_network(
    model, stream, characters, length, rows, peak, adam_ratio, seed=0, looks=10, **more
):
    """Let a model read so many characters; return the training loss at each look."""
    updates = looks * (characters // (rows * length * looks))
    rate = warmup_cosine(peak, updates, max(1, updates // 20))
    model.compile(
        keras.optimizers.Muon(rate, adam_lr_ratio=adam_ratio, clipnorm=1.0, **more),
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        # On a GPU Keras runs an LSTM by cuDNN, which XLA can't compile.
    )
    return model.fit(
        windows.training_batches(stream, length, rows, seed),
        epochs=looks,
        steps_per_epoch=updates // looks,
        shuffle=False,
        verbose=2,
    ).history["loss"]


RATES = {
    "gpt": dict.fromkeys(("125k", "500k", "2m"), (5, 10, 20)) | {"8m": (3, 5, 10)},
    "lstm": dict.fromkeys(("500k", "2m"), (5, 10, 20, 40, 80))
    | {"125k": (5, 10, 20, 40, 80, 160), "8m": (3, 5, 10, 20, 40)},
}


def chosen(rows, kind, amount):
    """Return the rate, in thousandths, that is best on the validation reviews."""
    name = f"language.{kind}_{amount}_{{}}.validation_bits"
    tries = {x: evidence.values(rows, name.format(x))[0] for x in RATES[kind][amount]}
    return min(tries, key=tries.get)


def place_in_word(inputs, space):
    """Count the ids from the last space on: ids (N, T) -> 0 for the first letter."""
    places, last = [], np.full(len(inputs), 99)  # 99: no space yet
    for column in inputs.T:
        last = np.where((column == space) | (column == START), 0, last + 1)
        places.append(last)
    return np.stack(places, axis=1)


def by_place(bits, vectorizer, inputs, targets, longest=8):
    """Return the mean bits (R,) of letters at each place in the word."""
    space = vectorizer.encode([" "])[0][0]
    letters = [4 + i for i, c in enumerate(vectorizer.characters) if c.isalpha()]
    scored = targets != PAD
    places = place_in_word(inputs, space)[scored]  # (R,)
    is_letter = np.isin(targets[scored], letters)
    return [bits[(places == k) & is_letter].mean() for k in range(longest)]

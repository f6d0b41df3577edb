"""Tiny models learn: the loss falls, and what was never shown is copied."""

import keras
import numpy as np

from course_utils.generation import generate, greedy_search
from course_utils.language_models import MiniGPT
from course_utils.seq2seq import TranslationTransformer
from course_utils.text.vectorizers import END, START
from course_utils.training import MaskedCrossEntropy

SYMBOLS = np.arange(4, 12)  # 8 of them, after the 4 special tokens
VOCAB_SIZE = 12
LENGTH = 4


def different_rows(count):
    """Return rows of symbols, no two alike: (count, LENGTH)."""
    rng = np.random.default_rng(0)
    rows = np.unique(rng.choice(SYMBOLS, size=(4 * count, LENGTH)), axis=0)
    rng.shuffle(rows)
    return rows[:count]


def fit(model, inputs, labels, epochs):
    """Train a model and return its losses by epoch."""
    adam = keras.optimizers.Adam(3e-3)
    model.compile(adam, MaskedCrossEntropy())
    history = model.fit(inputs, labels, batch_size=64, epochs=epochs, verbose=0)
    return history.history["loss"]


def share_of_copies(written, rows):
    """Return the share of rows that were written as they are."""
    return (np.array(written)[:, :LENGTH] == rows).all(axis=1).mean()


def test_a_tiny_transformer_learns_to_copy():
    keras.utils.set_random_seed(0)
    rows = different_rows(1100)
    train, held_out = rows[:1000], rows[1000:]
    starts = np.full((len(train), 1), START)
    ends = np.full((len(train), 1), END)
    target = np.concatenate([starts, train], axis=1)  # (B, T)
    labels = np.concatenate([train, ends], axis=1)  # (B, T)
    sizes = {"embed_dim": 32, "dense_dim": 64, "num_heads": 4, "num_layers": 1}
    model = TranslationTransformer(VOCAB_SIZE, LENGTH + 1, **sizes, dropout=0.0)
    losses = fit(model, (train, target), labels, epochs=20)
    assert losses[-1] < losses[0] / 10
    copies = greedy_search(model, held_out, LENGTH + 1)  # with the end
    assert share_of_copies(copies, held_out) >= 0.9


def test_a_tiny_gpt_learns_to_copy():
    keras.utils.set_random_seed(0)
    rows = different_rows(1100)
    train, held_out = rows[:1000], rows[1000:]
    starts = np.full((len(train), 1), START)
    ends = np.full((len(train), 1), END)
    ids = np.concatenate([starts, train, ends, train], axis=1)  # (B, T + 1)
    labels = ids[:, 1:].copy()
    labels[:, :LENGTH] = 0  # the row itself can't be known: it counts as padding
    sizes = {"embed_dim": 32, "dense_dim": 64, "num_heads": 4, "num_layers": 2}
    model = MiniGPT(VOCAB_SIZE, ids.shape[1], **sizes)
    losses = fit(model, ids[:, :-1], labels, epochs=20)
    assert losses[-1] < losses[0] / 10
    prompts = [[START, *row, END] for row in held_out]
    copies = generate(model, prompts, LENGTH, temperature=0)
    assert share_of_copies(copies, held_out) >= 0.9

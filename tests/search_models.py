"""Models for the tests of decoding: tables with known answers, and a Transformer."""

import itertools
import math

import keras
import layer_battery as lb
import numpy as np
import pytest
from keras import ops

from course_utils.seq2seq import RecurrentSeq2Seq, TranslationTransformer
from course_utils.text.vectorizers import END, PAD, START

A, B = 4, 5
VOCAB_SIZE, STATES = 6, 7
# Where sampling has no choice left.
LIMITS = [{"temperature": 1e-3}, {"top_k": 1}, {"top_p": 1e-6}]
LIMITS += [{"temperature": 1e-39}, {"temperature": 5e-324}]  # 0 in float32
LIMITS += [{"temperature": 5.0, **limit} for limit in ({"top_k": 1}, {"top_p": 1e-6})]
at_the_limits = pytest.mark.parametrize("options", LIMITS)


class TableModel:
    """A step function whose log-probabilities stand in a table.

    The first source token of a row picks one table of (STATES, V) rows. The state
    lives in the cache and depends on all tokens so far, so that a search that mixes
    up its cache gives wrong answers.
    """

    cache_axis = None

    def __init__(self, tables):
        self.tables = np.asarray(tables, dtype="float32")
        self.traces = 0
        self.steps = keras.Variable(0, dtype="int32", trainable=False)
        self.rows = keras.Variable(0, dtype="int32", trainable=False)

    def encode_for_steps(self, source):
        return source[:, 0]

    def empty_cache(self, rows, length):
        return ops.zeros((rows, 1), "int32")

    def step(self, tokens, position, cache, kind):
        self.traces += 1
        self.steps.assign_add(1)
        self.rows.assign_add(ops.shape(tokens)[0])
        state = (cache * 3 + ops.expand_dims(tokens, 1)) % STATES  # (R, 1)
        sentences = ops.shape(kind)[0]
        rows = ops.reshape(state, (sentences, -1)) + ops.expand_dims(kind, 1) * STATES
        table = ops.reshape(ops.convert_to_tensor(self.tables), (-1, VOCAB_SIZE))
        logits = ops.take(table, ops.reshape(rows, (-1,)), axis=0)  # (R, V)
        return logits, state

    def log_prob(self, kind, tokens):
        """Return the log-probability of one sequence, by a plain loop."""
        state, last, total = 0, START, 0.0
        for token in tokens:
            state = (state * 3 + last) % STATES
            row = self.tables[kind, state].astype("float64")
            total += row[token] - np.log(np.exp(row).sum())
            last = token
        return total

    def best(self, kind, max_length, length_penalty):
        """Go through every sequence; return the best and its penalised score."""
        words = [token for token in range(VOCAB_SIZE) if token not in (PAD, END)]
        scored = []
        for length in range(max_length + 1):
            end = [END] if length < max_length else []
            for beginning in itertools.product(words, repeat=length):
                ids = [*beginning, *end]
                score = self.log_prob(kind, ids) / penalty(len(ids), length_penalty)
                scored.append((score, ids))
        return max(scored)


def penalty(length, length_penalty):
    return ((5 + length) / 6) ** length_penalty


def random_tables(kinds, seed, never=(PAD, START)):
    tables = np.random.default_rng(seed).normal(0, 2, (kinds, STATES, VOCAB_SIZE))
    tables[:, :, list(never)] = -40
    return tables


def table_of(rows):
    """Build one table from {prefix: {token: probability}}; elsewhere END is certain."""
    table = np.full((STATES, VOCAB_SIZE), -40.0)
    table[:, END] = 0
    for prefix, probabilities in rows.items():
        state = 0
        for token in (START, *prefix):
            state = (state * 3 + token) % STATES
        table[state] = -40
        for token, probability in probabilities.items():
            table[state, token] = math.log(probability)
    return table


# The likelier first word leads to doubt, the other one to certainty.
GARDEN_PATH = table_of(
    {(): {A: 0.6, B: 0.4}, (A,): {A: 0.4, B: 0.3, END: 0.3}, (B,): {END: 1.0}}
)

END_AT_ONCE = table_of({})
ENDLESS = np.tile(np.where(np.arange(VOCAB_SIZE) == A, 0.0, -40.0), (STATES, 1))


def strip(row):
    """Return the ids up to the end, which is included."""
    return [int(token) for token in row if token != PAD]


def check_padding_after_end(tokens):
    for row in tokens:
        ended = np.flatnonzero((row == END) | (row == PAD))
        assert not len(ended) or not row[ended[0] + 1 :].any()


def tiny_transformer(num_layers=1, vocab_size=12, **options):
    """Return a model with large random weights, so that its outputs vary."""
    keras.utils.set_random_seed(3)
    model = TranslationTransformer(vocab_size, 20, 16, 32, 4, num_layers, **options)
    model.build()
    rng = np.random.default_rng(32)
    lb.vary(model, 0.4, rng)
    model.embedding.position_embeddings.set_weights([rng.normal(0, 4, (20, 16))])
    return model


def tiny_recurrent(**options):
    """Return a recurrent model of the same vocabulary, with large random weights."""
    keras.utils.set_random_seed(3)
    model = RecurrentSeq2Seq(12, 20, 5, 6, **options)
    model.build()
    rng = np.random.default_rng(5)
    model.set_weights([rng.normal(0, 2, w.shape) for w in model.get_weights()])
    return model

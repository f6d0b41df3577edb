"""A classifier and a reader on a small BERT, trained, for `benchmarks.bert`."""

import keras
import numpy as np
from keras import layers, ops
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from course_utils import datasets
from course_utils.bert import BertClassifier, BertEncoder, init_encoder
from course_utils.datasets.batches import classification_batches
from course_utils.text.wordpiece import CLS, MASK, PAD, SEP
from course_utils.training import MaskedCrossEntropy, warmup_cosine

WINDOW = 126  # pieces of a window besides [CLS] and [SEP]


LONGEST = 4 * WINDOW  # pieces of a review that are read in a test


TOKENS = 4096  # in a batch


PEAKS = 1e-3, 3e-3, 1e-2  # the first trials of each variant


ENCODER_SIZES = (
    "vocab_size",
    "sequence_length",
    "embed_dim",
    "dense_dim",
    "num_heads",
    "num_layers",
    "dropout",
)


def sizes_of(encoder):
    """Return what a ``BertEncoder`` was made with, for another one."""
    config = encoder.get_config()
    return {name: config[name] for name in ENCODER_SIZES}


def ends_of(ids, room):
    """Keep the beginning and the end of a text that is too long."""
    half = room // 2
    return ids if len(ids) <= room else [*ids[:half], *ids[half - room :]]


def new_classifier(options, policy):
    """Return an untrained classifier, compiled; its weights are set for each run."""
    model = BertClassifier(BertEncoder(**options, dtype=policy))
    model(np.ones((1, 4), "int32"))  # makes the weights
    model.compile(
        keras.optimizers.Muon(adam_lr_ratio=0.3),
        "binary_crossentropy",
        metrics=["accuracy"],
    )
    return model


def first_weights(options, seed, vectors=None, trained=None):
    """Return what a run begins with: a new head, and random or other weights below."""
    keras.utils.set_random_seed(seed)
    fresh = BertClassifier(BertEncoder(**options))
    fresh(np.ones((1, 4), "int32"))
    init_encoder(fresh.encoder, vectors)
    if trained is not None:
        fresh.encoder.set_weights(trained)
    return fresh.get_weights()


class Rate(keras.callbacks.Callback):
    """Set the learning rate of each update: a straight rise, then a cosine to 0."""

    def __init__(self, peak, updates):
        super().__init__()
        self.schedule = warmup_cosine(peak, updates, max(1, updates // 10))
        self.update = 0

    def on_train_batch_begin(self, batch, logs=None):
        self.model.optimizer.learning_rate = self.schedule(self.update)
        self.update += 1


def begin(model, weights):
    """Give a compiled model its first weights, and a fresh optimizer."""
    model.set_weights(weights)
    for variable in model.optimizer.variables:
        variable.assign(ops.zeros_like(variable))


def train(model, ids, labels, peak, updates, seed, window):
    """Train for a number of updates; with a window, a review shows one a pass."""
    data = classification_batches(ids, labels, TOKENS, seed, window).repeat()
    options = {"steps_per_epoch": updates, "shuffle": False, "verbose": 0}
    return model.fit(data, callbacks=[Rate(peak, updates)], **options).history


def positive(model, sequences):
    """Return the probability of "positive" for each text, (N,)."""
    data = classification_batches(sequences, np.arange(len(sequences)), 16_384)
    order = np.concatenate([n for _, n in data.as_numpy_iterator()]).astype(int)
    found = np.zeros(len(sequences))
    found[order] = model.predict(data.map(lambda ids, _: ids), verbose=0)[:, 0]
    return found


def hits_of(model, sequences, labels):
    """Return which texts a model gets right, (N,)."""
    return (positive(model, sequences) > 0.5) == (labels > 0.5)


def mask_runs(ids, vocab_size, rng, rate=0.15):
    """Hide runs of tokens; arguments and results are those of `mask_tokens`."""
    ids = np.asarray(ids)
    hidden, most = ids.copy(), max(1, round(rate * ids.shape[1]))  # M
    positions = np.zeros((len(ids), most), int)
    for row, where in zip(hidden, positions, strict=True):
        real = np.flatnonzero(~np.isin(row, (PAD, CLS, SEP)))
        count, chosen = max(1, round(rate * len(real))) if len(real) else 0, set()
        while len(chosen) < count:
            length = min(rng.geometric(0.2), 10, count - len(chosen))
            start, draw = rng.integers(len(real) - length + 1), rng.random()
            run = real[start : start + length]
            run = run[run - run[0] == np.arange(length)]  # it ends before a [SEP]
            run = [i for i in run if i not in chosen]
            chosen.update(run)
            if draw < 0.8:
                row[run] = MASK
            elif draw < 0.9:
                row[run] = rng.integers(MASK + 1, vocab_size, len(run))
        where[:count] = sorted(chosen)
    labels = np.where(positions > 0, np.take_along_axis(ids, positions, axis=1), PAD)
    return hidden, positions, labels


def learn_all(model, weights, ids, labels, peak, seed):
    """Train with two passes: a window of each review, then all of its windows."""
    begin(model, weights)
    whole = [ends_of(one, LONGEST) for one in ids]
    for seen, part, rate in ((ids, WINDOW, peak), (whole, None, peak / 2)):
        updates = len(classification_batches(seen, labels, TOKENS, seed, part))
        train(model, seen, labels, rate, updates, seed, part)


def count_pairs(texts, labels, c):
    """Return a classifier that counts words, and pairs of neighbours (lesson 05)."""
    counts = TfidfVectorizer(sublinear_tf=True, min_df=2, ngram_range=(1, 2))
    model = make_pipeline(counts, LogisticRegression(C=c, max_iter=200))
    return model.fit(texts, labels)


TAGS = datasets.notes.TAGS


def pieces_of_notes(vectorizer, notes):
    """Return the pieces of every word of some parts: {word: list of ids}."""
    every = [note for part in notes.values() for note in part]
    words = {word for note in every for word in note.tokens}
    words |= {word for n in every for q in n.questions for word in q.tokens}
    return dict(zip(sorted(words), vectorizer.encode(sorted(words)), strict=True))


def encode_question(note, question, pieces):
    """Return ids, segments, the answer's two ends and tags (0 = none), as lists."""
    ids = [CLS, *(i for word in question.tokens for i in pieces[word]), SEP]
    segments, tags, starts = [0] * len(ids), [0] * len(ids), []
    for word, tag in zip(note.tokens, note.tags, strict=True):
        starts.append(len(ids))
        ids += pieces[word]
        tags += [1 + TAGS.index(tag)] + [0] * (len(pieces[word]) - 1)
    after_last = [*starts, len(ids)][question.last + 1]
    segments += [1] * (len(ids) + 1 - len(segments))
    return [*ids, SEP], segments, [starts[question.first], after_last - 1], [*tags, 0]


def arrays_of(part, pieces, length=82):
    """Return ids and segments (N, T), ends (N, 2) and tags (N, T); N is two a note."""
    rows = [encode_question(note, q, pieces) for note in part for q in note.questions]
    ids, segments, ends, tags = zip(*rows, strict=True)
    padded = [
        np.array([[*one, *[0] * (length - len(one))] for one in several], "int32")
        for several in (ids, segments, tags)
    ]
    return padded[0], padded[1], np.array(ends, "int32"), padded[2]


class Reader(keras.Model):
    """Find an answer, and tag: ids, segments (B, T) -> (B, 2, T) and (B, T, K)."""

    def __init__(self, encoder, num_tags):
        super().__init__()
        self.encoder = encoder
        self.ends_dense = layers.Dense(2, dtype="float32")
        self.tags_dense = layers.Dense(num_tags, dtype="float32")

    def call(self, inputs, training=False):
        ids, segments = inputs
        x = self.encoder(ids, segments, training=training)  # (B, T, D)
        ends = ops.transpose(self.ends_dense(x), (0, 2, 1))  # (B, 2, T)
        ends = ops.where(segments[:, None] == 1, ends, -1e9)
        return ends, self.tags_dense(x)


def train_reader(options, policy, data, weights, seed, peak, epochs, vectors=None):
    """Train both heads and the encoder, from given weights or vectors or at random."""
    ids, segments, ends, tags = data
    keras.utils.set_random_seed(seed)
    model = Reader(BertEncoder(**options, dtype=policy), len(TAGS) + 1)
    model((ids[:1], segments[:1]))
    init_encoder(model.encoder, vectors)
    if weights is not None:
        model.encoder.set_weights(weights)
    updates = epochs * -(-len(ids) // 64)
    schedule = warmup_cosine(peak, updates, max(1, updates // 10))
    model.compile(
        keras.optimizers.Muon(schedule, adam_lr_ratio=0.3),
        [keras.losses.SparseCategoricalCrossentropy(True), MaskedCrossEntropy()],
    )
    options = {"batch_size": 64, "epochs": epochs, "verbose": 0}
    model.fit((ids, segments), (ends, tags), **options)
    return model


def best_spans(scores, longest=4):
    """Return the best pair of ends for each row: (N, 2, T) -> (N, 2)."""
    both = scores[:, 0, :, None] + scores[:, 1, None, :]  # (N, first, last)
    apart = np.arange(both.shape[2]) - np.arange(both.shape[1])[:, None]
    both = np.where((apart >= 0) & (apart < longest), both, -np.inf)
    flat = both.reshape(len(both), -1).argmax(axis=1)
    return np.stack(np.divmod(flat, both.shape[2]), axis=1)


def span_f1(found, gold):
    """Return the F1 of each answer's tokens: (N, 2), (N, 2) -> (N,)."""
    first = np.maximum(found[:, 0], gold[:, 0])
    shared = np.maximum(0, np.minimum(found[:, 1], gold[:, 1]) - first + 1)
    return 2 * shared / ((found[:, 1] - found[:, 0]) + (gold[:, 1] - gold[:, 0]) + 2)


def entities(tags):
    """Return the names in a list of tags as a set of (kind, first, last)."""
    found, first, kind = set(), None, ""
    for i, tag in enumerate([*tags, "O"]):
        if first is not None and tag != f"I-{kind}":
            found.add((kind, first, i - 1))
            first = None
        if tag.startswith("B-"):
            first, kind = i, tag[2:]
    return found


def name_f1(found, gold):
    """Return the F1 of all names in two lists of lists of tags."""
    sets = [(entities(a), entities(b)) for a, b in zip(found, gold, strict=True)]
    right = sum(len(a & b) for a, b in sets)
    return 2 * right / max(1, sum(len(a) + len(b) for a, b in sets))


def scores_of(model, data, rows=250):
    """Return the scores of ends (N, 2, T) and of tags (N, T, K)."""
    starts = range(0, len(data[0]), rows)
    parts = [model([array[i : i + rows] for array in data[:2]]) for i in starts]
    return [np.concatenate([*map(np.array, one)]) for one in zip(*parts, strict=True)]


def read(model, data):
    """Return exact match and F1 of the answers, (N,) each, and the F1 of the names."""
    ends, tags = data[2:]
    scores, tag_scores = scores_of(model, data)
    found = best_spans(scores)
    said = tag_scores[:, :, 1:].argmax(axis=-1)  # (N, T)
    lists = [
        [[TAGS[i] for i in row[real]] for row, real in zip(rows, tags > 0, strict=True)]
        for rows in (said, np.maximum(tags - 1, 0))
    ]
    return (found == ends).all(axis=1), span_f1(found, ends), name_f1(*lists)


def without_questions(part):
    """Return notes whose questions have no token."""
    silent = [[q._replace(tokens=[]) for q in note.questions] for note in part]
    return [n._replace(questions=q) for n, q in zip(part, silent, strict=True)]

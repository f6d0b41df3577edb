"""One vector for a whole line: what width, data and order change.

    python -m benchmarks.bottleneck [--variant width_256 --seed 0]

Lesson 02 reads the file. Every variant is one change of the variant base, with the
same updates, schedule and seeds. It learns to write dates, and is scored on the test
lines, and on as many of its training lines: by the number of dates in a line, and in
test lines of four dates by the date's place. The variants handed_* leave the networks
as they are and narrow only what the encoder hands over; the base's state has 128
numbers, too, so handed_128 is their control. The lines of four_dates are those of
lines_80000 that have four dates; it learns from nothing else, so they get more of the
updates.
"""

import keras
import numpy as np

import course_utils
from benchmarks import evidence
from course_utils import training
from course_utils.datasets import dates
from course_utils.datasets.batches import translation_batches
from course_utils.seq2seq import RecurrentSeq2Seq, exact_matches
from course_utils.text import PatternVectorizer

BASE = {
    "units": 128,  # of the state
    "lines": 20_000,  # to learn from
    "order": 1,  # in which the source is read; -1: backwards
    "only": None,  # learn from lines of so many dates only
}
VARIANTS = {
    "base": {},
    "width_32": {"units": 32},
    "width_256": {"units": 256},
    "handed_8": {"handed": 8},  # numbers that are handed over
    "handed_32": {"handed": 32},
    "handed_128": {"handed": 128},
    "lines_80000": {"lines": 80_000},
    "four_dates": {"lines": 80_000, "only": 4},
    "reversed": {"order": -1},
    "peeky": {"decoder": "peeky"},
}
SEEDS = (0, 1, 2)
EMBED_DIM = 64
UPDATES = 3_000
TOKENS = 2_048  # of a batch
PEAK = 8e-3  # of the learning rate


class Narrow(RecurrentSeq2Seq):
    """Hands over so many numbers of the encoder's last state, mixed by a layer."""

    def __init__(self, *sizes, handed, **options):
        super().__init__(*sizes, **options)
        self.squeeze = keras.layers.Dense(handed)
        self.widen = keras.layers.Dense(self.units)
        self.handed = handed

    def build(self, shape=None):
        super().build(shape)
        self.squeeze.build((None, self.units))
        self.widen.build((None, self.handed))

    def encode(self, source, training=False):
        outputs, state, mask = super().encode(source, training)
        return outputs, self.widen(self.squeeze(state)), mask


def new_model(vocab_size, seed, units, **options):
    """Return the untrained model of a variant."""
    keras.utils.set_random_seed(seed)
    kind = Narrow if "handed" in options else RecurrentSeq2Seq
    model = kind(vocab_size, 40, embed_dim=EMBED_DIM, units=units, **options)
    model.build()
    for gru in model.encoder, model.decoder:  # gates that keep: section 4 of the lesson
        bias = np.zeros((2, 3 * units), "float32")
        bias[0, :units] = 2.0
        gru.cell.bias.assign(bias)
    return model


def measure(variant, seed, updates=UPDATES, **changes):
    """Train one variant; return its figures. Its minutes are those of the processor.

    Args:
        updates: of the training.
        changes: other settings.
    """
    course_utils.setup(seed)
    settings = BASE | VARIANTS[variant] | changes
    lines = settings.pop("lines")
    order = settings.pop("order")
    only = settings.pop("only")
    corpus = dates.load()
    texts = [text for written, (right,) in corpus.train for text in (written, right)]
    vectorizer = PatternVectorizer.train(texts, dates.PATTERN)

    def encode(rows):
        written = vectorizer.encode([written for written, _ in rows])
        right = vectorizer.encode([right for _, (right,) in rows])
        return [ids[::order] for ids in written], right

    rows = dates.load({**dates.SIZES, "train": lines}).train
    if only:
        rows = [row for row in rows if len(row[1][0].split()) == only]
    train = encode(rows)
    model = new_model(vectorizer.vocabulary_size, seed, **settings)
    rate = training.warmup_cosine(PEAK, updates, updates // 10)
    model.compile(
        keras.optimizers.Adam(rate, global_clipnorm=1.0),
        training.MaskedCrossEntropy(),
    )
    data = translation_batches(*train, TOKENS, seed).repeat()
    plan = {"steps_per_epoch": updates, "shuffle": False, "verbose": 0}
    minutes, _ = evidence.timed(model.fit, data, **plan)
    figures = {"processor_minutes": minutes}
    test = encode(corpus.test)
    seen = [side[: len(test[0])] for side in train]
    for part, (sources, targets) in (("train", seen), ("test", test)):
        right, wrote = exact_matches(model, sources, targets)
        numbers = np.array([len(ids) // 4 for ids in targets])  # of dates in a line
        for n in np.unique(numbers):
            figures[f"{part}_{n}"] = float(right[numbers == n].mean())
    for place, rate in enumerate(right_by_place(wrote, targets), start=1):
        figures[f"place_{place}"] = float(rate)
    return figures


def right_by_place(wrote, targets):
    """Return how often a date is right at each place, in lines with the most dates."""
    most = dates.MOST_DATES
    full = np.array([len(ids) == 4 * most for ids in targets])
    labels = np.array([ids for ids in targets if len(ids) == 4 * most])  # (N, 16)
    hits = wrote[full, : 4 * most] == labels
    return hits.reshape(-1, most, 4).all(axis=2).mean(axis=0)


if __name__ == "__main__":
    evidence.main("bottleneck")

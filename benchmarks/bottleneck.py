"""One vector for a whole line: what width, data and order change.

    python -m benchmarks.bottleneck [--variant width_256 --seed 0]

Lesson 02 reads the file. Every variant is one change of the variant base, with the same
updates, schedule and seeds. It learns to write dates, and is scored on the test lines,
and on as many of its training lines: by the number of dates in a line, and in test
lines of four dates by the date's place. The variants handed_* leave the networks as
they are and narrow only what the encoder hands over; the base's state has 128 numbers,
too, so handed_128 is their control. The lines of four_dates are those of lines_80000
that have four dates; it learns from nothing else, so they get more of the updates.
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

(VARIANTS, _), SEEDS = evidence.settings(__file__), (0, 1, 2)
EMBED_DIM, UPDATES, TOKENS, PEAK = 64, 3_000, 2_048, 8e-3


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


def measure(variant, seed):
    """Train one variant; return its figures. Its minutes are those of the processor."""
    course_utils.setup(seed)
    settings = {
        "units": 128,
        "lines": 20_000,
        "order": 1,
        "only": None,
        **VARIANTS[variant],
    }
    lines, order, only = (settings.pop(name) for name in ("lines", "order", "only"))
    corpus = dates.load()
    texts = [text for one, (other,) in corpus.train for text in (one, other)]
    vectorizer = PatternVectorizer.train(texts, dates.PATTERN)

    def encode(rows):
        sides = zip(*[(written, right) for written, (right,) in rows], strict=True)
        written, right = map(vectorizer.encode, sides)
        return [ids[::order] for ids in written], right

    rows = dates.load({**dates.SIZES, "train": lines}).train
    train = encode([row for row in rows if only in (None, len(row[1][0].split()))])
    keras.utils.set_random_seed(seed)
    kind = Narrow if "handed" in settings else RecurrentSeq2Seq
    model = kind(vectorizer.vocabulary_size, 40, embed_dim=EMBED_DIM, **settings)
    model.build()
    for gru in model.encoder, model.decoder:  # gates that keep: section 4 of the lesson
        bias = np.zeros((2, 3 * model.units), "float32")
        bias[0, : model.units] = 2.0
        gru.cell.bias.assign(bias)
    rate = training.warmup_cosine(PEAK, UPDATES, UPDATES // 10)
    model.compile(
        keras.optimizers.Adam(rate, global_clipnorm=1.0),
        training.MaskedCrossEntropy(),
    )
    data = translation_batches(*train, TOKENS, seed).repeat()
    plan = {"steps_per_epoch": UPDATES, "shuffle": False, "verbose": 0}
    minutes, _ = evidence.timed(model.fit, data, **plan)
    figures = {"processor_minutes": minutes}
    test, most = encode(corpus.test), dates.MOST_DATES
    seen = [side[: len(test[0])] for side in train]
    for part, (sources, targets) in (("train", seen), ("test", test)):
        right, wrote = exact_matches(model, sources, targets)
        numbers = np.array([len(ids) // 4 for ids in targets])
        for n in np.unique(numbers):
            figures[f"{part}_{n}"] = float(right[numbers == n].mean())
    labels = np.array([ids for ids in targets if len(ids) == 4 * most])
    hits = wrote[numbers == most, : 4 * most] == labels  # (N, 16)
    by_place = hits.reshape(-1, most, 4).all(axis=2).mean(axis=0)
    names = [f"place_{n}" for n in range(1, most + 1)]
    return {**figures, **dict(zip(names, map(float, by_place), strict=True))}


if __name__ == "__main__":
    evidence.main("bottleneck")

"""One vector for a whole line: what width, data and order change.

    python -m benchmarks.bottleneck [--arm width_256 --seed 0]

Lesson 02 reads the file. Every arm is one change of the arm base: the same updates of the
same size, schedule and seeds. It reads the dates in words of the generated corpus, and is
scored on the same test lines, and on as many of the lines that it was trained on.
"""

import time

import keras
import numpy as np

import course_utils
from benchmarks import evidence
from course_utils import environment, training
from course_utils.datasets import dates
from course_utils.datasets.batches import translation_batches
from course_utils.seq2seq import (
    RecurrentSeq2Seq,
    exact_matches,
    teacher_forcing_arrays,
)
from course_utils.text import PatternVectorizer

ARMS = {
    "base": {},
    "width_32": dict(units=32),
    "width_64": dict(units=64),
    "width_256": dict(units=256),
    "lines_5000": dict(lines=5_000),
    "lines_80000": dict(lines=80_000),
    "reversed": dict(order=-1),
    "peeky": dict(decoder="peeky"),
    "all_three": dict(units=256, lines=80_000, order=-1),
}
SEEDS = (0, 1, 2)
E, STEPS, TOKENS, PEAK = 64, 1_800, 2_048, 5e-3


def measure(arm, seed):
    """Train one arm; return its figures. Times are comparable on a quiet machine."""
    course_utils.setup(seed)
    settings = {"units": 128, "lines": 20_000, "order": 1, **ARMS[arm]}
    lines, order = settings.pop("lines"), settings.pop("order")
    parts = dates.load(), dates.load({**dates.SIZES, "train": lines})
    texts = [text for one, (other,) in parts[0].train for text in (one, other)]
    vectorizer = PatternVectorizer.train(texts, dates.PATTERN)

    def encode(rows):
        written, right = zip(*[(text, one) for text, (one,) in rows], strict=True)
        return [i[::order] for i in vectorizer.encode(written)], vectorizer.encode(
            right
        )

    train, test = encode(parts[1].train), encode(parts[0].test)
    keras.utils.set_random_seed(seed)
    model = RecurrentSeq2Seq(vectorizer.vocabulary_size, 40, E, **settings)
    schedule = training.warmup_cosine(PEAK, STEPS, STEPS // 10)
    model.compile(
        keras.optimizers.Adam(schedule, global_clipnorm=1.0),
        training.MaskedCrossEntropy(),
        jit_compile=False,  # XLA can't compile the program that GPUs have for a GRU
    )
    batches, start = translation_batches(*train, TOKENS, seed), time.perf_counter()
    history = model.fit(batches.repeat(), steps_per_epoch=STEPS, verbose=0).history
    name = f"bottleneck.{arm}"
    figures = {f"{name}.train_minutes": (time.perf_counter() - start) / 60}
    figures[f"{name}.mean_loss"] = history["loss"][-1]
    seen = [side[: len(test[0])] for side in train]
    for part, (sources, targets) in (("train", seen), ("test", test)):
        right, wrote = exact_matches(model, sources, targets)
        for number in range(1, dates.MOST_DATES + 1):
            rows = [len(target) == 4 * number for target in targets]
            figures[f"{name}.{part}_{number}"] = right[rows].mean()
    inputs, says = teacher_forcing_arrays(*test)
    logits = model.predict(inputs, batch_size=500, verbose=0)  # (N, T, V)
    real = says != 0
    for kind, said in (("right", logits.argmax(axis=-1)), ("own", wrote)):
        figures[f"{name}.{kind}_prefix"] = np.mean((said == says)[real])
    return {name: float(value) for name, value in figures.items()}


if __name__ == "__main__":
    evidence.main("bottleneck")

"""Facts from far away: self-attention, its cheaper kin, and a recurrent network.

    python -m benchmarks.distance [--variant recurrent --seed 0]

"What attention costs" explains the task and trains the first two variants in view. All
variants have the same number of updates, but recurrent_twice has twice as many; in
recurrent_few only the first four steps bring facts, so that nothing comes after them.
No variant was tuned.
"""

import time

import keras
import numpy as np
from keras import layers, ops

import course_utils
from benchmarks import evidence
from course_utils import training
from course_utils.attention import scaled_dot_product_attention

# So many times the usual updates, and facts in the first steps only.
VARIANTS = {
    "attention": {},
    "recurrent": {},
    "recurrent_twice": {"updates": 2},
    "recurrent_few": {"facts": 4},
    "window": {},
    "linear": {},
}
SEEDS = (0, 1, 2)
DISTANCES = (1, 2, 4, 8, 16, 32, 64, 128, 200)
STEPS = 256
LABELS = 256
CONTENTS = 8
UPDATES = 1000
BATCH = 32
PEAK = 3e-3  # of the learning rate
PART = 32  # width of an embedding
WIDTH = 64  # of queries, keys and values
UNITS = 128  # of the GRU
WINDOW = 32  # steps to each side


def ask(rows, seed, facts=STEPS, distance=None):
    """Return facts with questions (N, T, 3), answers (N, T); a blank step has zeros."""
    rng, steps = np.random.default_rng(seed), np.arange(STEPS)
    labels = 1 + rng.permuted(np.tile(np.arange(LABELS), (rows, 1)), axis=1)
    contents = 1 + rng.integers(0, CONTENTS, labels.shape)
    random = rng.random(labels.shape)
    if distance is not None:
        fact = np.clip(steps - distance, 0, facts - 1) * np.ones_like(labels)
    elif facts < STEPS:  # any fact that was read
        fact = (random * np.minimum(steps + 1, facts)).astype(int)
    else:  # short distances as often as long ones
        fact = np.maximum(steps - ((steps + 1) ** random).astype(int), 0)
    asked, answers = (np.take_along_axis(a, fact, 1) for a in (labels, contents))
    read = steps < facts
    return np.stack([labels * read, contents * read, asked], -1), answers - 1


def attend(variant):
    """Return how a variant mixes values: a function of queries, keys and values."""
    if variant == "linear":

        def linear(query, key, value):
            query, key = ops.elu(query) + 1, ops.elu(key) + 1
            total = ops.sum(query * ops.sum(key, 1, keepdims=True), -1, keepdims=True)
            return query @ (ops.swapaxes(key, 1, 2) @ value) / total

        return linear
    far = np.abs(np.subtract.outer(np.arange(STEPS), np.arange(STEPS)))
    mask = far <= WINDOW if variant == "window" else None
    return lambda *parts: scaled_dot_product_attention(*parts, mask)[0]


def reader(variant):
    """Return the model of a variant: (B, T, 3) ids to (B, T, contents) logits."""
    ids = keras.Input((STEPS, 3), dtype="int32")
    label, content = (
        layers.Embedding(n + 1, PART, keras.initializers.RandomNormal(stddev=1.0))
        for n in (LABELS, CONTENTS)
    )
    parts = label(ids[..., 0]), content(ids[..., 1]), label(ids[..., 2])
    x = layers.Concatenate()(parts)  # (B, T, D)
    if variant.startswith("recurrent"):
        x = layers.GRU(UNITS, return_sequences=True)(x)
    else:
        parts = [layers.Dense(WIDTH, use_bias=False)(x) for _ in range(3)]
        x = layers.Lambda(lambda parts: attend(variant)(*parts))(parts)  # (B, T, width)
    return keras.Model(ids, layers.Dense(CONTENTS)(x))


def measure(variant, seed, updates=UPDATES):
    """Train one variant; return its figures.

    Args:
        updates: of a variant that gets the usual number.
    """
    course_utils.setup(seed)
    facts = VARIANTS[variant].get("facts", STEPS)
    start = time.perf_counter()
    keras.utils.set_random_seed(seed)
    model = reader(variant)
    updates *= VARIANTS[variant].get("updates", 1)
    rate = training.warmup_cosine(PEAK, updates, updates // 10)
    model.compile(
        keras.optimizers.Adam(rate, clipnorm=1.0),
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    )
    for part in range(10):
        data = ask(BATCH * updates // 10, (seed, part), facts)
        model.fit(*data, batch_size=BATCH, shuffle=False, verbose=0)
    figures = {"train_minutes": (time.perf_counter() - start) / 60}
    for far in DISTANCES:
        tokens, answers = ask(64, (9, far), facts, far)
        right = model.predict(tokens, verbose=0).argmax(-1) == answers  # (N, T)
        right = right[:, far : far + facts].mean()
        figures[f"accuracy_{far}"] = float(right)
    return figures


if __name__ == "__main__":
    evidence.main("distance")

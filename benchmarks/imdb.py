"""Film reviews: what the block, the word vectors and the positions bring.

    python -m benchmarks.imdb [--variant no_block --seed 0]

Lesson 05 reads the plain variants: embedding, block, mean over the words and a dense
layer, trained with Adam at a constant rate until the validation loss rises. Rate and
length were chosen on the validation part.

The other variants are those of the longer recipe. Every one of them has the same
batches, updates and schedule, and reads texts of one length in training and in the
test. The variants no_positions and no_block were tuned, with about as many tries on
7,500 reviews held out of the training part; the other variants take the settings of
no_positions. Minutes count word vectors and training: those of the processor for all
variants, those of the clock where the machine had nothing else to do.
"""

import pickle
import time
from pathlib import Path

import keras
import numpy as np
from keras import layers, ops

import course_utils
from benchmarks import evidence
from course_utils import datasets, training
from course_utils.classification import (
    TokenDropout,
    plain_classifier,
    zero_init_residual_branches,
)
from course_utils.datasets.batches import classification_batches
from course_utils.kit.files import atomic_write
from course_utils.layers import (
    MaskedGlobalMaxPooling1D,
    RotaryTransformerEncoder,
    SinusoidalPositionalEncoding,
    TransformerEncoder,
)
from course_utils.text.vectorizers import WordVectorizer, head_and_tail
from course_utils.text.word_pairs import choose_pairs, join_pairs
from course_utils.text.word_vectors import train_word_vectors

PLAIN_LENGTH = 512  # of the plain variants, as in lesson 05
VARIANTS = {  # what each changes of the first one
    "no_positions": {},
    "no_block": {"block": False, "hidden": 0.0, "last": 0.0, "peak": 3e-2},
    "no_attention": {"block": "feed-forward"},
    "wide": {"block": "feed-forward", "dense": 386},  # as many weights as the block
    "trainable": {"kind": "trainable"},
    "learned": {"kind": "learned"},
    "positions": {"positions": "learned"},
    "sinusoidal": {"positions": "sinusoidal"},
    "rotary": {"positions": "rotary"},
    "words_only": {"pairs": False},
    "plain": {"num_blocks": 1},
    "plain_no_block": {"num_blocks": 0, "rate": 2e-3},
    "plain_positions": {"num_blocks": 1, "longest": PLAIN_LENGTH},
}
SEEDS = (0, 1, 2)
TIMED = ("no_positions", "no_block")  # run these on a quiet machine
PARTS = ("train", "validation", "test")
LENGTH = 512  # words of a text
WORDS = 20_000  # of the vocabulary
PAIRS = 20_000
WIDTH = 256  # of the word vectors
PASSES = 10
WINDOW = 8
EPOCHS = 3
D = 128
DENSE = 128
HEADS = 2
DROPOUT = 0.3
STDDEV = 0.05  # of the word vectors
POSITIONS = 0.1 * STDDEV  # of what is added for a position at first, of either kind
PLAIN_WIDTH = 32
PLAIN_RATE = 5e-4
PLAIN_EPOCHS = 10  # at most: training stops when the validation loss rises
ROOT = Path(__file__).resolve().parents[1]


def measure(variant, seed):
    """Train one variant; return its figures."""
    course_utils.setup(seed)
    settings = dict(VARIANTS[variant])
    if "num_blocks" in settings:
        return measure_plain(seed=seed, **settings)
    peak = settings.pop("peak", 1.5e-3)
    texts = stored("texts", settings.pop("pairs", True), Texts)
    vectors = None
    minutes = texts.minutes
    if settings.get("kind") != "learned":
        vectors, more = vectors_of(texts, seed)
        minutes += more
    processor_minutes = minutes  # so far one core has worked
    start = time.perf_counter()
    processor_start = time.process_time()
    keras.utils.set_random_seed(seed)
    model = classifier(vectors, seed=seed, **settings)
    data = classification_batches(*texts.train, 8192, seed=seed, window=LENGTH)
    steps = EPOCHS * len(data)
    model.compile(
        keras.optimizers.Adam(
            training.warmup_cosine(peak, steps, steps // 10),
            use_ema=True,
            ema_momentum=0.995,
        ),
        "binary_crossentropy",
        metrics=["accuracy"],
    )
    model.fit(data, epochs=EPOCHS, shuffle=False, verbose=0)
    minutes += (time.perf_counter() - start) / 60
    processor_minutes += (time.process_time() - processor_start) / 60
    figures = {"processor_minutes": processor_minutes}
    if variant in TIMED:
        figures["train_minutes"] = minutes
    shuffle = np.random.default_rng(seed).permutation
    for part in "validation", "test":
        read, labels = getattr(texts, part)
        read = [head_and_tail(i, LENGTH) for i in read]
        figures[f"{part}_accuracy"] = accuracy(model, read, labels)
    if "positions" in settings:
        read = [shuffle(i).tolist() for i in read]
        figures["shuffled_test_accuracy"] = accuracy(model, read, labels)
    return figures


def measure_plain(num_blocks, seed, rate=PLAIN_RATE, longest=None):
    """Train the plain classifier of lesson 05; return its figures."""
    data = {}
    for part in PARTS:
        texts, labels = datasets.imdb.load(part)
        if part == "train":
            vectorizer = WordVectorizer.train(texts, WORDS)
        ids = [head_and_tail(row, PLAIN_LENGTH) for row in vectorizer.encode(texts)]
        data[part] = ids, labels
    start = time.perf_counter()
    processor_start = time.process_time()
    keras.utils.set_random_seed(seed)
    model = plain_classifier(WORDS, PLAIN_WIDTH, num_blocks, longest)
    model.compile(
        keras.optimizers.Adam(rate), "binary_crossentropy", metrics=["accuracy"]
    )
    history = model.fit(
        classification_batches(*data["train"], seed=seed),
        validation_data=classification_batches(*data["validation"]),
        epochs=PLAIN_EPOCHS,
        callbacks=[keras.callbacks.EarlyStopping(restore_best_weights=True)],
        shuffle=False,
        verbose=0,
    ).history
    return {
        "epochs": int(np.argmin(history["val_loss"])) + 1,
        "processor_minutes": (time.process_time() - processor_start) / 60,
        "train_minutes": (time.perf_counter() - start) / 60,
        "validation_accuracy": accuracy(model, *data["validation"]),
        "test_accuracy": accuracy(model, *data["test"]),
    }


def accuracy(model, ids, labels):
    return model.evaluate(classification_batches(ids, labels), verbose=0)[1]


class Texts:
    """Reviews as ids of words, and of pairs of words: (ids, labels) of each part."""

    def __init__(self, pairs):
        parts = {name: datasets.imdb.load(name) for name in (*PARTS, "unsupervised")}
        words = WordVectorizer.train(parts["train"][0], WORDS)
        ids = {name: words.encode(texts) for name, (texts, _) in parts.items()}
        self.rows = WORDS + PAIRS if pairs else WORDS
        start = time.perf_counter()
        if pairs:
            chosen = choose_pairs([*ids["train"], *ids["unsupervised"]], WORDS, PAIRS)
            ids = {name: join_pairs(i, chosen, WORDS) for name, i in ids.items()}
        self.minutes = (time.perf_counter() - start) / 60
        self.more = ids["unsupervised"]
        for name in PARTS:
            setattr(self, name, (ids[name], parts[name][1]))


def vectors_of(texts, seed):
    """Return the word vectors of a seed, shared by its variants, and their minutes."""

    def learn(seed):
        start = time.perf_counter()
        read = [*texts.train[0], *texts.more]
        vectors = train_word_vectors(
            read, texts.rows, WIDTH, PASSES, WINDOW, STDDEV, seed
        )
        return vectors, (time.perf_counter() - start) / 60

    return stored(f"vectors_{texts.rows}_{WIDTH}_{PASSES}_{WINDOW}", seed, learn)


def stored(name, key, make):
    """Return make(key), which is made once and then kept in build/."""
    path = ROOT / "build" / f"imdb_{name}_{key}.pickle"
    if not path.is_file():
        made = pickle.dumps(make(key))
        path.parent.mkdir(exist_ok=True)  # a fresh checkout has no build/
        with atomic_write(path, "wb") as file:
            file.write(made)
    return pickle.loads(path.read_bytes())


def classifier(
    vectors=None,
    block=True,
    dense=DENSE,
    kind="frozen",
    positions=None,
    hidden=0.2,
    last=0.5,
    seed=0,
):
    """Return the classifier of "The encoder, measured", or one with other parts."""
    inputs = keras.Input((None,), dtype="int64")
    rows, width = (WORDS + PAIRS, WIDTH) if vectors is None else vectors.shape
    start = keras.initializers.RandomNormal(stddev=STDDEV)
    free = kind != "frozen"
    embed = layers.Embedding(rows, width, start, mask_zero=True, trainable=free)
    x = embed(TokenDropout(hidden, seed=seed)(inputs))  # (B, T, width)
    if vectors is not None:
        embed.set_weights([vectors])
    if positions == "learned":
        small = keras.initializers.RandomNormal(stddev=POSITIONS)
        real = ops.cast(ops.not_equal(inputs, 0), "int32")
        places = ops.cumsum(real, axis=1) * real  # 1, 2, 3, ...; 0 is padding
        table = layers.Embedding(LENGTH + 1, width, small, mask_zero=True)
        x = layers.Add()([x, table(places)])  # it keeps a mask that both have
    if positions == "sinusoidal":  # waves have a root mean square of √½
        scale = POSITIONS * 2**0.5
        x = layers.Rescaling(1 / scale)(x)
        x = layers.Rescaling(scale)(SinusoidalPositionalEncoding()(x))
    x = layers.Dense(D, use_bias=False)(x)
    if block == "feed-forward":
        y = layers.LayerNormalization(epsilon=1e-5)(x)
        y = layers.Dense(dense, activation="relu")(y)
        y = layers.Dense(D, kernel_initializer="zeros")(y)
        x = layers.Add()([x, layers.Dropout(DROPOUT)(y)])
    elif block:
        rotary = positions == "rotary"
        encoder = RotaryTransformerEncoder if rotary else TransformerEncoder
        encoder = encoder(D, DENSE, HEADS, dropout=DROPOUT, norm_first=True)
        x = encoder(x)
        zero_init_residual_branches(encoder)
    pooled = [layers.GlobalAveragePooling1D()(x), MaskedGlobalMaxPooling1D()(x)]
    x = layers.Dropout(last)(layers.Concatenate()(pooled))
    return keras.Model(inputs, layers.Dense(1, activation="sigmoid")(x))


if __name__ == "__main__":
    evidence.main("imdb")

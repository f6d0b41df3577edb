"""Three recipes for each of the course's two tasks: ours and two that many start from.

"classic" is the Transformer of many tutorials, as *Deep Learning with Python* (Chollet,
2nd edition, chapter 11) describes it; "KerasHub" is made of KerasHub's layers in the
sizes of its examples on keras.io. Each recipe is a function that trains for given
minutes and returns {minutes: score}; a score's own time isn't counted.
"""

import time

import keras
import keras_hub
import numpy as np
from keras import layers, ops

from benchmarks import imdb
from benchmarks.clock import FOREVER, Clock, fit
from benchmarks.fixed_rows import Pieces, Words, step_by_step
from course_utils import environment, metrics, training
from course_utils.datasets.batches import classification_batches, translation_batches
from course_utils.seq2seq import TranslationTransformer, Translator
from course_utils.text.vectorizers import (
    SubwordVectorizer,
    WordVectorizer,
    head_and_tail,
)
from course_utils.text.word_vectors import train_word_vectors

SENTENCES = 500  # of the test part; decoding the other two recipes takes long
CLASSIC_REVIEW = dict(length=600, vocab=20_000, width=256, dense=32, heads=2)
HUB_REVIEW = dict(length=200, vocab=20_000, width=32, dense=32, heads=2)
CLASSIC_PAIR = dict(length=20, vocab=15_000, width=256, dense=2048, heads=8)
HUB_PAIR = dict(length=40, vocab=15_000, width=256, dense=2048, heads=8)


# --- reviews -------------------------------------------------------------------------


def our_reviews(splits, minutes):
    """Lesson 05's recipe: frozen word vectors, one block, random windows.

    Args:
        splits: {name: (texts, labels)} of train, unsupervised and test.
        minutes: one budget; the vectors take a part of it.
    """
    start = time.perf_counter()
    texts, labels = splits["train"]
    vectorizer = WordVectorizer.train(texts, 20_000)
    ids, vocab = vectorizer.encode(texts), vectorizer.vocabulary_size
    more = vectorizer.encode(splits["unsupervised"][0])
    passes = int(np.clip(round(minutes) + 1, 1, 5))  # chosen on validation reviews
    vectors = train_word_vectors([*ids, *more], vocab, 256, passes, progress=False)
    model = imdb.classifier(vectors)
    model.compile(
        keras.optimizers.Adam(1e-3, use_ema=True, ema_momentum=0.995),
        "binary_crossentropy",
        metrics=["accuracy"],
        jit_compile=environment.accelerator(),
    )
    data = classification_batches(ids, labels, 8192, seed=0, window=256)
    spent = (time.perf_counter() - start) / 60
    test_ids = [head_and_tail(i, 512) for i in vectorizer.encode(splits["test"][0])]
    test = classification_batches(test_ids, splits["test"][1])
    clock = Clock([minutes], lambda: accuracy(model, test), 1.5e-3, spent)
    return fit(model, clock, data, shuffle=False)


def accuracy(model, *data):
    """Return the accuracy of a compiled model."""
    return float(model.evaluate(*data, verbose=0, return_dict=True)["accuracy"])


def classic_reviews(splits, minutes):
    """Learned table, keys as wide as the model in each head, padded to 600 words."""
    length, vocab, width, dense, heads = CLASSIC_REVIEW.values()
    inputs = keras.Input((length,), dtype="int64")
    x = layers.Embedding(vocab, width)(inputs)
    x = x + layers.Embedding(length, width)(ops.arange(length))
    real = ops.expand_dims(ops.not_equal(inputs, 0), 1)  # (B, 1, T)
    y = layers.MultiHeadAttention(heads, width)(x, x, attention_mask=real)
    x = layers.LayerNormalization()(x + y)
    y = layers.Dense(width)(layers.Dense(dense, activation="relu")(x))
    x = layers.GlobalMaxPooling1D()(layers.LayerNormalization()(x + y))
    outputs = layers.Dense(1, activation="sigmoid")(layers.Dropout(0.5)(x))
    model = keras.Model(inputs, outputs)
    model.compile(
        "rmsprop",
        "binary_crossentropy",
        metrics=["accuracy"],
        jit_compile=environment.accelerator(),
    )
    return fixed_length_reviews(model, splits, minutes, vocab, length)


def hub_reviews(splits, minutes):
    """KerasHub's embedding and encoder in the form of keras.io's review example.

    As there, the last words of a long review are kept, short ones are padded on the
    left, and nothing masks the padding.
    """
    length, vocab, width, dense, heads = HUB_REVIEW.values()
    inputs = keras.Input((length,), dtype="int64")
    x = keras_hub.layers.TokenAndPositionEmbedding(vocab, length, width)(inputs)
    x = keras_hub.layers.TransformerEncoder(dense, heads, dropout=0.1)(x)
    x = layers.Dropout(0.1)(layers.GlobalAveragePooling1D()(x))
    x = layers.Dropout(0.1)(layers.Dense(20, activation="relu")(x))
    model = keras.Model(inputs, layers.Dense(1, activation="sigmoid")(x))
    model.compile(
        "adam",
        "binary_crossentropy",
        metrics=["accuracy"],
        jit_compile=environment.accelerator(),
    )
    return fixed_length_reviews(model, splits, minutes, vocab, length, last=True)


def fixed_length_reviews(model, splits, minutes, vocab, length, last=False):
    """Train on the first or last words; score the weights best on validation."""
    words = layers.TextVectorization(vocab, ragged=True)
    words.adapt(splits["train"][0], batch_size=1024)
    side = "pre" if last else "post"

    def arrays(split):
        texts, labels = splits[split]
        parts = [texts[i : i + 1000] for i in range(0, len(texts), 1000)]
        ids = [one for part in parts for one in words(part).to_list()]
        options = {"maxlen": length, "padding": side, "truncating": side}
        return keras.utils.pad_sequences(ids, **options), labels

    validation, test = arrays("validation"), arrays("test")
    best = Best(model, validation)
    clock = Clock(minutes, lambda: best.score(lambda: accuracy(model, *test)))
    best.clock = clock
    options = {"epochs": FOREVER, "batch_size": 32, "verbose": 0}
    model.fit(*arrays("train"), callbacks=[clock, best], **options)
    clock.take_score()
    return clock.scores


class Best(keras.callbacks.Callback):
    """Keep the weights of the epoch that was best on validation; not on the clock."""

    def __init__(self, model, validation):
        super().__init__()
        self.watched, self.validation = model, validation
        self.accuracy, self.weights = -1.0, None

    def on_epoch_end(self, epoch, logs=None):
        before = time.perf_counter()
        found = accuracy(self.watched, *self.validation)
        if found > self.accuracy:
            self.accuracy, self.weights = found, self.watched.get_weights()
        self.clock.start += time.perf_counter() - before

    def score(self, score):
        """Score with the best weights where there are some, then go on as before."""
        present = self.watched.get_weights()
        if self.weights is not None:
            self.watched.set_weights(self.weights)
        found = score()
        self.watched.set_weights(present)
        return found


# --- translation ---------------------------------------------------------------------


def flat(rows):
    """Return the English and the Spanish sentences of all pairs."""
    return zip(*[(e, s) for e, several in rows for s in several], strict=True)


def our_translation(splits, epochs=None):
    """Return lesson 09's model, compiled, and its batches.

    Args:
        splits: of sentence pairs.
        epochs: of the learning-rate schedule; None leaves the rate to the ``Clock``.
    """
    keras.utils.set_random_seed(0)
    english, spanish = flat(splits.train)
    vectorizer = SubwordVectorizer.train(english + spanish, 4000)
    pairs = zip(vectorizer.encode(english), vectorizer.encode(spanish), strict=True)
    kept = [pair for pair in pairs if max(map(len, pair)) <= 95]
    batches = translation_batches(*map(list, zip(*kept, strict=True)), 1600, seed=0)
    model = TranslationTransformer(vectorizer.vocabulary_size, 96)
    model.build()
    rate = 4e-3
    if epochs is not None:
        rate = training.warmup_cosine(rate, epochs * len(batches), 200)
    model.compile(
        keras.optimizers.Muon(rate, use_ema=True, ema_momentum=0.99),
        training.MaskedCrossEntropy(label_smoothing=0.1),
        jit_compile=environment.accelerator(),
    )
    model.vectorizer = vectorizer
    return model, batches


def our_pairs(splits, minutes):
    """Lesson 09's recipe: shared subwords, pre-norm, Muon, batches of like length."""
    start = time.perf_counter()
    model, batches = our_translation(splits)
    vectorizer = model.vectorizer
    english, references = zip(*splits.test[:SENTENCES], strict=True)

    def score():
        return plain_bleu(Translator(vectorizer, model).translate(english), references)

    spent = (time.perf_counter() - start) / 60
    clock = Clock([minutes], score, 4e-3, spent)
    return fit(model, clock, batches, shuffle=False)


def plain_bleu(found, references):
    """Return BLEU of lower-cased texts without punctuation, as the classic one has."""
    plain = [[metrics.normalise(text) for text in several] for several in references]
    return metrics.bleu([metrics.normalise(text) for text in found], plain)


def classic_pairs(splits, minutes):
    """Words, 20 columns, one block on each side, keys as wide as the model."""
    length, vocab, width, dense, heads = CLASSIC_PAIR.values()

    def embed(tokens):
        positions = layers.Embedding(length, width)(ops.arange(length))
        return layers.Embedding(vocab, width)(tokens) + positions

    def add_and_norm(x, y):
        return layers.LayerNormalization()(x + y)

    def attend(x, y, **options):
        return add_and_norm(x, layers.MultiHeadAttention(heads, width)(x, y, **options))

    def feed_forward(x):
        y = layers.Dense(dense, activation="relu")(x)
        return add_and_norm(x, layers.Dense(width)(y))

    source, target = (keras.Input((length,), dtype="int64") for _ in range(2))
    real = ops.expand_dims(ops.not_equal(source, 0), 1)  # (B, 1, S)
    x = embed(source)
    encoded = feed_forward(attend(x, x, attention_mask=real))
    x = embed(target)
    x = attend(x, x, use_causal_mask=True)
    x = feed_forward(attend(x, encoded, attention_mask=real))
    return fixed_length_pairs(source, target, x, splits, minutes, vocab, length, Words)


def hub_pairs(splits, minutes):
    """KerasHub's layers in the sizes of its translation example, 40 subwords."""
    length, vocab, width, dense, heads = HUB_PAIR.values()
    embedding = keras_hub.layers.TokenAndPositionEmbedding
    source, target = (keras.Input((None,), dtype="int64") for _ in range(2))
    encoded = keras_hub.layers.TransformerEncoder(dense, heads)(
        embedding(vocab, length, width)(source)
    )
    x = keras_hub.layers.TransformerDecoder(dense, heads)(
        embedding(vocab, length, width)(target), encoded
    )
    return fixed_length_pairs(source, target, x, splits, minutes, vocab, length, Pieces)


def fixed_length_pairs(source, target, x, splits, minutes, vocab, length, kind):
    """Add the output layer, train on rows of one length, and score translations."""
    to_words = layers.Dense(vocab, activation="softmax")
    model = keras.Model([source, target], to_words(layers.Dropout(0.5)(x)))
    features = keras.Model([source, target], x)
    model.compile(
        "rmsprop",
        "sparse_categorical_crossentropy",
        jit_compile=environment.accelerator(),
    )
    english, spanish = flat(splits.train)
    from_english, from_spanish = kind(english, vocab), kind(spanish, vocab)
    sources = from_english.rows(english, length)
    targets = from_spanish.rows(spanish, length + 1, framed=True)
    test, references = zip(*splits.test[:SENTENCES], strict=True)

    def score():
        rows = from_english.rows(test, length)
        found = step_by_step(features, to_words, rows, from_spanish)
        return plain_bleu(from_spanish.texts(found), references)

    labels = targets[:, 1:]
    clock = Clock(minutes, score)
    arrays = [sources, targets[:, :-1]], labels, (labels > 0).astype("float32")
    return fit(model, clock, *arrays[:2], sample_weight=arrays[2], batch_size=64)

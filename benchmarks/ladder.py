"""From the classic translation Transformer to lesson 08's: one change at a time.

Some changes are a package: lesson 08 lists what is in each. Every rung keeps the
changes of those before it, and trains for the same processor minutes. They are counted
over all cores, so that other work on the machine doesn't change what a rung gets, and
from the end of the first step, which builds the graph. Learning vocabularies and
translating don't count. What stays a choice of ours is the order of the changes.

The lowest rung follows Chollet, *Deep Learning with Python*, 2nd edition (2021),
section 11.5, in sizes, words, masks, norms, optimizer and rows; only its heads are
narrower, D / H columns each instead of D, which costs less. Its masks: padding of the
source in the encoder, later tokens in the decoder, and in cross-attention the same two
for the *target*, so that target position t sees the source columns 0 to t; the third
edition has mended them. Its loss leaves padding out, as all rungs'. All translate the
validation part greedily, and are scored without capitals and punctuation, because
words have none. Two models are scored on the test part, too, on natural text with beam
search: the last rung's, and lesson 07's GRU with attention, which learns with Muon
beside the ladder, for the same minutes.
"""

import math
import time

import keras
import numpy as np
from keras import layers, ops

from benchmarks import evidence
from course_utils import datasets, metrics, training
from course_utils.attention import causal_mask
from course_utils.datasets.batches import translation_batches
from course_utils.kit import environment
from course_utils.layers import (
    MultiHeadAttention,
    PositionalEmbedding,
    TransformerDecoder,
    TransformerEncoder,
)
from course_utils.seq2seq import RecurrentSeq2Seq, TranslationTransformer, Translator
from course_utils.text import END, PAD, START, PatternVectorizer, SubwordVectorizer, pad
from course_utils.text.text_model import batch_by_length

MINUTES = 10  # of the processor, for each rung
SENTENCES = 3_000  # of the validation part
LONGEST = 96  # positions
ROWS = 64  # of a batch in which all rows have the same number of columns
SEEDS = (0,)

CLASSIC = {
    "pieces": 0,  # of the vocabulary of both languages; 0: words, a vocabulary each
    "vocab": 15_000,
    "columns": 20,
    "masks": "book",
    "tokens": 0,  # in a batch; 0: 64 rows, all with the same number of columns
    "norm_first": False,
    "tied": False,
    "smoothing": 0.0,
    "optimizer": "RMSprop",
    "rate": 1e-3,
    "planned": False,
    "width": 256,
    "dense": 2048,
    "heads": 8,
    "blocks": (1, 1),
    "dropout": 0.0,
    "last_dropout": 0.5,
    "warm_up": 200,
    "package": False,
    "gru": False,
}
# Rung to what it changes. 560 words and 700 pieces are both about 64 pairs.
CHANGES = {
    "classic": {},
    "batches": {"tokens": 560},
    "subwords": {"pieces": 4000, "tied": True, "tokens": 700},
    "sizes": {
        "width": 192,
        "dense": 768,
        "heads": 4,
        "blocks": (2, 2),
        "dropout": 0.1,
        "last_dropout": 0.0,
    },
    "masks": {"masks": "padding"},
    "pre_norm": {"norm_first": True},
    "smoothing": {"smoothing": 0.1},
    "muon": {"optimizer": "Muon", "rate": 4e-3},
    "schedule": {"planned": True},
    "ours": {"tokens": 1600, "package": True},
}
# Beside the ladder, as a change of the last rung: lesson 07's model with Muon, in the
# same minutes.
GRU = {"gru": True, "tokens": 4096, "rate": 5e-3, "warm_up": 20}


def rungs():
    """Return the settings of each rung: its change, and those of all before it."""
    found = {}
    settings = CLASSIC
    for rung, change in CHANGES.items():
        settings = settings | change
        found[rung] = settings
    return found | {"gru": settings | GRU}


VARIANTS = rungs()


def measure(variant, seed, pairs=None, minutes=MINUTES, **changes):
    """Train a rung; return its figures by name.

    Args:
        pairs: the sentence pairs; None takes those of the data mode.
        minutes: of the processor.
        changes: other settings.
    """
    settings = VARIANTS[variant] | changes
    environment.xla_only_when_asked()
    keras.utils.set_random_seed(seed)
    pairs = pairs or splits()
    vectorizers, batches = data(settings, pairs.train, seed)
    model = build(settings, vectorizers)
    budget = Budget(minutes, settings["rate"], settings["planned"], settings["warm_up"])
    model.fit(batches.repeat(), shuffle=False, verbose=0, callbacks=[budget])
    english, references = zip(*pairs.validation[:SENTENCES], strict=True)
    found = translate(model, settings, vectorizers, english)
    score = metrics.bleu_interval(plain(found), [plain(texts) for texts in references])
    figures = {"bleu": score.score, "bleu_low": score.low, "bleu_high": score.high}
    figures |= {"epochs": budget.steps / len(batches), "weights": model.count_params()}
    figures["processor_minutes"] = minutes
    if settings["package"]:
        english, references = zip(*pairs.test, strict=True)
        found = Translator(vectorizers[0], model).translate(english, method="beam")
        figures["test_bleu"] = metrics.bleu(found, references)
    return figures


def plain(texts):
    """Return texts without capitals and punctuation."""
    return [metrics.normalise(text) for text in texts]


# --- data ----------------------------------------------------------------------------


def splits():
    """Return the sentence pairs of the data mode: training, validation and test."""
    full = environment.data_mode() == "full"
    return (datasets.spa_eng if full else datasets.phrasebook).load()


def data(settings, rows, seed=0):
    """Return the vectorizers of both languages, and the batches of an epoch."""
    import tensorflow as tf

    english, spanish = zip(
        *[(e, s) for e, several in rows for s in several], strict=True
    )
    if settings["pieces"]:
        shared = SubwordVectorizer.train(english + spanish, settings["pieces"])
        vectorizers = shared, shared
    else:
        english, spanish = plain(english), plain(spanish)
        vectorizers = tuple(
            PatternVectorizer.train(side, vocab_size=settings["vocab"])
            for side in (english, spanish)
        )
    sources, targets = (
        vectorizer.encode(side)
        for vectorizer, side in zip(vectorizers, (english, spanish), strict=True)
    )
    if settings["tokens"]:
        both = zip(sources, targets, strict=True)
        kept = [pair for pair in both if max(map(len, pair)) < LONGEST]
        sides = map(list, zip(*kept, strict=True))
        return vectorizers, translation_batches(*sides, settings["tokens"], seed)
    columns = settings["columns"]
    source = pad([ids[:columns] for ids in sources], columns)
    inputs = pad([[START, *ids][:columns] for ids in targets], columns)
    labels = pad([[*ids, END][:columns] for ids in targets], columns)
    pairs = tf.data.Dataset.from_tensor_slices(((source, inputs), labels))
    return vectorizers, pairs.shuffle(len(labels), seed).batch(ROWS)


# --- model ---------------------------------------------------------------------------


class BookAttention(MultiHeadAttention):
    """Cross-attention of the book: no query looks at a later column of the source."""

    def attend(self, query, keys, values, mask):
        earlier = causal_mask(ops.shape(query)[1], ops.shape(keys)[2])  # (1, T, S)
        return super().attend(query, keys, values, ops.logical_and(earlier, mask))


class Rung(keras.Model):
    """The Transformer of any rung: (B, S), (B, T) ids to (B, T, V) logits."""

    def __init__(self, settings, source_vocab, target_vocab):
        super().__init__()
        self.book, tied = settings["masks"] == "book", settings["tied"]
        width, heads = settings["width"], settings["heads"]
        table = {"embed_dim": width, "scale_tokens": tied}
        self.target = PositionalEmbedding(LONGEST, target_vocab, **table)
        self.source = self.target
        if not tied:
            self.source = PositionalEmbedding(LONGEST, source_vocab, **table)
        first, second = settings["blocks"]
        sizes = width, settings["dense"], heads
        options = {name: settings[name] for name in ("norm_first", "dropout")}
        self.encoders = [TransformerEncoder(*sizes, **options) for _ in range(first)]
        self.decoders = [TransformerDecoder(*sizes, **options) for _ in range(second)]
        if self.book:
            for block in self.decoders:
                block.cross_attention = BookAttention(width, heads)
        self.norms = []
        if settings["norm_first"]:
            self.norms = [layers.LayerNormalization(epsilon=1e-5) for _ in range(2)]
        self.dropout = layers.Dropout(settings["dropout"])
        self.last_dropout = layers.Dropout(settings["last_dropout"])
        self.to_words = None if tied else layers.Dense(target_vocab)

    def embed(self, table, ids, training):
        x = table(ids) + 0.0  # the sum has no mask, which Keras would hand on by itself
        return self.dropout(x, training=training)

    def encode(self, source, training=False):
        x = self.embed(self.source, source, training)
        for block in self.encoders:
            x = block(x, mask=ops.not_equal(source, PAD), training=training)
        return self.norms[0](x) if self.norms else x

    def decode(self, target, encoded, source, training=False):
        own, theirs = (ops.not_equal(ids, PAD) for ids in (target, source))
        if self.book:  # the target's padding, in the place of the source's
            both = ops.concatenate([own, ops.zeros_like(theirs)], axis=1)
            own, theirs = None, both[:, : ops.shape(source)[1]]
        real = {"inputs_mask": own, "encoder_outputs_mask": theirs}
        x = self.embed(self.target, target, training)
        for block in self.decoders:
            x = block(x, encoded, **real, training=training)
        x = self.norms[1](x) if self.norms else x
        x = self.last_dropout(x, training=training)
        return self.target.predict_tokens(x) if not self.to_words else self.to_words(x)

    def call(self, inputs, training=False):
        source, target = inputs
        return self.decode(target, self.encode(source, training), source, training)


def build(settings, vectorizers):
    """Return the untrained model of a rung, compiled; the last one is the package's."""
    vocab = [vectorizer.vocabulary_size for vectorizer in vectorizers]
    if settings["gru"]:
        return gru_with_attention(vocab[0], settings["rate"])
    if settings["package"]:
        sizes = [settings[name] for name in ("width", "dense", "heads")]
        (count,) = set(settings["blocks"])
        options = *sizes, count, settings["dropout"]
        model = TranslationTransformer(vocab[0], LONGEST, *options)
        model.build()
    else:
        model = Rung(settings, *vocab)
    averaged = {"use_ema": True, "ema_momentum": 0.99} if settings["planned"] else {}
    model.compile(
        getattr(keras.optimizers, settings["optimizer"])(settings["rate"], **averaged),
        training.MaskedCrossEntropy(settings["smoothing"]),
    )
    return model


def gru_with_attention(vocab, rate):
    """Return lesson 07's untrained model, compiled with Muon."""
    options = dict(attention={"score": "general"}, bidirectional=True, dropout=0.2)
    model = RecurrentSeq2Seq(vocab, LONGEST, 192, 256, decoder="attention", **options)
    model.build()
    optimizer = keras.optimizers.Muon(rate, clipnorm=1.0)
    model.compile(optimizer, training.MaskedCrossEntropy())
    return model


# --- training ------------------------------------------------------------------------


class Budget(keras.callbacks.Callback):
    """End the training after processor minutes; lead the rate by the share spent."""

    def __init__(self, minutes, rate, planned, warm_up):
        super().__init__()
        self.seconds, self.rate, self.planned = 60 * minutes, rate, planned
        self.warm_up = warm_up  # steps
        self.steps, self.start = 0, None

    def share(self):
        if self.start is None:
            return 0.0
        return min((time.process_time() - self.start) / self.seconds, 1.0)

    def on_train_batch_begin(self, batch, logs=None):
        self.steps += 1
        if self.planned:
            fall = 0.5 + 0.5 * math.cos(math.pi * self.share())
            rate = self.rate * min(self.steps / self.warm_up, fall)
            self.model.optimizer.learning_rate = rate

    def on_train_batch_end(self, batch, logs=None):
        if self.start is None:  # the first step has built the graph
            self.start = time.process_time()
        self.model.stop_training = self.share() >= 1


def translate(model, settings, vectorizers, texts, rows=100):
    """Translate greedily; no cache, so that all rungs can be asked alike."""
    import tensorflow as tf

    if settings["package"]:
        return Translator(vectorizers[0], model).translate(texts)
    ids = tf.TensorSpec((None, None), "int32")
    vectors = tf.TensorSpec((None, None, settings["width"]), model.compute_dtype)
    encode = tf.function(model.encode, input_signature=[ids])

    @tf.function(input_signature=[ids, vectors, ids])
    def best_next(target, encoded, source):
        return tf.argmax(model.decode(target, encoded, source)[:, -1], axis=-1)

    columns = LONGEST if settings["tokens"] else settings["columns"]
    texts = texts if settings["pieces"] else plain(texts)
    sources = [one[:columns] for one in vectorizers[0].encode(texts)]
    found = {}
    for chosen, source in batch_by_length(sources, rows):
        limit = min(columns, 2 * source.shape[1] + 8)
        if not settings["tokens"]:
            source = pad(source, columns)
        encoded, target = encode(source), np.full((len(source), 1), START, "int32")
        ended = np.zeros(len(source), bool)
        while target.shape[1] < limit and not all(ended):
            last = best_next(target, encoded, source).numpy()
            last = np.where(ended, PAD, last).astype("int32")
            target = np.column_stack([target, last])
            ended |= last == END
        found |= dict(zip(chosen, target, strict=True))
    return vectorizers[1].decode([found[i] for i in range(len(found))])


if __name__ == "__main__":
    raise SystemExit(evidence.main("ladder"))

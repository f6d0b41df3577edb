"""A teacher, its students and what they learn from, for `benchmarks.distillation`."""

import keras
import numpy as np
import tensorflow as tf
from keras import layers, ops
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline

from course_utils.bert import BertClassifier, BertEncoder
from course_utils.classification import TokenDropout, zero_init_residual_branches
from course_utils.datasets.batches import bucket_by_length, classification_batches
from course_utils.distillation import DistillationLoss, Neighbours
from course_utils.kit import environment
from course_utils.layers import MaskedGlobalMaxPooling1D, RotaryTransformerEncoder
from course_utils.models import load_mini_bert
from course_utils.text import WordVectorizer, pad, train_word_vectors
from course_utils.training import warmup_cosine


def shorten(rows, most):
    """Keep the beginning and the end of ids that are longer than `most`."""
    return [r if len(r) <= most else r[: most // 2] + r[-(most // 2) :] for r in rows]


def accuracy(logits, labels):
    """Return the rate of right answers; a positive logit means "positive"."""
    return np.mean((logits > 0) == (labels == 1))


def new_student(kind, table, columns=64):
    """Return an untrained student: ids (B, T) -> logits (B, 1).

    A "frozen" kind keeps its word vectors as they are.
    """
    inputs = keras.Input((None,), dtype="int64")
    embed = layers.Embedding(*table.shape, mask_zero=True, name="words")
    x = embed(TokenDropout(0.2)(inputs))  # (B, T, D)
    embed.set_weights([table])
    embed.trainable = "frozen" not in kind
    if "neighbours" in kind:
        x = layers.Dense(columns, activation="relu", name="dense")(Neighbours(1)(x))
    else:
        block = RotaryTransformerEncoder(columns, 2 * columns, 2, norm_first=True)
        x = block(layers.Dense(columns)(x))
        zero_init_residual_branches(block)
    pooled = [layers.GlobalAveragePooling1D()(x), MaskedGlobalMaxPooling1D()(x)]
    x = layers.Dropout(0.3, name="pooled")(layers.Concatenate()(pooled))
    return keras.Model(inputs, layers.Dense(1, name="logit")(x))


def smoothed(labels, epsilon):
    """Return logits that depend on the label only: 1 - epsilon, or epsilon."""
    return np.where(labels == 1, 1.0, -1.0) * np.log((1 - epsilon) / epsilon)


def shuffled(labels, logits, seed=0):
    """Exchange logits among the reviews with one label and one side of the logit."""
    rng, found = np.random.default_rng(seed), logits.copy()
    for label in np.unique(labels):
        for side in (True, False):
            rows = np.flatnonzero((labels == label) & ((logits > 0) == side))
            found[rows] = logits[rng.permutation(rows)]
    return found


class HintLoss(DistillationLoss):
    """As DistillationLoss, and the mean squared error of a vector, times `weight`.

    y_true is (B, 2 + D): label, logit, the teacher's vector. y_pred is (B, 1 + D).
    """

    def __init__(self, weight=1.0, **options):
        super().__init__(**options)
        self.weight = weight

    def call(self, y_true, y_pred):
        apart = ops.mean((y_true[:, 2:] - y_pred[:, 1:]) ** 2, axis=-1)  # (B,)
        return super().call(y_true, y_pred) + self.weight * apart


def with_hint(student, width):
    """Put a projection of the student's pooled vector beside its logit: (B, 1 + D)."""
    pooled = student.get_layer("pooled").output
    hint = layers.Dense(width, name="hint")(pooled)
    return keras.Model(student.input, layers.Concatenate()([student.output, hint]))


def hints(vectors):
    """Shift and scale each column to mean 0 and spread 1 on the training reviews."""
    middle, spread = vectors["train"].mean(axis=0), vectors["train"].std(axis=0)
    return {name: (own - middle) / (spread + 1e-6) for name, own in vectors.items()}


# The setting that a variant has alone; the peak of the rate belongs to all.
OWN = {
    "labels": "alpha",
    "soft": "temperature",
    "shuffled": "temperature",
    "smoothed": "epsilon",
    "unlabelled": "temperature",
    "decisions": "epsilon",
    "hidden": "weight",
}


def teach(variant, material, seed, temperature=2.0, alpha=0.5, weight=1.0, epsilon=0.1):
    """Return what a variant reads, its targets (N, 2 or 2 + D) and its loss."""
    more = ("unlabelled",) if variant in ("unlabelled", "decisions", "hidden") else ()
    read = ("train", *more)
    labels, answers, vectors = (
        np.concatenate([material[kind][name] for name in read])
        for kind in ("labels", "said", "vectors")
    )
    if variant in ("smoothed", "decisions"):
        decided = np.where(labels == -1, answers > 0, labels)  # all have one now
        answers, temperature = smoothed(decided, epsilon), 1.0
    if variant == "shuffled":
        answers = shuffled(labels, answers, seed)
    targets = np.stack([labels, answers], axis=1)
    if variant != "hidden":
        return read, targets, DistillationLoss(temperature, alpha)
    targets = np.concatenate([targets, vectors], axis=1)
    return read, targets, HintLoss(weight, temperature=temperature)


def run(variant, kind, material, peak, own, seed, updates, **fixed):
    """Train a new student; a seed gives all variants the same first weights."""
    read, targets, loss = teach(variant, material, seed, **fixed, **{OWN[variant]: own})
    keras.utils.set_random_seed(seed)
    student = new_student(kind, material["table"])
    model = keras.Model(student.input, student.output)  # it gets the optimizer
    if variant == "hidden":
        model = with_hint(student, targets.shape[1] - 2)
    ids = [row for name in read for row in material["ids"][name]]
    data = classification_batches(ids, targets, 8192, seed, window=256)
    rate, decay = warmup_cosine(peak, updates, updates // 10), 1 - 20 / updates
    adam = keras.optimizers.Adam(rate, use_ema=True, ema_momentum=decay)  # lesson 05
    model.compile(adam, loss)
    model.fit(data.repeat(), steps_per_epoch=updates, shuffle=False, verbose=0)
    return student


def answer(predict, ids, tokens=16_384):
    """Return a model's answers (N,) to ids, in their order."""
    found = np.zeros(len(ids), "float32")
    for rows in bucket_by_length([len(row) for row in ids], tokens):
        found[rows] = predict(pad([ids[i] for i in rows]))[:, 0]
    return found


# --- the teacher ----------------------------------------------------------------------

LONGEST = 504  # pieces: four windows
PASSES = ((126, 3e-3), (LONGEST, 1.5e-3))  # pieces that are shown, peak of the rate


def load_parts(corpus, known=None):
    """Return (texts, labels) of each part; a label of -1 means that there is none.

    Where a corpus has no texts without labels, all but `known` ones lose theirs.
    """
    parts = {name: corpus.load(name) for name in ("train", "validation", "test")}
    texts, labels = parts["train"]
    more = texts[known : 3 * known] if known else corpus.load("unsupervised")[0]
    measured = {*parts["validation"][0], *parts["test"][0]}
    more = [text for text in more if text not in measured]
    parts["train"] = texts[:known], np.asarray(labels[:known])
    parts["unlabelled"] = more, np.full(len(more), -1)
    return parts


def new_classifier(bert, dtype="float32", seed=0):
    """Return a classifier on the pre-trained encoder; only its head is new."""
    keras.utils.set_random_seed(seed)
    config = {**bert.network.encoder.get_config(), "dtype": dtype}
    made = BertClassifier(BertEncoder.from_config(config))
    made(np.ones((1, 4), "int32"))  # makes the weights
    made.encoder.set_weights(bert.network.encoder.get_weights())
    return made


def fine_tune(classifier, ids, labels, passes, seed=0):
    """Teach the labels, in passes of (pieces that are shown, peak of the rate)."""
    for window, peak in passes:
        data = classification_batches(ids, labels, 4096, seed, window)
        rate = warmup_cosine(peak, len(data), max(1, len(data) // 10))
        muon = keras.optimizers.Muon(rate, adam_lr_ratio=0.3)
        classifier.compile(muon, "binary_crossentropy")
        classifier.fit(data, shuffle=False, verbose=0)


def said_by(classifier, pool, ids):
    """Return a classifier's vectors (N, D) and logits (N,), in the order of the ids."""
    vectors = np.zeros((len(ids), classifier.encoder.embed_dim), "float32")
    for rows in bucket_by_length([len(row) for row in ids], 16_384):
        vectors[rows] = ops.convert_to_numpy(pool(pad([ids[i] for i in rows])))
    kernel, bias = classifier.output_dense.get_weights()  # (D, 1), (1,)
    return vectors, (vectors @ kernel + bias)[:, 0]


def count_pairs(parts):
    """Return the logits of counted words and pairs for each part."""
    counts = TfidfVectorizer(sublinear_tf=True, min_df=2, ngram_range=(1, 2))
    texts, labels = parts["train"]
    by_pairs = LogisticRegression(C=5, max_iter=200)
    seen = counts.fit_transform(texts)
    ways = {"cv": 5, "method": "decision_function"}
    answers = {"train": cross_val_predict(by_pairs, seen, labels, **ways)}
    pairs = make_pipeline(counts, by_pairs.fit(seen, labels))
    for name, (texts, _) in parts.items():
        if name != "train":
            answers[name] = pairs.decision_function(texts)
    return answers


def narrow(table, width):
    """Keep the axes along which rows lie farthest from 0: (V, D) -> (V, width)."""
    _, _, directions = np.linalg.svd(table, full_matrices=False)
    return table @ directions[:width].T


def prepared(corpus, known=None, passes=PASSES, sizes=(256, 3), width=32):
    """Teach the teacher; return what all variants share.

    The teacher is the small BERT and counted pairs, joined by a logistic regression.

    Args:
        corpus, known: as in `load_parts`.
        passes: as in `fine_tune`.
        sizes: width and passes of the word vectors, which are narrowed to `width`.

    Returns:
        A dictionary of table (V, width), and by part: ids, labels, said (the teacher's
        logits) and vectors (the small BERT's).
    """
    parts = load_parts(corpus, known)
    labels = {name: own for name, (_, own) in parts.items()}
    bert = load_mini_bert()
    pieces = {}
    for name, (texts, _) in parts.items():
        pieces[name] = shorten(bert.vectorizer.encode(texts), LONGEST)
    classifier = new_classifier(bert, environment.fastest_dtype())
    fine_tune(classifier, pieces["train"], labels["train"], passes)
    pool = tf.function(classifier.pool, reduce_retracing=True)  # as a graph: quicker
    vectors, by_bert = {}, {}
    for name, rows in pieces.items():
        vectors[name], by_bert[name] = said_by(classifier, pool, rows)
    by_pairs = count_pairs(parts)
    both = {n: np.stack([by_bert[n], by_pairs[n]], axis=1) for n in parts}  # (N, 2)
    joined = LogisticRegression().fit(both["validation"], labels["validation"])
    words = WordVectorizer.train(parts["train"][0] + parts["unlabelled"][0], 20_000)
    ids = {name: words.encode(texts) for name, (texts, _) in parts.items()}
    read = ids["train"] + ids["unlabelled"]
    table = narrow(train_word_vectors(read, words.vocabulary_size, *sizes), width)
    said = {name: joined.decision_function(logits) for name, logits in both.items()}
    return {
        "table": table,
        "ids": ids,
        "labels": labels,
        "said": said,
        "vectors": hints(vectors),
    }

"""Six classifiers and four corpora, for `benchmarks.when`."""

import re
from collections import namedtuple

import keras
import numpy as np
from keras import layers
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline

from course_utils import datasets
from course_utils.classification import TokenDropout
from course_utils.datasets.batches import classification_batches
from course_utils.kit import environment
from course_utils.layers import (
    MaskedGlobalMaxPooling1D,
    RotaryTransformerEncoder,
    TransformerEncoder,
)
from course_utils.text import WordVectorizer, pad

BAGS = {"words": 1, "pairs": 2}


def bag(longest, strength):
    """Return a classifier that counts words, and runs of up to `longest` words."""
    counts = TfidfVectorizer(ngram_range=(1, longest), sublinear_tf=True, min_df=2)
    return make_pipeline(counts, LogisticRegression(C=strength, max_iter=2000))


WIDTH = 64


NETWORKS = ("averaged", "gru", "attention", "positions")


def middle(kind, x):
    """Let words see each other, or not: (B, T, D) -> (B, T, D)."""
    if kind == "averaged":
        return x
    if kind == "gru":
        return layers.Bidirectional(layers.GRU(WIDTH // 2, return_sequences=True))(x)
    block = RotaryTransformerEncoder if kind == "positions" else TransformerEncoder
    return block(WIDTH, dense_dim=WIDTH, num_heads=2, norm_first=True)(x)


def network(kind, vocab_size, classes, drop=False):
    """Return an untrained network: ids (B, T) -> logits (B, classes)."""
    ids = keras.Input((None,), dtype="int32")
    x = TokenDropout(0.3 if drop else 0.0)(ids)
    x = layers.Embedding(vocab_size, WIDTH, mask_zero=True)(x)  # (B, T, D)
    x = layers.Identity(name="words")(middle(kind, x))  # only a name for this place
    pooled = layers.GlobalAveragePooling1D()(x)  # (B, D)
    if kind != "averaged":
        pooled = layers.Concatenate()([pooled, MaskedGlobalMaxPooling1D()(x)])
    x = layers.Dropout(0.5 if drop else 0.0)(pooled)
    return keras.Model(ids, layers.Dense(classes)(x))


SETTINGS = {kind: (1, 8, 64) for kind in BAGS} | {  # strength; more is freer
    kind: (
        {"rate": 3 * rate, "drop": True},
        {"rate": rate, "drop": True},
        {"rate": 3 * rate, "drop": False},
    )
    for kind, rate in zip(NETWORKS, (3e-3, 1e-3, 1e-3, 1e-3), strict=True)
}


ROWS = 32  # texts of mean length in an update


EVERY = 100  # updates between two looks at the validation part


PATIENCE = 8  # looks without a lower loss


LEAST = 0.001  # nats: a smaller fall counts as none


MOST = 120  # looks


Part = namedtuple("Part", "texts ids labels review")


Corpus = namedtuple("Corpus", "train validation test vectorizer")


def train_to_plateau(model, corpus, rate, seed):
    """Train until the loss on validation has stopped falling; keep the best weights."""
    tokens = int(ROWS * np.mean([len(ids) for ids in corpus.train.ids]))
    updates = classification_batches(*corpus.train[1:3], tokens, seed).repeat()
    looks = classification_batches(*corpus.validation[1:3], 16_384)
    half_a_pass = len(corpus.train.ids) // (2 * ROWS * EVERY)  # in looks
    rule = dict(min_delta=LEAST, patience=max(PATIENCE, half_a_pass))
    stop = keras.callbacks.EarlyStopping(restore_best_weights=True, **rule)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(rate), loss)
    options = dict(steps_per_epoch=EVERY, epochs=MOST, shuffle=False, verbose=0)
    model.fit(updates, validation_data=looks, callbacks=[stop], **options)


def fit(kind, setting, corpus, seed):
    """Return a model of a kind, trained with a setting."""
    texts, _, labels, _ = corpus.train
    if kind in BAGS:
        return bag(BAGS[kind], setting).fit(texts, labels)
    keras.utils.set_random_seed(seed)
    vocab_size, classes = corpus.vectorizer.vocabulary_size, 1 + int(max(labels))
    model = network(kind, vocab_size, classes, setting["drop"])
    train_to_plateau(model, corpus, setting["rate"], seed)
    return model


def answers(model, part):
    """Return the class that a trained model gives each text of a part: (N,)."""
    if isinstance(model, Pipeline):
        return model.predict(part.texts)
    order = np.argsort([len(ids) for ids in part.ids], kind="stable")  # as in batches
    batches = classification_batches(part.ids, part.labels, 16_384)
    found = np.empty(len(order), int)
    found[order] = model.predict(batches, verbose=0).argmax(axis=-1)
    return found


def accuracy(model, part):
    return float(np.mean(answers(model, part) == part.labels))


def best_of(tried):
    return max(tried, key=lambda one: one[0])  # of equal ones the first


def tune(kind, corpus, seed=0, numbers=(0, 1, 2)):
    """Try settings; return (validation accuracy, number of the setting, model) each."""
    models = [fit(kind, SETTINGS[kind][n], corpus, seed) for n in numbers]
    return [
        (accuracy(model, corpus.validation), n, model)
        for n, model in zip(numbers, models, strict=True)
    ]


def two_ends(text, most=200):
    """Keep the two ends of a long text."""
    words = text.split()
    if len(words) <= most:
        return text
    return " ".join(words[: most // 2] + words[-most // 2 :])


def single_sentences(texts, least=5, most=25):
    """Cut texts into sentences; return those of some length, and whose they are."""
    found = []
    for number, text in enumerate(texts):
        for one in re.split(r"(?<=[.!?])\s+", text):
            words = [word for word in one.split() if re.search(r"[^\W_]", word)]
            if least <= len(words) <= most:
                found.append((one, number))
    sentences, review = zip(*found, strict=True)
    return list(sentences), np.array(review)


SENSES = ("river", "money", "fruit", "day")


FEWER = {"validation": 700, "test": 4_000}  # reviews that are cut into sentences


def load(name, part, size=0, seed=0):
    """Return texts, labels (N,), and the number of each text's review (N,)."""
    if name == "senses":
        rows = datasets.senses.load(part)
        rows = [row for row in rows if row.word in ("bank", "date")]
        texts, review = [row.text for row in rows], np.arange(len(rows))
        return texts, np.array([SENSES.index(row.sense) for row in rows]), review
    if name == "order":  # training: whole pairs of twins, others for each seed
        new = (1 + seed, {"train": size}) if part == "train" else ()
        rows = [row for row in datasets.reviews.generate(*new) if row[0] == part]
        twins, labels = (np.array([int(row[i]) for row in rows]) for i in (1, 2))
        return [row[3] for row in rows], labels, twins
    full = environment.data_mode() == "full"
    real = datasets.imdb if full else datasets.reviews
    texts, labels = real.load(part)
    review = np.arange(len(texts))
    if name == "sentences":
        texts, review = single_sentences(texts[: FEWER.get(part)])
    return [two_ends(text) for text in texts], labels[review], review


def corpus_of(name, size, seed):
    """Return a corpus with so many labelled texts, which the seed draws."""
    texts, labels, review = load(name, "train", size, seed)
    known, rng = set(texts), np.random.default_rng(seed)
    chosen = rng.permutation(len(texts))[:size]
    drawn = [texts[i] for i in chosen]
    vectorizer = WordVectorizer.train(drawn, 20_000)
    parts = [Part(drawn, vectorizer.encode(drawn), labels[chosen], review[chosen])]
    for part in ("validation", "test"):
        texts, labels, review = load(name, part)
        new = [i for i, text in enumerate(texts) if text not in known]
        if part == "validation":  # not more labels than training has
            new = rng.permutation(new)[:size]
        kept = [texts[i] for i in new]
        parts.append(Part(kept, vectorizer.encode(kept), labels[new], review[new]))
    return Corpus(*parts, vectorizer)


def shuffled(part, vectorizer, seed=0):
    """Return a part whose texts have their words in random order."""
    rng = np.random.default_rng(seed)
    texts = [" ".join(rng.permutation(text.split())) for text in part.texts]
    return part._replace(texts=texts, ids=vectorizer.encode(texts))


def senses_in_vectors(model, corpus):
    """Return how often a word's vector is nearest to the mean of its sense."""
    reader = keras.Model(model.input, model.get_layer("words").output)
    ambiguous = np.ravel(corpus.vectorizer.encode(["bank", "date"]))
    found = []
    for part in (corpus.train, corpus.test):
        ids = pad(part.ids)
        place = np.isin(ids, ambiguous).argmax(axis=1)
        vectors = reader.predict(ids, batch_size=200, verbose=0)  # (N, T, D)
        found.append(vectors[np.arange(len(ids)), place])  # (N, D)
    senses = corpus.train.labels
    means = np.stack([found[0][senses == sense].mean(axis=0) for sense in range(4)])
    apart = np.square(found[1][:, None] - means).sum(axis=-1)  # (N, 4)
    word = corpus.test.labels[:, None] // 2  # which of the two words stands there
    apart = np.where(np.arange(4) // 2 == word, apart, np.inf)
    return float(np.mean(apart.argmin(axis=1) == corpus.test.labels))


SIZES = {
    "order": (500, 8_000, 120_000),
    "senses": (2_800,),
    "sentences": (500, 22_500, 90_000),
    "films": (500, 22_500),
}


def leads_by_review(right_one, right_other, review, draws=1000, seed=0):
    """Return the lead of one model in accuracy, once for each draw of reviews."""
    ahead = right_one.astype(float) - right_other  # -1, 0 or 1 for each text
    _, whose = np.unique(review, return_inverse=True)
    ahead, number = np.bincount(whose, ahead), np.bincount(whose)  # for each review
    rng, leads = np.random.default_rng(seed), []
    for _ in range(draws):
        drawn = rng.integers(len(ahead), size=len(ahead))
        leads.append(ahead[drawn].sum() / number[drawn].sum())
    return np.array(leads)


def interval(leads):
    return np.quantile(leads, (0.025, 0.975))

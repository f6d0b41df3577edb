"""Input pipelines: reviews and pairs a second, and how much of a batch is padding.

The other one is that of many tutorials: reviews from files through
``text_dataset_from_directory``, pairs from a list in memory, ``TextVectorization``
inside the pipeline, every row padded or cut to one length. Ours makes ids from a list
in memory first. A vocabulary is learned beforehand. "From texts" is the time from the
texts to the last batch, "again" that of a later epoch.
"""

import pathlib
import tempfile
import time

import numpy as np

from benchmarks.ladder import splits
from benchmarks.peers import Peers
from course_utils import datasets, environment
from course_utils.datasets.batches import classification_batches, translation_batches
from course_utils.text.vectorizers import SubwordVectorizer, WordVectorizer

REVIEWS, PAIRS = 5000, 20_000
VOCABULARY = {"reviews": 20_000, "pairs": 4000}
REVIEW_LENGTH, REVIEW_BATCH = 600, 32  # of the tutorials
PAIR_LENGTH, PAIR_BATCH, PAIR_WORDS = 20, 64, 15_000
TOKENS_PER_BATCH = {"reviews": 8192, "pairs": 1600}
WINDOW = 256  # of lesson 05's training


def load(task):
    """Return raw texts: reviews and labels, or English and Spanish sentences."""
    if task == "reviews":
        full = environment.data_mode() == "full"
        texts, labels = (datasets.imdb if full else datasets.reviews).load("train")
        return list(texts[:REVIEWS]), np.asarray(labels[:REVIEWS])
    pairs = [(e, s) for e, several in splits().train for s in several][:PAIRS]
    return [list(side) for side in zip(*pairs, strict=True)]


class Pipeline:
    """One task's texts, and the time of epochs over them.

    Args:
        task: "reviews" or "pairs".
    """

    def __init__(self, task):
        self.task = task
        self.first, self.second = load(task)
        self.learn()
        self.restart()

    def prepare(self):
        """Return what the batches hold: rows, tokens and the share of padding."""
        rows = tokens = padding = 0
        for arrays in self.batches():
            rows += len(arrays[0])
            tokens += sum(array.numpy().size for array in arrays)
            padding += sum(int((array.numpy() == 0).sum()) for array in arrays)
        return {"rows": rows, "tokens": tokens, "padding": padding / tokens}

    def seconds_from_texts(self):
        """Return the seconds of an epoch that starts from the raw texts."""
        start = time.perf_counter()
        self.restart()
        self.seconds_again()
        return time.perf_counter() - start

    def seconds_again(self):
        """Return the seconds of a later epoch."""
        start = time.perf_counter()
        for _ in self.batches():
            pass
        return time.perf_counter() - start


class OursPeer(Pipeline):
    """Ids made once for all texts, batches of like length padded to their longest."""

    def learn(self):
        if self.task == "reviews":
            self.vectorizer = WordVectorizer.train(self.first, VOCABULARY["reviews"])
        else:
            texts = [*self.first, *self.second]
            self.vectorizer = SubwordVectorizer.train(texts, VOCABULARY["pairs"])

    def restart(self):
        encode, tokens = self.vectorizer.encode, TOKENS_PER_BATCH[self.task]
        if self.task == "reviews":
            ids = encode(self.first)
            self.data = classification_batches(ids, self.second, tokens, 0, WINDOW)
        else:
            ids = encode(self.first), encode(self.second)
            self.data = translation_batches(*ids, tokens, seed=0)

    def batches(self):
        """Yield the arrays of ids of each batch."""
        for inputs, _ in self.data:
            yield inputs if isinstance(inputs, tuple) else (inputs,)


class TutorialPeer(Pipeline):
    """``TextVectorization`` inside the pipeline, one length for all."""

    def learn(self):
        from keras import layers

        reviews = self.task == "reviews"
        length = REVIEW_LENGTH if reviews else PAIR_LENGTH
        size = VOCABULARY["reviews"] if reviews else PAIR_WORDS

        def learned(texts, length):
            options = {"output_mode": "int", "output_sequence_length": length}
            layer = layers.TextVectorization(max_tokens=size, **options)
            layer.adapt(texts, batch_size=1024)
            return layer

        self.source_layer = learned(self.first, length)
        if reviews:
            self.folder = tempfile.TemporaryDirectory()
            write_files(self.first, self.second, pathlib.Path(self.folder.name))
        else:
            self.second = [f"bos {text} eos" for text in self.second]
            self.target_layer = learned(self.second, length + 1)

    def restart(self):
        self.data = self.reviews() if self.task == "reviews" else self.pairs()

    def reviews(self):
        import keras
        import tensorflow as tf

        def vectorize(texts, _):
            return (self.source_layer(texts),)

        options = {"batch_size": REVIEW_BATCH, "seed": 0, "verbose": False}
        data = keras.utils.text_dataset_from_directory(self.folder.name, **options)
        data = data.map(vectorize, num_parallel_calls=tf.data.AUTOTUNE)
        return data.prefetch(tf.data.AUTOTUNE)

    def pairs(self):
        import tensorflow as tf

        def vectorize(english, spanish):
            return self.source_layer(english), self.target_layer(spanish)[:, :-1]

        data = tf.data.Dataset.from_tensor_slices((self.first, self.second))
        data = data.batch(PAIR_BATCH)
        data = data.map(vectorize, num_parallel_calls=tf.data.AUTOTUNE)
        # In memory from the second epoch on, then shuffled.
        return data.cache().shuffle(2048, seed=0).prefetch(tf.data.AUTOTUNE)

    def batches(self):
        """Yield the arrays of ids of each batch."""
        yield from self.data


def write_files(texts, labels, folder):
    """Write one file per text into a directory per label."""
    for number, (text, label) in enumerate(zip(texts, labels, strict=True)):
        place = folder / str(int(label))
        place.mkdir(exist_ok=True)
        (place / f"{number}.txt").write_text(text, encoding="utf-8")


PEERS = {"ours": OursPeer, "tutorial": TutorialPeer}


def measure(repeats=5):
    """Return one row per task and peer: what an epoch holds, and rows a second."""
    rows = []
    for task in ("reviews", "pairs"):
        with Peers(PEERS, task) as running:
            held = running.ask_all("prepare")
            again = running.turns("seconds_again", repeats=repeats)
            first = running.turns("seconds_from_texts", repeats=repeats)
        for name, found in held.items():
            row = dict(task=task, peer=name, **found)
            row["from_texts"] = [found["rows"] / turn for turn in first[name]]
            row["again"] = [found["rows"] / turn for turn in again[name]]
            rows.append(row)
            print(row, flush=True)
    return rows

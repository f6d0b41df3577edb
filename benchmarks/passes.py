"""How lesson 14's small BERT learns best from all labels: optimizer and passes.

Each recipe makes two passes over the labelled reviews, with the learning rates that
suited its optimizer. It is scored on labelled reviews that were held out: the whole
validation part and some reviews of the training part. The test part isn't read.
"""

import time

import keras
import numpy as np

from course_utils import datasets, environment, training
from course_utils.bert.classifier import BertClassifier
from course_utils.bert.model import BertEncoder
from course_utils.datasets.batches import classification_batches
from course_utils.models import load_mini_bert
from course_utils.text.vectorizers import head_and_tail

HELD_OUT = 5_000  # of the training part
WINDOWS, MAX_WINDOWS = 126, 4  # pieces of a window; windows of a review
TOKENS = 4096
# Optimizer, and for each pass what it shows and the peak of the learning rate.
RECIPES = {
    "Adam": [("one window", 5e-4), ("all windows", 3e-4)],
    "Muon": [("one window", 3e-3), ("all windows", 1.5e-3)],
    "Muon, windows only": [("one window", 3e-3), ("one window", 1.5e-3)],
}


class Rate(keras.callbacks.Callback):
    """A straight rise of the learning rate, then a cosine to 0."""

    def __init__(self, peak, steps):
        super().__init__()
        self.schedule = training.warmup_cosine(peak, steps, max(1, steps // 10))
        self.step = 0

    def on_train_batch_begin(self, batch, logs=None):
        self.model.optimizer.learning_rate = self.schedule(self.step)
        self.step += 1


def split(vectorizer, count=None):
    """Return (ids, labels) to learn from and (ids, labels) that are held out."""
    full = environment.data_mode() == "full"
    corpus = datasets.imdb if full else datasets.reviews
    texts, labels = corpus.load("train")
    held_texts, held_labels = corpus.load("validation")
    ids, held_ids = vectorizer.encode(texts[:count]), vectorizer.encode(held_texts)
    out = min(HELD_OUT, len(ids) // 4)
    order = np.random.default_rng(0).permutation(len(ids))
    learn, held = order[out:], order[:out]
    held_ids += [ids[i] for i in held]
    held_labels = np.concatenate([held_labels, labels[held]])
    return ([ids[i] for i in learn], labels[learn]), (held_ids, held_labels)


def new_classifier(mini_bert, optimizer):
    """Return a compiled classifier on the pre-trained encoder."""
    keras.utils.set_random_seed(0)
    dtype = environment.fastest_dtype()
    options = mini_bert.network.encoder.options
    model = BertClassifier(BertEncoder(**options, dtype=dtype))
    model.encoder.set_weights(mini_bert.network.encoder.get_weights())
    chosen = "adam"
    if optimizer.startswith("Muon"):
        chosen = keras.optimizers.Muon(adam_lr_ratio=0.3)
    model.compile(
        chosen,
        "binary_crossentropy",
        metrics=["accuracy"],
        jit_compile=environment.accelerator(),
    )
    return model


def shorten(ids):
    """Cut reviews to the windows that the classifier reads."""
    return [head_and_tail(one, WINDOWS * MAX_WINDOWS) for one in ids]


def measure(repeats=None, recipes=RECIPES, count=None):
    """Return one row per recipe and pass; a training isn't repeated.

    Args:
        repeats: not used.
        recipes: as ``RECIPES``.
        count: number of training reviews; None takes all.
    """
    mini_bert = load_mini_bert()
    (ids, labels), (held_ids, held_labels) = split(mini_bert.vectorizer, count)
    held = classification_batches(shorten(held_ids), held_labels, 4 * TOKENS)
    rows = []
    for recipe, passes in recipes.items():
        model = new_classifier(mini_bert, recipe)
        for number, (shown, peak) in enumerate(passes, 1):
            window = WINDOWS if shown == "one window" else None
            seen = ids if window else shorten(ids)
            data = classification_batches(seen, labels, TOKENS, number, window)
            start = time.perf_counter()
            rate = Rate(peak, len(data))
            model.fit(data, callbacks=[rate], shuffle=False, verbose=0)
            minutes = (time.perf_counter() - start) / 60
            score = model.evaluate(held, verbose=0)[1]
            rows.append(dict(peer=recipe, number=number, shown=shown, score=score))
            rows[-1].update(minutes=minutes, held_out=len(held_labels))
            print(rows[-1], flush=True)
    return rows

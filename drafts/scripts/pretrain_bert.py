"""Pre-train the small BERT of lesson 14 for longer than the lesson has time for.

    python scripts/pretrain_bert.py [--data full|sample] [--output DIRECTORY]

It reads IMDB's reviews without labels, the same text as the lesson, and writes to
`models/`: `mini_bert.keras`, the network with its vectorizer, and `mini_bert.json`, its
figures on reviews that it never read. With `--data sample` a tiny one lands in
`build/models`. An interrupted training goes on where its last round ended.
"""

import argparse
import datetime
import json
import os
import shutil
import sys
import time
from pathlib import Path

import keras

from course_utils import datasets, environment, metrics, training
from course_utils.bert import BertEncoder, BertPretraining, MiniBert
from course_utils.datasets.masked import SentencePairs, pretraining_batches
from course_utils.files import atomic_write, sha256
from course_utils.wordpiece import WordPieceVectorizer

ROOT = Path(__file__).resolve().parents[1]
NAME = "mini_bert.keras"
SEED = 0
RECIPES = {
    "full": {
        "vocab_size": 8000,
        "length": 128,
        "size": {"embed_dim": 128, "dense_dim": 512, "num_heads": 2, "num_layers": 2},
        "batch_size": 64,
        "rounds": 40,
        "steps": 500,
        "peak": 2e-3,
        "held_out": 40,
    },
    "sample": {
        "vocab_size": 700,
        "length": 48,
        "size": {"embed_dim": 16, "dense_dim": 32, "num_heads": 2, "num_layers": 1},
        "batch_size": 16,
        "rounds": 2,
        "steps": 4,
        "peak": 2e-3,
        "held_out": 2,
    },
}
PLACES = {"full": "models", "sample": "build/models"}


def load_texts(data):
    """Return the texts to learn from, and others to measure on."""
    if data == "full":
        texts, _ = datasets.imdb.load("unsupervised")
        return texts, datasets.imdb.load("validation")[0]
    return datasets.reviews.load("train")[0], datasets.reviews.load("validation")[0]


def batches(vectorizer, texts, recipe, seed):
    """Return the endless batches of both tasks."""
    ids = vectorizer.encode(texts)
    pairs = SentencePairs(ids, recipe["length"], vectorizer.sentence_ends)
    size = vectorizer.vocabulary_size, recipe["batch_size"]
    return pretraining_batches(pairs, *size, seed=seed)


def build(recipe, vocab_size):
    """Return an untrained network."""
    return BertPretraining(BertEncoder(vocab_size, recipe["length"], **recipe["size"]))


def compile_network(network, learning_rate):
    """Give the network both losses and both measures."""
    network.compile(
        keras.optimizers.Adam(learning_rate),
        [
            training.MaskedCrossEntropy(),
            keras.losses.BinaryCrossentropy(from_logits=True),
        ],
        metrics=[
            [metrics.MaskedAccuracy("tokens")],
            [keras.metrics.BinaryAccuracy("follows", threshold=0)],
        ],
    )


def rounds_done(backup):
    """Return how many rounds a state in a backup directory has behind it."""
    path = backup / "training_metadata.json"
    return json.loads(path.read_text("utf-8"))["epoch"] if path.exists() else 0


def train(texts, held_out_texts, recipe, backup):
    """Pre-train; return the model and its figures on held-out texts.

    Args:
        texts: texts to learn from.
        held_out_texts: texts to measure on.
        recipe: one of ``RECIPES``.
        backup: directory for the state after each round, removed at the end.
    """
    keras.utils.set_random_seed(SEED)
    vectorizer = WordPieceVectorizer.train(texts, recipe["vocab_size"])
    network = build(recipe, vectorizer.vocabulary_size)
    steps = recipe["rounds"] * recipe["steps"]
    compile_network(network, training.warmup_cosine(recipe["peak"], steps, steps // 8))
    held_out = batches(vectorizer, held_out_texts, recipe, SEED)
    held_out = held_out.take(recipe["held_out"]).cache()
    network.fit(
        # After an interruption other windows are drawn than in the first rounds.
        batches(vectorizer, texts, recipe, [SEED, rounds_done(backup)]),
        validation_data=held_out,
        epochs=recipe["rounds"],
        steps_per_epoch=recipe["steps"],
        shuffle=False,
        verbose=2,
        callbacks=[keras.callbacks.BackupAndRestore(backup, double_checkpoint=True)],
    )
    figures = network.evaluate(held_out, verbose=0, return_dict=True)
    # A fresh network has no optimizer, so the file holds the weights alone.
    clean = build(recipe, vectorizer.vocabulary_size)
    clean.set_weights(network.get_weights())
    return MiniBert(vectorizer, clean), figures


def save(model, path):
    """Save under a temporary name first, so that the file is complete or not there."""
    temporary = path.with_name(f".{path.name}.part.keras")
    try:
        model.save(temporary)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def describe(model, path, recipe, figures, minutes):
    """Return the facts of the model as a dictionary."""
    versions = environment.versions()
    software = ", ".join(f"{name} {versions[name]}" for name in ("TensorFlow", "Keras"))
    return {
        "masked tokens right, held-out reviews": f"{figures['tokens']:.4f}",
        "next sentence right, held-out reviews": f"{figures['follows']:.4f}",
        "weights": f"{model.count_params():,}",
        "file": f"{path.stat().st_size / 1e6:.1f} MB",
        "sha256": f"`{sha256(path)}`",
        "steps, seed": f"{recipe['rounds'] * recipe['steps']:,}, {SEED}",
        "training": f"{minutes}, {environment.hardware()}",
        "made with": f"{software}, {datetime.date.today()}",
    }


def main(arguments=None):
    """Pre-train, save and describe; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", choices=RECIPES, default="full")
    parser.add_argument("--output", type=Path, help="default: models, or build/models")
    options = parser.parse_args(arguments)
    recipe = RECIPES[options.data]
    output = options.output or ROOT / PLACES[options.data]
    output.mkdir(parents=True, exist_ok=True)
    backup = output / f".backup-bert-{options.data}"
    resumed = backup.exists()
    start = time.perf_counter()
    model, figures = train(*load_texts(options.data), recipe, backup)
    minutes = f"{(time.perf_counter() - start) / 60:.1f} minutes"
    minutes += " since an interruption" if resumed else ""
    shutil.rmtree(backup, ignore_errors=True)
    path = output / NAME
    save(model, path)
    facts = describe(model, path, recipe, figures, minutes)
    with atomic_write(path.with_suffix(".json")) as file:
        json.dump(facts, file, indent=2, ensure_ascii=False)
        file.write("\n")
    for name, value in facts.items():
        print(f"{name}: {value}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

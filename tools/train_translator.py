"""Train the English→Spanish translator that comes with the course, and score it once.

    python -m tools.train_translator [--data full|sample] [--output DIRECTORY]

The recipe is lesson 09's. With `--data full` it takes about as long as that lesson's
training and writes to `models/`: `en_es.keras`, the translator with its vectorizer,
`en_es.json`, its figures, and the table in the model card. Copy the new checksum into
`course_utils/models.py`. With `--data sample` a tiny one lands in `build/models`. An
interrupted training goes on where its last epoch ended.
"""

import argparse
import datetime
import shutil
import sys
import time
from pathlib import Path

import keras

from course_utils import datasets, environment, metrics, training
from course_utils.datasets.batches import translation_batches
from course_utils.files import sha256
from course_utils.models import NAME
from course_utils.seq2seq import TranslationTransformer, Translator
from course_utils.text.vectorizers import SubwordVectorizer
from tools.model_card import (
    facts_table,
    fill_card,
    save_model,
    software,
    write_json,
)

ROOT = Path(__file__).resolve().parents[1]
SEED = 0
LONGEST = 95  # tokens of a training sentence; one more is the start or the end
RECIPES = {
    "full": {
        "vocab_size": 4000,
        "embed_dim": 192,
        "dense_dim": 768,
        "num_layers": 2,
        "dropout": 0.1,
        "epochs": 7,
    },
    "sample": {
        "vocab_size": 1500,
        "embed_dim": 32,
        "dense_dim": 64,
        "num_layers": 1,
        "dropout": 0.0,
        "epochs": 1,
    },
}
TOKENS_PER_BATCH, PEAK, HEADS = 1600, 4e-3, 4
FOLDERS = {"full": "models", "sample": "build/models"}


def encode_pairs(vectorizer, rows):
    """Return source and target ids of the pairs that are short enough to learn from."""
    both = zip(*[(e, s) for e, several in rows for s in several], strict=True)
    ids = zip(*map(vectorizer.encode, both), strict=True)
    kept = [pair for pair in ids if max(map(len, pair)) <= LONGEST]
    return [list(side) for side in zip(*kept, strict=True)]


def build(recipe, vocab_size):
    """Return an untrained model."""
    options = {k: recipe[k] for k in ("embed_dim", "dense_dim", "num_layers")}
    model = TranslationTransformer(
        vocab_size, LONGEST + 1, num_heads=HEADS, dropout=recipe["dropout"], **options
    )
    model.build()
    return model


def train(splits, recipe, backup):
    """Train on the training split; return the translator.

    Args:
        splits: `Splits` of sentence pairs.
        recipe: one of ``RECIPES``.
        backup: directory for the state after each epoch, removed at the end.
    """
    keras.utils.set_random_seed(SEED)
    texts = [t for e, several in splits.train for s in several for t in (e, s)]
    vectorizer = SubwordVectorizer.train(texts, recipe["vocab_size"])
    pairs = encode_pairs(vectorizer, splits.train)
    batches = translation_batches(*pairs, TOKENS_PER_BATCH, seed=SEED)
    model = build(recipe, vectorizer.vocabulary_size)
    steps = recipe["epochs"] * len(batches)
    schedule = training.warmup_cosine(PEAK, steps, max(1, min(200, steps // 10)))
    model.compile(
        keras.optimizers.Muon(schedule, use_ema=True, ema_momentum=0.99),
        training.MaskedCrossEntropy(label_smoothing=0.1),
        metrics=[metrics.MaskedAccuracy(name="accuracy")],
        jit_compile=environment.accelerator(),
    )
    model.fit(
        batches,
        validation_data=translation_batches(
            *encode_pairs(vectorizer, splits.validation), 4096
        ),
        epochs=recipe["epochs"],
        shuffle=False,
        verbose=2,
        callbacks=[keras.callbacks.BackupAndRestore(backup, double_checkpoint=True)],
    )
    # A fresh model has no optimizer, so the file holds the weights alone.
    clean = build(recipe, vectorizer.vocabulary_size)
    clean.set_weights(model.get_weights())
    return Translator(vectorizer, clean)


def scores(translator, rows):
    """Return BLEU and chrF of both searches on held-out sentences."""
    english, references = zip(*rows, strict=True)
    beam = translator.translate(english, method="beam")
    greedy = translator.translate(english)
    return {
        "BLEU, beam of 4": metrics.bleu(beam, references),
        "BLEU, greedy": metrics.bleu(greedy, references),
        "chrF, beam of 4": metrics.chrf(beam, references),
    }


def describe(translator, path, recipe, figures, minutes):
    """Return the facts of the model card as (name, value) pairs."""
    return [
        *((f"{name}, test split", value) for name, value in figures.items()),
        ("weights", f"{translator.count_params():,}"),
        ("file", f"{path.stat().st_size / 1e6:.1f} MB"),
        ("sha256", f"`{sha256(path)}`"),
        ("epochs, seed", f"{recipe['epochs']}, {SEED}"),
        ("training", f"{minutes}, {environment.hardware()}"),
        ("made with", f"{software('TensorFlow', 'Keras')}, {datetime.date.today()}"),
    ]


def main(arguments=None):
    """Train, save and score; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", choices=RECIPES, default="full")
    parser.add_argument("--output", type=Path, help="default: models, or build/models")
    options = parser.parse_args(arguments)
    recipe = RECIPES[options.data]
    corpus = datasets.spa_eng if options.data == "full" else datasets.phrasebook
    splits = corpus.load()
    output = options.output or ROOT / FOLDERS[options.data]
    output.mkdir(parents=True, exist_ok=True)
    backup = output / f".backup-{options.data}"
    resumed = backup.exists()
    start = time.perf_counter()
    translator = train(splits, recipe, backup)
    minutes = f"{(time.perf_counter() - start) / 60:.1f} minutes"
    minutes += " since an interruption" if resumed else ""
    shutil.rmtree(backup, ignore_errors=True)
    path = output / NAME
    save_model(translator, path)
    figures = scores(Translator.load(path), splits.test)
    facts = describe(translator, path, recipe, figures, minutes)
    write_json(path.with_suffix(".json"), dict(facts))
    card_table = facts_table(facts)
    fill_card(output / "README.md", "model", card_table)
    print(card_table)
    return 0


if __name__ == "__main__":
    sys.exit(main())

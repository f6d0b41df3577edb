"""Train the mini GPT that comes with the course, and score it once.

    python -m tools.train_gpt [--data full|sample] [--minutes 135] [--output DIR]

It reads IMDB's reviews without labels: those that lesson 10's n-grams count, and no
copy of a review for testing (`character_windows.imdb_parts`). It writes to `models/`:
`mini_gpt.keras`, the network with its subwords, `mini_gpt.json`, its figures, and the
table in the card. Copy the new checksum into `course_utils/models.py`. With
`--data sample` a tiny one lands in `build/models`. The plan, the rounding and
what is kept for an interruption are those of `tools/pretrain_bert.py`; the recipe is
`train_gpt.toml`. If the model isn't good enough, the same command with more minutes
goes on from where the rate began to fall.
"""

import sys
import tomllib
from pathlib import Path

import keras
import numpy as np

from course_utils import datasets
from course_utils.datasets import character_windows as windows
from course_utils.kit import environment
from course_utils.language_models import MiniGPT, TextGenerator, log_probabilities
from course_utils.models import MINI_GPT
from course_utils.text import SubwordVectorizer
from tools import model_card
from tools.pretrain_bert import SEED, backup_name, encode, fit, load_vectorizer

CARD = "mini_gpt.md"
RECIPES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def load_texts(data):
    """Return the reviews to follow the training, to test with, and to learn from."""
    if data == "full":
        return windows.imdb_parts()
    return [datasets.reviews.load(p)[0] for p in ("validation", "test", "train")]


def build(recipe, vocab_size):
    """Return an untrained network."""
    model = MiniGPT(vocab_size, recipe["length"], **recipe["size"])
    model.build()
    return model


def train(parts, recipe, minutes, backup):
    """Train; return the model with its vectorizer, and the progress."""
    keras.utils.set_random_seed(SEED)
    validation, test, texts = parts
    path = backup / "tokenizer.json"
    vocab_size, kind = recipe["vocab_size"], SubwordVectorizer
    vectorizer = load_vectorizer(texts, vocab_size, path, kind)
    if vectorizer.decode(vectorizer.encode(test)) != test:
        raise ValueError(
            "train_gpt: the subwords can't spell every review for testing, but what is "
            "unknown isn't scored; clean the reviews, or leave its characters out."
        )
    network = build(recipe, vectorizer.vocabulary_size)
    network.compile(
        keras.optimizers.Muon(adam_lr_ratio=0.2, clipnorm=1.0),
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        jit_compile=True,  # on two cores an update takes 15 % less time
    )
    network.optimizer.build(network.trainable_variables)

    def batches(texts):
        stream, size = windows.stream(encode(vectorizer, texts)), recipe["length"]
        every = windows.training_batches(stream, size, recipe["batch_size"], SEED)
        return every.skip  # after an interruption, what was read is left out

    held_out = batches(validation)(0).take(recipe["held_out"]).cache()
    plan = recipe, minutes, backup, losses
    progress = fit(network, batches(texts), held_out, *plan)
    # A fresh network has no optimizer, so the file holds the weights alone.
    clean = build(recipe, vectorizer.vocabulary_size)
    clean.set_weights(network.get_weights())
    return TextGenerator(vectorizer, clean), progress


def losses(logs):
    """Say how a round went, in nats per subword."""
    return f"loss {logs['loss']:.3f}, held out {logs['val_loss']:.3f}"


def scores(writer, texts):
    """Return bits per character, and the perplexity per subword, of whole texts."""
    length = writer.model.sequence_length
    ids = writer.vectorizer.encode(texts)
    inputs, targets = windows.scoring_windows(ids, length, length // 4)
    bits = -log_probabilities(writer.model, inputs, targets).sum() / np.log(2)
    perplexity = 2 ** (bits / np.count_nonzero(targets))
    return [
        ("bits per character, test reviews", f"{bits / sum(map(len, texts)):.4f}"),
        ("perplexity per subword, test reviews", f"{perplexity:.2f}"),
    ]


def main(arguments=None):
    """Train, save and describe; return the exit status."""
    options = model_card.options(__doc__, RECIPES, arguments, minutes=True)
    recipe, output = options.recipe, options.output
    parts = load_texts(options.data)
    lasting = {name: value for name, value in recipe.items() if name != "minutes"}
    backup = output / backup_name(parts, lasting, "gpt")
    minutes = options.minutes or recipe["minutes"]
    writer, progress = train(parts, recipe, minutes, backup)
    path = output / MINI_GPT
    model_card.save_model(writer, path)
    read = progress["steps"] * recipe["batch_size"] * recipe["length"]
    done = f"{progress['seconds'] / 60:.1f} minutes, {environment.hardware()}"
    facts = [
        ("updates, subwords read, seed", f"{progress['steps']:,}, {read:,}, {SEED}"),
        ("training", done),
    ]
    figures = scores(writer, parts[1])
    model_card.describe(path, writer, figures, facts, output / CARD, "mini_gpt")
    return 0


if __name__ == "__main__":
    sys.exit(main())

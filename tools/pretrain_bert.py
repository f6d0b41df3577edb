"""Pre-train the small BERT of lesson 11 for longer than the lesson has time for.

    python -m tools.pretrain_bert [--data full|sample] [--minutes 60] [--output DIR]

It reads IMDB's reviews without labels (the unlabelled ones, and those for training,
but no copy of a review for validation or testing) and writes to `models/`:
`mini_bert.keras`, the network with its vectorizer, `mini_bert.json`, its figures on
held-out reviews, and the table in the model card. Copy the new checksum into
`course_utils/models.py`. With `--data sample` a tiny one lands in `build/models`.

The learning rate stays at its peak and falls at the end of the minutes only (Hägele et
al., 2024, "Scaling Laws and Compute-Optimal Training Beyond Fixed Training Durations").
An interrupted training goes on from its last round, if texts and recipe are still the
same. The state before the fall is kept in a folder `.backup-bert-…`, so that a finished
model can be trained for longer: the same command with more minutes goes on from there.
"""

import hashlib
import sys
import time
import tomllib
from pathlib import Path

import keras
import numpy as np

from course_utils import datasets, metrics, training
from course_utils.bert.masking import SentencePairs, pretraining_batches
from course_utils.bert.mini_bert import MiniBert
from course_utils.bert.model import BertEncoder, BertPretraining, init_encoder
from course_utils.kit import environment
from course_utils.text.word_vectors import train_word_vectors
from course_utils.text.wordpiece import WordPieceVectorizer
from tools import model_card
from tools.texts import write

NAME, CARD = "mini_bert.keras", "mini_bert.md"
SEED = 0
WARM_UP, FALL = 0.02, 0.4  # fractions of the minutes: at the beginning, at the end
LONGEST_STEP = 5.0  # seconds that a step counts at most: a paused process loses nothing
LOSS_WEIGHTS = [1, 0.1]  # the second task has two answers only and teaches less
CHUNK = 5_000  # texts that are encoded at once
RECIPES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def load_texts(data):
    """Return the texts to learn from, and others to measure on."""
    if data == "full":
        unlabelled, _ = datasets.imdb.load("unsupervised")
        texts = unlabelled + datasets.imdb.load("train")[0]
        held_out = datasets.imdb.load("validation")[0]
        # The corpus repeats reviews; what is measured on later must not be read here.
        kept_out = {*held_out, *datasets.imdb.load("test")[0]}
        return [text for text in texts if text not in kept_out], held_out
    return datasets.reviews.load("train")[0], datasets.reviews.load("validation")[0]


def backup_name(texts, recipe, name="bert"):
    """Return the name of the folder for the states of one training."""
    digest = hashlib.sha256(repr((texts, recipe)).encode("utf-8"))
    return f".backup-{name}-{digest.hexdigest()[:8]}"


def load_vectorizer(texts, vocab_size, path, kind=WordPieceVectorizer):
    """Learn the pieces, or read those that an earlier start learned."""
    if path.exists():
        return kind(path.read_text("utf-8"))
    vectorizer = kind.train(texts, vocab_size)
    write(path, vectorizer.get_config()["tokenizer"])
    return vectorizer


def encode(vectorizer, texts):
    """Return one array of ids per text; arrays take a tenth of a list's memory."""
    chunks = (texts[i : i + CHUNK] for i in range(0, len(texts), CHUNK))
    return [
        np.array(ids, "int32") for chunk in chunks for ids in vectorizer.encode(chunk)
    ]


def batches(vectorizer, ids, recipe, seed):
    """Return the endless batches of both tasks."""
    pairs = SentencePairs(ids, recipe["length"], vectorizer.sentence_ends)
    size = vectorizer.vocabulary_size, recipe["batch_size"]
    return pretraining_batches(pairs, *size, seed=seed)


def build(recipe, vocab_size):
    """Return an untrained network."""
    encoder = BertEncoder(
        vocab_size, recipe["length"], dropout=recipe["dropout"], **recipe["size"]
    )
    network = BertPretraining(encoder)
    network.build()
    return network


def begin(network, ids, recipe):
    """Start the encoder, its table with word vectors learned from the same texts."""
    embedding = network.encoder.embedding
    shape = embedding.vocab_size, embedding.embed_dim
    print("word vectors ", end="", flush=True)
    vectors = train_word_vectors(ids, *shape, epochs=recipe["word_vector_epochs"])
    print()
    init_encoder(network.encoder, vectors)


def compile_network(network):
    """Give the network its optimizer, both losses and both measures."""
    follows = keras.losses.BinaryCrossentropy(from_logits=True)
    right = keras.metrics.BinaryAccuracy("follows", threshold=0)
    network.compile(
        keras.optimizers.Muon(adam_lr_ratio=0.3),
        [training.MaskedCrossEntropy(), follows],
        loss_weights=LOSS_WEIGHTS,
        metrics=[[metrics.MaskedAccuracy("tokens")], [right]],
    )
    network.optimizer.build(network.trainable_variables)


def rate(elapsed):
    """Return the learning rate over its peak, after a fraction of the minutes."""
    return min(1.0, elapsed / WARM_UP, max(0.0, 1 - elapsed) / FALL)


def state_paths(backup, minutes):
    """Return where the states during the fall and before it are kept."""
    return backup / f"falling-{minutes:g}.npz", backup / "before.npz"


class Minutes(keras.callbacks.Callback):
    """Follow the plan over the minutes: learning rate, log, state, end.

    Args:
        recipe: one of ``RECIPES``.
        minutes: of the whole training, earlier starts counted in.
        progress: seconds and steps that earlier starts have behind them.
        backup: directory for the states.
        tell: a function that says what the logs of a round hold.
    """

    def __init__(self, recipe, minutes, progress, backup, tell=None):
        super().__init__()
        self.recipe, self.minutes, self.progress = recipe, minutes, progress
        self.tell = tell
        self.falling, self.before = state_paths(backup, minutes)

    def elapsed(self):
        """Return the fraction of the minutes that is over."""
        return self.progress["seconds"] / (60 * self.minutes)

    def on_epoch_begin(self, epoch, logs=None):
        self.mark = time.perf_counter()

    def on_train_batch_begin(self, batch, logs=None):
        self.model.optimizer.learning_rate = self.recipe["peak"] * rate(self.elapsed())

    def on_train_batch_end(self, batch, logs=None):
        now = time.perf_counter()
        self.progress["seconds"] += min(now - self.mark, LONGEST_STEP)
        self.progress["steps"] += 1
        self.mark = now
        if self.elapsed() >= 1:
            self.model.stop_training = True

    def on_epoch_end(self, epoch, logs=None):
        print(
            f"{self.progress['seconds'] / 60:6.1f} minutes, {self.progress['steps']:6} "
            f"steps: {self.tell(logs)}",
            flush=True,
        )
        path = self.before if self.elapsed() < 1 - FALL else self.falling
        training.save_state(path, self.model, **self.progress)


def both_tasks(logs):
    """Say how a round went."""
    return (
        f"loss {logs['masked_cross_entropy_loss']:.3f}, held out "
        f"{logs['val_masked_cross_entropy_loss']:.3f}; masked tokens "
        f"{logs['val_tokens']:.4f}, next sentence {logs['val_follows']:.4f} right"
    )


def fit(network, batches_from, held_out, recipe, minutes, backup, tell, begin=None):
    """Train until the minutes are over, from the last state on; return the progress.

    Args:
        network: a compiled network whose optimizer is built.
        batches_from: a function of the steps that are done, to endless batches.
        held_out: batches to measure on after each round.
        recipe, minutes, backup: as for `train`.
        tell: see `Minutes`.
        begin: what starts the weights where there is no state.
    """
    states = [path for path in state_paths(backup, minutes) if path.exists()]
    progress = {"seconds": 0.0, "steps": 0}
    if states:
        training.load_state(states[0], network)
        progress = training.stored_progress(states[0])
        print(f"goes on after {progress['seconds'] / 60:.1f} minutes")
    elif begin:
        begin()
    if progress["seconds"] < 60 * minutes:
        network.fit(
            # After an interruption other windows are drawn than in the first rounds.
            batches_from(progress["steps"]),
            validation_data=held_out,
            epochs=sys.maxsize,
            steps_per_epoch=recipe["steps"],
            shuffle=False,
            verbose=0,
            callbacks=[Minutes(recipe, minutes, progress, backup, tell)],
        )
    # With 11 of their 24 bits, those of float16, the weights pack better.
    halves = [array.astype("float16") for array in network.get_weights()]
    network.set_weights([array.astype("float32") for array in halves])
    return progress


def train(texts, held_out_texts, recipe, minutes, backup):
    """Pre-train; return the model, its figures on held-out texts, and the progress.

    Args:
        texts: texts to learn from.
        held_out_texts: texts to measure on.
        recipe: one of ``RECIPES``.
        minutes: of the whole training, earlier starts counted in.
        backup: directory for the states.
    """
    keras.utils.set_random_seed(SEED)
    pieces = backup / "tokenizer.json"
    vectorizer = load_vectorizer(texts, recipe["vocab_size"], pieces)
    ids = encode(vectorizer, texts)
    network = build(recipe, vectorizer.vocabulary_size)
    compile_network(network)
    held_out = batches(vectorizer, encode(vectorizer, held_out_texts), recipe, SEED)
    held_out = held_out.take(recipe["held_out"]).cache()
    progress = fit(
        network,
        lambda steps: batches(vectorizer, ids, recipe, [SEED, steps]),
        held_out,
        *(recipe, minutes, backup, both_tasks),
        lambda: begin(network, ids, recipe),
    )
    figures = network.evaluate(held_out, verbose=0, return_dict=True)
    # A fresh network has no optimizer, so the file holds the weights alone.
    clean = build(recipe, vectorizer.vocabulary_size)
    clean.set_weights(network.get_weights())
    return MiniBert(vectorizer, clean), figures, progress


def main(arguments=None):
    """Pre-train, save and describe; return the exit status."""
    environment.xla_only_when_asked()
    options = model_card.options(__doc__, RECIPES, arguments, minutes=True)
    recipe, output = options.recipe, options.output
    minutes = options.minutes or recipe["minutes"]
    texts, held_out_texts = load_texts(options.data)
    backup = output / backup_name(texts, recipe)
    model, figures, progress = train(texts, held_out_texts, recipe, minutes, backup)
    path = output / NAME
    model_card.save_model(model, path)
    measured = [
        ("masked tokens right, held-out reviews", f"{figures['tokens']:.4f}"),
        ("next sentence right, held-out reviews", f"{figures['follows']:.4f}"),
    ]
    done = f"{progress['seconds'] / 60:.1f} minutes after the word vectors"
    training = [
        ("steps, seed", f"{progress['steps']:,}, {SEED}"),
        ("training", f"{done}, {environment.hardware()}"),
    ]
    model_card.describe(path, model, measured, training, output / CARD, "mini_bert")
    return 0


if __name__ == "__main__":
    sys.exit(main())

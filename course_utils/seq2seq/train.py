"""How the course's translator is trained, on whatever sentence pairs there are."""

import hashlib
import time
import tomllib
from pathlib import Path

import keras

from course_utils import metrics, training
from course_utils.datasets.batches import translation_batches
from course_utils.kit import environment
from course_utils.seq2seq.transformer import TranslationTransformer
from course_utils.seq2seq.translator import Translator
from course_utils.text.vectorizers import SubwordVectorizer

# The recipe of lesson 09, and what changes for fewer pairs.
RECIPE = tomllib.loads(Path(__file__).with_name("recipe.toml").read_text("utf-8"))
SMALLER = {int(pairs): changes for pairs, changes in RECIPE.pop("fewer").items()}
SIZES = ("embed_dim", "dense_dim", "num_heads", "num_layers", "dropout")
PAIRS_READ, MOST_EPOCHS = 700_000, 40  # in a training: epochs times pairs
TRIAL_STEPS = 20  # to measure the speed of this machine


def recipe_for(pairs, **chosen):
    """Return the recipe for so many training pairs.

    Args:
        pairs: their number.
        chosen: entries that replace the recipe's own; those that are None don't. With
            "minutes" the number of epochs is the one that fits into them.

    Example:
        >>> recipe_for(100_000)["epochs"], recipe_for(20_000, epochs=None)["embed_dim"]
        (7, 128)
    """
    recipe = dict(RECIPE)
    for below, smaller in SMALLER.items():
        if pairs < below:
            recipe |= smaller
    if pairs < max(SMALLER):
        recipe["epochs"] = min(MOST_EPOCHS, round(PAIRS_READ / pairs))
    return recipe | {name: x for name, x in chosen.items() if x is not None}


def state_path(path, splits, recipe, seed):
    """Return where a training that will write ``path`` keeps its state.

    Other pairs, another recipe or another seed are another training.
    """
    digest = hashlib.sha256(repr((splits.train, recipe, seed)).encode("utf-8"))
    return path.with_name(f".{path.stem}-{digest.hexdigest()[:8]}.npz")


def encode_pairs(vectorizer, rows, longest):
    """Return source and target ids of the pairs that are short enough to learn from."""
    both = zip(*[(e, s) for e, several in rows for s in several], strict=True)
    ids = zip(*map(vectorizer.encode, both), strict=True)
    kept = [pair for pair in ids if max(map(len, pair)) <= longest]
    if not kept:
        raise ValueError(
            f"All pairs have more than {longest} tokens; split them into sentences."
        )
    return [list(side) for side in zip(*kept, strict=True)]


def build(recipe, vocab_size):
    """Return an untrained model."""
    options = {name: recipe[name] for name in SIZES}
    model = TranslationTransformer(vocab_size, recipe["longest"] + 1, **options)
    model.build()
    return model


def compiled(recipe, vocab_size, steps):
    """Return an untrained model with its optimizer for so many steps, and its loss."""
    model = build(recipe, vocab_size)
    steps = max(2, steps)  # one for the warm-up
    rate = training.warmup_cosine(recipe["peak"], steps, max(1, min(200, steps // 10)))
    model.compile(
        keras.optimizers.Muon(rate, use_ema=True, ema_momentum=recipe["ema_momentum"]),
        training.MaskedCrossEntropy(label_smoothing=recipe["label_smoothing"]),
        metrics=[metrics.MaskedAccuracy(name="accuracy")],
    )
    model.optimizer.build(model.trainable_variables)  # so that a state can be loaded
    return model


def train(splits, recipe, state, seed=0):
    """Train on the training split; return the translator.

    A training that was interrupted goes on after its last complete epoch, if its state
    is still there. The caller removes it when the translator is stored.

    Args:
        splits: `Splits` of sentence pairs; the test part isn't read.
        recipe: see ``recipe_for``.
        state: file for the state after each epoch, see ``state_path``.
        seed: of all random numbers.
    """
    environment.xla_only_when_asked()
    keras.utils.set_random_seed(seed)
    texts = [t for e, several in splits.train for s in several for t in (e, s)]
    vectorizer = SubwordVectorizer.train(texts, recipe["vocab_size"])
    size, longest = vectorizer.vocabulary_size, recipe["longest"]
    pairs = encode_pairs(vectorizer, splits.train, longest)
    if left_out := len(texts) // 2 - len(pairs[0]):
        print(f"{left_out:,} pairs of more than {longest} tokens are left out")
    batches = translation_batches(*pairs, recipe["tokens_per_batch"], seed=seed)
    held_out = encode_pairs(vectorizer, splits.validation, longest)
    done, epochs = 0, recipe["epochs"]
    if progress := training.stored_progress(state):
        done, epochs = progress["done"], progress["epochs"]
    elif "minutes" in recipe:
        epochs = _fitting_epochs(recipe, size, batches)
    model = compiled(recipe, size, epochs * len(batches))
    if done:
        training.load_state(state, model)
        print(f"goes on after epoch {done} of {epochs}", flush=True)
    model.fit(
        batches,
        validation_data=translation_batches(*held_out, 4096),
        initial_epoch=done,
        epochs=epochs,
        shuffle=False,
        verbose=0,
        callbacks=[EpochEnds(state, epochs)],
    )
    # A fresh model has no optimizer, so the file holds the weights alone.
    clean = build(recipe, size)
    clean.set_weights(model.get_weights())
    return Translator(vectorizer, clean)


def report(translator, rows):
    """Say how well sentences are translated that are not too long, by a beam of four.

    Args:
        translator: a ``Translator``.
        rows: list of `(source, [target, ...])`.
    """
    limit = translator.transformer.sequence_length
    ids = translator.vectorizer.encode([source for source, _ in rows])
    short = [row for row, one in zip(rows, ids, strict=True) if len(one) <= limit]
    sources, references = zip(*short, strict=True)
    written = translator.translate(sources, method="beam")
    score, low, high = metrics.bleu_interval(written, references)
    bleu = f"BLEU {score:.1f} (95 % interval {low:.1f}–{high:.1f})"
    chrf = f"chrF {metrics.chrf(written, references):.1f}"
    return f"{bleu}, {chrf}, {len(short):,} of {len(rows):,} sentences for the test"


def _fitting_epochs(recipe, vocab_size, batches):
    """Return how many epochs fit into the recipe's minutes, as another model tells."""
    model = compiled(recipe, vocab_size, TRIAL_STEPS)
    model.fit(batches.take(1), shuffle=False, verbose=0)  # makes the graph
    start = time.perf_counter()
    model.fit(batches.take(TRIAL_STEPS), shuffle=False, verbose=0)
    step = (time.perf_counter() - start) / min(TRIAL_STEPS, len(batches))
    return max(1, round(60 * recipe["minutes"] / (step * len(batches))))


class EpochEnds(keras.callbacks.Callback):
    """After each epoch store the state, and print a line with the minutes left.

    Args:
        state: the file.
        epochs: of the whole training.
    """

    def __init__(self, state, epochs):
        super().__init__()
        self.state, self.epochs = state, epochs

    def on_train_batch_end(self, batch, logs=None):
        if batch == 0:  # in the first epoch it takes long, for the graph is made
            self.start = time.perf_counter()

    def on_test_begin(self, logs=None):
        self.minutes = (time.perf_counter() - self.start) / 60

    def on_epoch_end(self, epoch, logs=None):
        progress = {"done": epoch + 1, "epochs": self.epochs}
        training.save_state(self.state, self.model, **progress)
        print(
            f"epoch {epoch + 1} of {self.epochs}: loss {logs['loss']:.3f}, held out "
            f"{logs['val_loss']:.3f}, right tokens {logs['val_accuracy']:.1%}; about "
            f"{self.minutes * (self.epochs - epoch - 1):.1f} minutes left",
            flush=True,
        )

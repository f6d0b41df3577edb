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

# The recipe of lesson 08, and what changes for fewer pairs.
RECIPE = tomllib.loads(Path(__file__).with_name("recipe.toml").read_text("utf-8"))
SMALLER = {int(pairs): changes for pairs, changes in RECIPE.pop("fewer").items()}
SIZES = ("embed_dim", "dense_dim", "num_heads", "num_layers", "dropout")
PAIRS_READ = 700_000  # in a training: epochs times pairs
MOST_EPOCHS = 40
TRIAL_STEPS = 20  # to measure the speed of this machine
STATE_FORMAT = 2  # another number: a state of before isn't read


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
    for limit, changes in SMALLER.items():
        if pairs < limit:
            recipe.update(changes)
    if pairs < max(SMALLER):
        recipe["epochs"] = min(MOST_EPOCHS, round(PAIRS_READ / pairs))
    for name, value in chosen.items():
        if value is not None:
            recipe[name] = value
    return recipe


def state_path(path, splits, recipe, seed):
    """Return where a training that will write ``path`` keeps its state.

    Other pairs, another recipe or another seed are another training.
    """
    facts = repr((STATE_FORMAT, splits.train, recipe, seed))
    digest = hashlib.sha256(facts.encode("utf-8"))
    return path.with_name(f".{path.stem}-{digest.hexdigest()[:8]}.npz")


def encode_pairs(vectorizer, rows, longest):
    """Return source and target ids of the pairs that are short enough.

    Args:
        vectorizer: a ``SubwordVectorizer``.
        rows: list of `(source, [target, ...])`.
        longest: how many tokens a side may have.
    Raises:
        ValueError: none is short enough.
    """
    pairs = [(source, target) for source, targets in rows for target in targets]
    source_ids = vectorizer.encode([source for source, _ in pairs])
    target_ids = vectorizer.encode([target for _, target in pairs])
    short_sources = []
    short_targets = []
    for source, target in zip(source_ids, target_ids, strict=True):
        if max(len(source), len(target)) <= longest:
            short_sources.append(source)
            short_targets.append(target)
    if not short_sources:
        raise ValueError(
            f"All pairs have more than {longest} tokens; split them into sentences."
        )
    return short_sources, short_targets


def short_rows(vectorizer, rows, longest):
    """Return the rows whose source sentence is short enough to be translated.

    Args:
        vectorizer, rows, longest: as for ``encode_pairs``.
    Raises:
        ValueError: none is short enough.
    """
    ids = vectorizer.encode([source for source, _ in rows])
    short = [
        row for row, tokens in zip(rows, ids, strict=True) if len(tokens) <= longest
    ]
    if not short:
        raise ValueError(
            f"All {len(rows):,} sentences held out for the test have more than "
            f"{longest} tokens; split them into shorter ones."
        )
    return short


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
    is still there, and becomes what it would have become. The caller removes the state
    when the translator is stored.

    Args:
        splits: `Splits` of sentence pairs; of the test part, lengths alone are read.
        recipe: see ``recipe_for``.
        state: file for the state after each epoch, see ``state_path``.
        seed: of all random numbers.
    Raises:
        ValueError: all sentences of a part are too long; nothing is trained then.
    """
    environment.xla_only_when_asked()
    keras.utils.set_random_seed(seed)
    texts = []
    for source, targets in splits.train:
        for target in targets:
            texts += [source, target]
    vectorizer = SubwordVectorizer.train(texts, recipe["vocab_size"])
    vocab_size = vectorizer.vocabulary_size
    longest = recipe["longest"]
    tokens = recipe["tokens_per_batch"]
    sources, targets = encode_pairs(vectorizer, splits.train, longest)
    held_out = encode_pairs(vectorizer, splits.validation, longest)
    short_rows(vectorizer, splits.test, longest + 1)  # as `report` will ask for
    too_long = len(texts) // 2 - len(sources)
    if too_long:
        print(f"{too_long:,} pairs of more than {longest} tokens are left out")

    epochs_done = 0
    epochs = recipe["epochs"]
    progress = training.stored_progress(state)
    if progress:
        epochs_done = progress["done"]
        epochs = progress["epochs"]
    elif "minutes" in recipe:
        trial = translation_batches(sources, targets, tokens, seed)
        epochs = _fitting_epochs(recipe, vocab_size, trial)
    batches = translation_batches(
        sources, targets, tokens, seed, first_epoch=epochs_done
    )
    model = compiled(recipe, vocab_size, epochs * len(batches))
    if progress:
        training.load_state(state, model)
        print(f"goes on after epoch {epochs_done} of {epochs}", flush=True)
    model.fit(
        batches,
        validation_data=translation_batches(*held_out, tokens_per_batch=4096),
        initial_epoch=epochs_done,
        epochs=epochs,
        shuffle=False,
        verbose=0,
        callbacks=[EpochEnds(state, epochs)],
    )
    # A fresh model has no optimizer, so the file holds the weights alone.
    clean = build(recipe, vocab_size)
    clean.set_weights(model.get_weights())
    return Translator(vectorizer, clean)


def report(translator, rows):
    """Say how well sentences are translated that are not too long, by a beam of four.

    Args:
        translator: a ``Translator``.
        rows: list of `(source, [target, ...])`.
    Raises:
        ValueError: all sentences are too long.
    """
    limit = translator.transformer.sequence_length
    short = short_rows(translator.vectorizer, rows, limit)
    sources = [source for source, _ in short]
    references = [targets for _, targets in short]
    translations = translator.translate(sources, method="beam")
    score, low, high = metrics.bleu_interval(translations, references)
    bleu = f"BLEU {score:.1f} (95 % interval {low:.1f}–{high:.1f})"
    chrf = f"chrF {metrics.chrf(translations, references):.1f}"
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
        training.save_state(self.state, self.model, done=epoch + 1, epochs=self.epochs)
        print(
            f"epoch {epoch + 1} of {self.epochs}: loss {logs['loss']:.3f}, held out "
            f"{logs['val_loss']:.3f}, right tokens {logs['val_accuracy']:.1%}; about "
            f"{self.minutes * (self.epochs - epoch - 1):.1f} minutes left",
            flush=True,
        )

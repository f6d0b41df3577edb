"""Train the English→Spanish translator that comes with the course, and score it once.

    python -m tools.train_translator [--data full|sample] [--output DIRECTORY]

It learns in two stages. In the first one it reads the pairs in both directions. Then it
writes pairs of its own (`tools/written_pairs.py`), and in the second stage it goes on
from English to Spanish, with these and the real ones.

The settings are in `translator_recipe.toml`. With `--data full` the translator goes to
`models/`: `en_es.keras`, with its vectorizer, `en_es.json`, its figures, and the table
in the model card. Copy the new checksum into `course_utils/models.py`. With `--data
sample` a tiny one lands in `build/models`.

The state is stored after each epoch, and so are the translator of the first stage
(`en_es_first_stage.keras`, beside the output) and the pairs. A training that was
interrupted goes on from there with the same batches and the same dropout, as if nothing
had happened.
"""

import hashlib
import json
import sys
import time
import tomllib
from pathlib import Path

import keras
import numpy as np
from keras import ops

from course_utils import datasets, metrics, training
from course_utils.datasets.batches import bucket_by_length, translation_batches
from course_utils.kit import environment
from course_utils.kit.files import atomic_write
from course_utils.models import NAME
from course_utils.seq2seq import Translator
from course_utils.seq2seq.bayes_risk import translate_with_least_risk
from course_utils.seq2seq.train import encode_pairs
from course_utils.seq2seq.transformer import TranslationTransformer
from course_utils.text.vectorizers import (
    SubwordVectorizer,
    decoder_inputs_and_labels,
    pad,
)
from tools import model_card, texts
from tools import translation_errors as errors
from tools.eight_bits import in_eight_bits
from tools.written_pairs import write_pairs

SEED = 0
STAGES = ("first", "second")
RECIPE_FILE = Path(__file__).with_name("translator_recipe.toml")
TINY = {
    "vocab_size": 1500,
    "embed_dim": 32,
    "dense_dim": 64,
    "encoder_layers": 1,
    "decoder_layers": 1,
    "dropout": 0.0,
    "agreement": 0.0,
    "agreement_epochs": 0,
    "precision": "float32",
    "epochs": 1,
    "falling_epochs": 1,
}
DECODINGS = {  # beams and length penalty
    "beam of 4": (4, 1.0),
    "beam of 8": (8, 1.5),
    "minimum Bayes risk": (8, 1.5),
}
# Settings that change nothing while the learning rate stays, but for rounding.
LATER = (
    "epochs",
    "falling_epochs",
    "agreement_epochs",
    "precision",
    "temperature",
)
FIRST_STAGE = "en_es_first_stage.keras"
STATE_NAME = ".translator-"  # how the files of a training in progress begin
CORES = 2  # of the machine that `train_hours` speaks of
START = {"epoch": 0, "steps": 0, "operations": 0, "processor_seconds": 0.0}


def read_recipe(stage="second", changes=None):
    """Return the settings of a stage: those of both stages and its own.

    Args:
        stage: one of STAGES.
        changes: dict of settings that replace those of the file.
    Raises:
        ValueError: a change has a name that the file hasn't, or the learning rate would
            fall, or agreement count, for more epochs than there are.
    """
    settings = tomllib.loads(RECIPE_FILE.read_text(encoding="utf-8"))
    stages = {name: settings.pop(name) for name in STAGES}
    recipe = settings | stages[stage]
    for name, value in (changes or {}).items():
        if name not in recipe:
            raise ValueError(
                f"read_recipe: there is no setting {name!r}; expected one of "
                f"{', '.join(recipe)}."
            )
        recipe[name] = value
    for name in ("falling_epochs", "agreement_epochs"):
        if not 0 <= recipe[name] <= recipe["epochs"]:
            raise ValueError(
                f"read_recipe: {name} is {recipe[name]}; it must be at least 0 and at "
                f"most epochs ({recipe['epochs']})."
            )
    return recipe


def read_recipes(changes=None):
    """Return the settings of both stages, see ``read_recipe``."""
    return [read_recipe(stage, changes) for stage in STAGES]


def build(recipe, vocab_size, precision="float32"):
    """Return an untrained model.

    Args:
        recipe: the settings.
        vocab_size: V.
        precision: name of a Keras dtype policy.
    """
    model = TranslationTransformer(
        vocab_size,
        recipe["longest"] + 1,
        embed_dim=recipe["embed_dim"],
        dense_dim=recipe["dense_dim"],
        num_heads=recipe["num_heads"],
        num_layers=recipe["decoder_layers"],
        encoder_layers=recipe["encoder_layers"],
        dropout=recipe["dropout"],
        dtype=precision,
    )
    model.build()
    return model


def learning_rate(recipe, step, steps_per_epoch):
    """Return the learning rate of a step: it rises, stays, and falls to 0.

    While it stays the number of epochs doesn't matter yet, so a training can be made
    longer without beginning anew ("warm-up, stable, decay" of Hu et al., 2024, section
    4).

    Args:
        recipe: the settings.
        step: number of the step, from 0.
        steps_per_epoch: their number.
    """
    rise = (step + 1) / recipe["warmup_steps"]
    last = recipe["epochs"] * steps_per_epoch
    falling = recipe["falling_epochs"] * steps_per_epoch
    fall = (last - step) / falling if falling else 1.0
    return recipe["peak"] * min(1.0, rise, fall)


class HalfPrecisionMuon(keras.optimizers.Muon):
    """Muon whose orthogonal updates are computed in bfloat16, as its authors do."""

    def zeropower_via_newtonschulz5(self, x, steps):
        update = super().zeropower_via_newtonschulz5(ops.cast(x, "bfloat16"), steps)
        return ops.cast(update, "float32")


def make_optimizer(recipe):
    """Return Muon with averaged weights, in the recipe's precision."""
    muon = keras.optimizers.Muon
    if recipe["precision"] == "mixed_bfloat16":
        muon = HalfPrecisionMuon
    return muon(recipe["peak"], use_ema=True, ema_momentum=recipe["ema_momentum"])


def disagreement(logits, labels):
    """Return how far two passes of the same rows with other dropout are apart.

    The mean of both Kullback–Leibler divergences, in nats per real token (Liang et al.,
    2021, equation 2).

    Args:
        logits: (2B, T, V), first all rows of one pass, then those of the other.
        labels: (B, T) token ids, 0 = padding.
    """
    log_probs = ops.log_softmax(ops.cast(logits, "float32"))  # (2B, T, V)
    one, other = ops.split(log_probs, 2)  # (B, T, V)
    # KL(one, other) + KL(other, one): both sums in one.
    both = ops.sum((ops.exp(one) - ops.exp(other)) * (one - other), axis=-1)  # (B, T)
    weights = training.token_weights(labels)
    return ops.divide_no_nan(ops.sum(both * weights) / 2, ops.sum(weights))


def agreement_in(recipe, epoch):
    """Return how much the agreement of two passes counts in an epoch, from 0."""
    first = recipe["epochs"] - recipe["agreement_epochs"]
    return recipe["agreement"] if epoch >= first else 0.0


def make_step(model, label_smoothing, agreement=0.0):
    """Return a compiled function: source, decoder input, labels -> loss.

    With ``agreement`` above 0 each row is read twice with other dropout, and the
    disagreement of the two is added, so many times (R-Drop; Liang et al., 2021,
    equation 4, divided by the two passes).
    """
    import tensorflow as tf

    cross_entropy = training.MaskedCrossEntropy(label_smoothing)
    ids = tf.TensorSpec((None, None), "int32")

    @tf.function(input_signature=[ids, ids, ids], jit_compile=False)
    def step(source, decoder_input, labels):
        if agreement:
            source = ops.concatenate([source, source])  # (2B, S)
            decoder_input = ops.concatenate([decoder_input, decoder_input])  # (2B, T)
        with tf.GradientTape() as tape:
            logits = model((source, decoder_input), training=True)  # (B or 2B, T, V)
            if agreement:
                loss = cross_entropy(ops.concatenate([labels, labels]), logits)
                loss = loss + agreement / 2 * disagreement(logits, labels)
            else:
                loss = cross_entropy(labels, logits)
        gradients = tape.gradient(loss, model.trainable_variables)
        model.optimizer.apply(gradients, model.trainable_variables)
        return loss

    return step


def epoch_batches(pairs, tokens_per_batch, seed, epoch):
    """Yield the batches of one epoch; they depend on its number, not on those before.

    Args:
        pairs: source ids and target ids, two lists of lists.
        tokens_per_batch: upper limit of rows × longest side.
        seed, epoch: whole numbers.
    Yields:
        Source (B, S), decoder input (B, T) and labels (B, T).
    """
    sources, targets = pairs
    rng = np.random.default_rng((seed, epoch))
    for rows in bucket_by_length(pair_lengths(pairs), tokens_per_batch, rng):
        source = pad([sources[i] for i in rows])
        decoder_input, labels = decoder_inputs_and_labels([targets[i] for i in rows])
        yield source, decoder_input, labels


def pair_lengths(pairs):
    """Return (tokens of the target with its end, tokens of the source) of each pair."""
    sources, targets = pairs
    return [(len(t) + 1, len(s)) for s, t in zip(sources, targets, strict=True)]


def with_other_direction(pairs):
    """Return the pairs of ids, and once more with source and target exchanged."""
    sources, targets = pairs
    return sources + targets, targets + sources


class Operations:
    """Counts the floating-point operations of steps, additions and products apart.

    Products of matrices only, the backward pass twice the forward one: 6 for each
    parameter and token, as Kaplan et al. (2020) count, and those of Muon.

    Args:
        model: a built ``TranslationTransformer``.
        passes: how often a step reads each row.
    """

    def __init__(self, model, passes=1):
        encoder = sum(block.count_params() for block in model.encoder_blocks)
        decoder = sum(block.count_params() for block in model.decoder_blocks)
        output = model.vocab_size * model.embed_dim
        self.per_source_token = 6 * encoder * passes
        self.per_target_token = 6 * (decoder + output) * passes
        self.per_step = 0
        for variable in model.trainable_variables:
            if len(variable.shape) == 2 and "embedding" not in variable.path:
                short, long = sorted(variable.shape)
                self.per_step += 5 * (4 * short * short * long + 2 * short**3)

    def of(self, source, labels):
        """Return the operations of a step with ids (B, S) and labels (B, T)."""
        return (
            self.per_source_token * source.size
            + self.per_target_token * labels.size
            + self.per_step
        )


class States:
    """Files with the state of a training: weights, optimizer, dropout, progress.

    While the learning rate stays, and each row is read once, the state belongs to
    trainings of all lengths, so it has a file of its own.

    Args:
        folder: where they lie.
        splits, recipe, seed: of the training; others are another training.
    """

    def __init__(self, folder, splits, recipe, seed):
        steady = {name: x for name, x in recipe.items() if name not in LATER}
        words = repr((splits.train, sorted(steady.items()), seed)).encode("utf-8")
        stem = f"{STATE_NAME}{hashlib.sha256(words).hexdigest()[:8]}"
        epochs = recipe["epochs"]
        falling, agreement = recipe["falling_epochs"], recipe["agreement_epochs"]
        self.last_steady = epochs - max(falling, agreement)
        self.steady = Path(folder) / f"{stem}.npz"
        self.last = Path(folder) / f"{stem}-{epochs}-{falling}-{agreement}.npz"
        self.written = self.last.with_suffix(".json")  # pairs, after the first stage

    def save(self, model, progress):
        """Store the state of a compiled model, or keep the old one."""
        is_steady = progress["epoch"] <= self.last_steady
        path = self.steady if is_steady else self.last
        training.save_state(path, model, **progress)

    def load(self, model):
        """Give a compiled model the last stored state; return the progress.

        Raises:
            ValueError: the stored state has come further than it should have.
        """
        path = self.last if self.last.exists() else self.steady
        progress = training.stored_progress(path)
        if not progress:
            return dict(START)
        if path == self.steady and progress["epoch"] > self.last_steady:
            raise ValueError(
                f"States: {path.name} has {progress['epoch']} epochs at a steady "
                f"learning rate, and the recipe has {self.last_steady}; give it more "
                "epochs, or remove the file."
            )
        training.load_state(path, model)
        return progress


def averaged_weights(model):
    """Return the averaged weights of a compiled model, which keeps its own."""
    weights = model.get_weights()
    model.optimizer.finalize_variable_values(model.trainable_variables)
    averaged = model.get_weights()
    model.set_weights(weights)
    return averaged


def held_out_loss(model, pairs, label_smoothing):
    """Return the mean loss per real token of pairs that weren't learned from."""
    cross_entropy = training.MaskedCrossEntropy(label_smoothing)
    total = 0.0
    tokens = 0
    for inputs, labels in translation_batches(*pairs, 4096):
        count = int(np.count_nonzero(labels))
        total += count * float(cross_entropy(labels, model(inputs)))
        tokens += count
    return total / tokens


def train_vectorizer(splits, recipe):
    """Return the vectorizer, trained on both languages of the training part."""
    both = []
    for english, several in splits.train:
        for spanish in several:
            both += [english, spanish]
    return SubwordVectorizer.train(both, recipe["vocab_size"])


def train_in_stages(splits, recipes, folder, seed=SEED, after_epoch=None):
    """Train in both directions, let the translator write pairs, and go on with them.

    Args:
        splits: `Splits` of sentence pairs. Of the test part only the English is read:
            no written pair may have it.
        recipes: of both stages, see ``read_recipes``.
        folder, seed, after_epoch: see ``train``.
    Returns:
        What ``train`` returns, with the steps, operations and seconds of both stages;
        the operations of the writing aren't counted, its seconds are.
    """
    first, second = recipes
    earlier, before = first_stage(splits, first, folder, seed, after_epoch)
    path = States(folder, splits, first, seed).written
    if not path.exists():
        start = time.process_time()
        rows = write_pairs(earlier, splits, first["temperature"], seed)
        seconds = time.process_time() - start
        with atomic_write(path) as file:
            json.dump({"processor_seconds": seconds, "rows": rows}, file)
    written = json.loads(path.read_text(encoding="utf-8"))
    more = splits._replace(train=splits.train + written["rows"])
    translator, progress = train(more, second, folder, seed, after_epoch, earlier)
    for name in ("epoch", "steps", "operations", "processor_seconds"):
        progress[name] += before[name]
    progress["processor_seconds"] += written["processor_seconds"]
    return translator, progress


def first_stage(splits, recipe, folder, seed, after_epoch):
    """Return the translator and the progress after the first stage.

    They come from their files in the folder, if these are there, else from a training,
    which writes them.

    Args:
        splits, recipe, folder, seed, after_epoch: see ``train``.
    Raises:
        ValueError: the files were made with other settings or another seed.
    """
    path = Path(folder) / FIRST_STAGE
    facts = path.with_suffix(".json")
    if not facts.exists():
        translator, progress = train(splits, recipe, folder, seed, after_epoch)
        round_weights(translator)
        model_card.save_model(translator, path)
        facts_now = {"seed": seed, "recipe": recipe, "progress": progress}
        texts.write_json(facts, facts_now)
    found = json.loads(facts.read_text(encoding="utf-8"))
    now = {**recipe, "seed": seed}
    then = {**found["recipe"], "seed": found["seed"]}
    other = [name for name in now if now[name] != then.get(name)]
    if set(other) - {"precision", "temperature"}:
        raise ValueError(
            f"first_stage: {path.name} was trained with other settings "
            f"({', '.join(other)}); remove it, or give it its own folder."
        )
    return Translator.load(path), found["progress"]


def train(splits, recipe, folder, seed=SEED, after_epoch=None, earlier=None):
    """Train on the training split.

    Args:
        splits: `Splits` of sentence pairs; the test part isn't read.
        recipe: see ``read_recipe``.
        folder: for the states.
        seed: of all random numbers.
        after_epoch: function of the translator so far and of its progress.
        earlier: a translator of the same sizes whose training goes on; None begins a
            new one.
    Returns:
        The translator, and its progress: a dict with epoch, steps, operations,
        processor_seconds, loss (with dropout) and held_out_loss (of the averaged
        weights), in nats per token.
    """
    # The names of variables begin anew, too: the order in which TensorFlow adds numbers
    # up depends on them.
    vectorizer = earlier.vectorizer if earlier else train_vectorizer(splits, recipe)
    weights = earlier.transformer.get_weights() if earlier else None
    keras.utils.clear_session()
    keras.utils.set_random_seed(seed)
    pairs = encode_pairs(vectorizer, splits.train, recipe["longest"])
    if recipe["both_directions"]:
        pairs = with_other_direction(pairs)
    held_out = encode_pairs(vectorizer, splits.validation, recipe["longest"])

    model = build(recipe, vectorizer.vocabulary_size, recipe["precision"])
    if earlier:
        model.set_weights(weights)
    model.compile(make_optimizer(recipe), jit_compile=False)
    model.optimizer.build(model.trainable_variables)  # so that a state can be loaded
    states = States(folder, splits, recipe, seed)
    progress = states.load(model)

    # A fresh model has neither optimizer nor dropout's state, so its file holds the
    # weights alone; and it computes in float32.
    translator = Translator(vectorizer, build(recipe, vectorizer.vocabulary_size))
    translator.transformer.set_weights(averaged_weights(model))

    tokens_per_batch = recipe["tokens_per_batch"]
    steps_per_epoch = len(bucket_by_length(pair_lengths(pairs), tokens_per_batch))
    agreement = None
    for epoch in range(progress["epoch"], recipe["epochs"]):
        start = time.process_time()
        if agreement != agreement_in(recipe, epoch):
            agreement = agreement_in(recipe, epoch)
            step = make_step(model, recipe["label_smoothing"], agreement)
            operations = Operations(model, passes=2 if agreement else 1)
        losses = []
        for batch in epoch_batches(pairs, tokens_per_batch, seed, epoch):
            model.optimizer.learning_rate = learning_rate(
                recipe, progress["steps"], steps_per_epoch
            )
            losses.append(float(step(*batch)))
            progress["steps"] += 1
            progress["operations"] += operations.of(batch[0], batch[2])
        progress["epoch"] = epoch + 1
        progress["processor_seconds"] += time.process_time() - start
        progress["loss"] = float(np.mean(losses))
        translator.transformer.set_weights(averaged_weights(model))
        progress["held_out_loss"] = held_out_loss(
            translator.transformer, held_out, recipe["label_smoothing"]
        )
        states.save(model, progress)
        print(json.dumps(progress), flush=True)
        if after_epoch:
            after_epoch(translator, dict(progress))
    return translator, progress


def round_weights(translator):
    """Round a translator's parameters to 8 bits each, see `tools.eight_bits`.

    The file gets smaller, and the page in the browser, which fetches the 8 bits only,
    has the very same parameters.
    """
    weights = translator.transformer.get_weights()
    translator.transformer.set_weights([in_eight_bits(array) for array in weights])


def translate(translator, english, decoding):
    """Translate by one of DECODINGS, or greedily."""
    if decoding == "greedy":
        return translator.translate(english)
    if decoding == "minimum Bayes risk":
        return translate_with_least_risk(translator, english, *DECODINGS[decoding])
    width, penalty = DECODINGS[decoding]
    return translator.translate(
        english, method="beam", beam_width=width, length_penalty=penalty
    )


def best_decoding(translator, rows):
    """Return which of DECODINGS has the highest BLEU on held-out sentences."""
    english, references = zip(*rows, strict=True)
    found = {}
    for decoding in DECODINGS:
        written = translate(translator, english, decoding)
        found[decoding] = metrics.bleu(written, references)
    print(json.dumps(found), flush=True)
    return max(found, key=found.get)


def scores(translator, splits):
    """Score the test part, decoded in the way that is best on the validation part.

    Returns:
        A dict with ``decoding``, ``bleu``, ``bleu_low``, ``bleu_high`` (95 %),
        ``greedy_bleu``, ``chrf``, and of two parts of the test part their BLEU:
        ``clean_bleu`` of the sentences none of whose translations stands in the
        training part, ``single_bleu`` of those with one reference; None where there is
        no such sentence. And ``names_kept``, ``numbers_kept``, ``riversides``, each
        two counts, see `translation_errors`.
    """
    decoding = best_decoding(translator, splits.validation)
    english, references = zip(*splits.test, strict=True)
    written = translate(translator, english, decoding)
    greedy = translate(translator, english, "greedy")
    known = {spanish for _, several in splits.train for spanish in several}
    parts = {
        "clean_bleu": [known.isdisjoint(several) for several in references],
        "single_bleu": [len(several) == 1 for several in references],
    }
    interval = metrics.bleu_interval(written, references)
    figures = {
        "decoding": decoding,
        "bleu": interval.score,
        "bleu_low": interval.low,
        "bleu_high": interval.high,
        "greedy_bleu": metrics.bleu(greedy, references),
        "chrf": metrics.chrf(written, references),
    }
    texts_of_all = english, written, references
    for name, find in ("names", errors.names_in), ("numbers", errors.numbers_in):
        figures[f"{name}_kept"] = errors.kept(find, *texts_of_all)
    figures["riversides"] = errors.riversides(*texts_of_all)
    for name, inside in parts.items():
        rows = np.flatnonzero(inside)
        of_part = [written[i] for i in rows], [references[i] for i in rows]
        figures[name] = metrics.bleu(*of_part) if len(rows) else None
    return figures


def shown(figures):
    """Return the card's rows for figures of ``scores``."""
    low, high = figures["bleu_low"], figures["bleu_high"]
    return [
        ("decoding, chosen on the validation split", figures["decoding"]),
        ("BLEU, test split (95 % interval)", f"{figures['bleu']} ({low} to {high})"),
        ("BLEU, its sentences with unknown translations", figures["clean_bleu"]),
        ("BLEU, its sentences with one reference", figures["single_bleu"]),
        ("BLEU, greedy", figures["greedy_bleu"]),
        ("chrF", figures["chrf"]),
        ("sentences with all names", "{} of {}".format(*figures["names_kept"])),
        ("sentences with all numbers", "{} of {}".format(*figures["numbers_kept"])),
        ("banks of rivers", "{} of {}".format(*figures["riversides"])),
    ]


def main(arguments=None):
    """Train, save and score; return the exit status."""
    environment.tune_malloc()
    recipes = {"full": read_recipes(), "sample": read_recipes(TINY)}
    options = model_card.options(__doc__, recipes, arguments)
    recipes, output = options.recipe, options.output
    corpus = datasets.spa_eng if options.data == "full" else datasets.phrasebook
    splits = corpus.load()
    path = output / NAME
    translator, progress = train_in_stages(splits, recipes, output)
    round_weights(translator)
    model_card.save_model(translator, path)
    states = [output / FIRST_STAGE, output / FIRST_STAGE.replace("keras", "json")]
    for state in [*states, *output.glob(f"{STATE_NAME}*")]:
        state.unlink()
    hours = f"{progress['processor_seconds'] / 3600:.2f} processor hours"
    facts = [
        ("epochs, seed", f"{progress['epoch']}, {SEED}"),
        ("training", f"{hours}, {environment.hardware()}"),
    ]
    figures = scores(Translator.load(path), splits)
    figures["train_hours"] = round(progress["processor_seconds"] / 3600 / CORES, 2)
    card = output / "README.md"
    model_card.describe(path, translator, shown(figures), facts, card, "model", figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""What pre-training is worth: three starts, seven small pre-trainings, notes.

    python -m benchmarks.bert [--variant labels_1000 --seed 0]

Models and trainings are those of the lesson on fine-tuning BERT, which explains the
variants. Seed 0 tries several rates for each start on the validation part, in
trainings as long as those that they are for; the other seeds take what was best there.
The trainings on all labels are longer: they try what was best with 10,000, and slower
ones. Counting pairs tries its C in each run. The test part is read once by each run,
after the choice. An interval draws the test texts, the same ones for both models.
Pre-trained weights and encoded texts are kept in build/: remove them there to make
them again.
"""

import functools

import keras
import numpy as np

import course_utils
from benchmarks import evidence
from benchmarks.imdb import stored
from benchmarks.lessons import bert as lesson
from course_utils import datasets, models
from course_utils.bert.masking import SentencePairs, mask_tokens, pretraining_batches
from course_utils.bert.model import init_encoder
from course_utils.text.word_vectors import train_word_vectors
from tools import pretrain_bert

SEEDS = (0, 1, 2)
POLICY = "mixed_bfloat16"  # the same in all runs: measured anew, it may flip
UPDATES = 300  # of a fine-tuning with some labels
TESTED = 5_000  # reviews of the test part, where there are some labels
STRENGTHS = (1, 5, 25, 125)  # C, the trials for counted pairs
MORE = 2  # trials at most, where the best is at an edge
SLOWER = (0.25, 0.5, 1)  # with all labels: parts of the best rate with 10,000
TUNED_BY = {"notes_without": "notes"}  # whose best rates a variant takes

PRETRAIN = {
    "updates": 600,
    "batch_size": 64,
    "length": 128,
    "peak": 5e-3,
    "cold": (1e-3, 2.5e-3, 5e-3),  # the peaks without a prepared start
    "sentences": 25,  # of the translation pairs, in a text
    "held_out": 63,  # batches
    "passes": 3,  # of word2vec
}

# What each kind of run compares: starts, and the lead of one over another.
WITH_SOME_LABELS = {
    "starts": ("scratch", "vectors", "full", "pairs"),
    "leads": (("vectors", "scratch"), ("full", "vectors"), ("full", "pairs")),
}
AFTER = {
    "starts": ("tokens", "again", "both", "runs", "few", "other"),
    "leads": (
        ("again", "tokens"),
        ("both", "tokens"),
        ("runs", "tokens"),
        ("few", "other"),
    ),
    "size": 1000,
}
NOTES = {
    "epochs": 5,
    "starts": ("full", "vectors", "scratch"),
    "leads": (("full", "vectors"), ("vectors", "scratch")),
}
ALL = {
    "starts": ("vectors", "full", "pairs"),
    "leads": (("full", "vectors"), ("full", "pairs")),
}


def measure(variant, seed):
    """Make one run; return its figures."""
    course_utils.setup(seed)
    settings = VARIANTS[variant]
    figures, hits = settings["run"](variant, seed)
    for one, other in settings.get("leads", ()):
        figures |= lead_of(one, other, hits)
    return {name: float(value) for name, value in figures.items()}


def lead_of(one, other, hits):
    """Return how far one start is ahead of another, with the ends of an interval."""
    lead = hits[one].astype(float) - hits[other]
    draws = np.random.default_rng(0).integers(len(lead), size=(1000, len(lead)))
    low, high = np.percentile(lead[draws].mean(axis=1), [2.5, 97.5])
    ends = {"": lead.mean(), "_low": low, "_high": high}
    return {f"{one}_over_{other}{end}": value for end, value in ends.items()}


def reviews(_=None):
    """Return each part's texts, their ids and their labels."""
    vectorizer, parts = models.load_mini_bert().vectorizer, {}
    for name in "train", "validation", "test":
        texts, labels = datasets.imdb.load(name)
        parts[name] = texts, pretrain_bert.encode(vectorizer, texts), labels
    return parts


def kept(name, kind, make):
    """Return make(kind), made once for the settings of the pre-trainings."""
    plan = "_".join(f"{value:g}" for value in np.hstack(list(PRETRAIN.values())))
    return stored(f"bert_{name}_{plan}", kind, make)


def start_of(start):
    """Return what `first_weights` takes for a start, besides the seed."""
    if start == "full":
        return {"trained": models.load_mini_bert().network.encoder.get_weights()}
    if start == "vectors":
        return {"vectors": kept("vectors", "tokens", vectors_of)}
    if start == "scratch":
        return {}
    return {"trained": kept("pretrained", start, pretrained)["weights"]}


def options_and_policy():
    return lesson.sizes_of(models.load_mini_bert().network.encoder), POLICY


# --- sentiment ------------------------------------------------------------------------


def settings_of(variant, start, seed, trials):
    """Return the trials where a start is tuned, else what was best where it was."""
    if "peak" in VARIANTS[variant]:
        return [VARIANTS[variant]["peak"]]
    tuner = TUNED_BY.get(variant, variant)
    if start == "pairs" or (variant == tuner and seed == SEEDS[0]):
        return trials
    name = f"bert.{tuner}.{'full' if start == 'question' else start}.peak"
    return [evidence.value_of_seed_0("bert", name)]


def tuned(variant, start, seed, trials, learn, score=np.mean):
    """Return the best setting's hits on the test part, and the choice as figures.

    Args:
        trials: what to try first, rising; a single setting is taken as it is.
        learn: a function of a setting, to a function from a part to its hits.
        score: of the hits on validation.
    """
    settings = settings_of(variant, start, seed, trials)
    if len(settings) == 1:
        return learn(settings[0])("test"), {f"{start}.peak": settings[0]}
    chosen_by = lambda hits: score(hits("validation"))  # noqa: E731
    best, hits, scores = evidence.best_from_search(settings, learn, chosen_by, MORE)
    figures = {f"{start}.tried_{round(x, 5):g}": value for x, value in scores.items()}
    return hits("test"), figures | {f"{start}.peak": best}


def fine_tune(model, weights, ids, labels, peak, seed):
    """Train on a window of a review at a time, for the updates of the settings."""
    lesson.begin(model, weights)
    run = peak, UPDATES, seed, lesson.WINDOW
    lesson.train(model, ids, labels, *run)


def networks_hits(start, ids, labels, parts, seed, train=fine_tune):
    """Return `learn` for `tried`: train from a start with a rate."""
    model = lesson.new_classifier(*options_and_policy())
    weights = lesson.first_weights(
        lesson.sizes_of(model.encoder), seed, **start_of(start)
    )

    def learn(peak):
        train(model, weights, ids, labels, peak, seed)
        learned = model.get_weights()

        def hits(part):
            model.set_weights(learned)
            return lesson.hits_of(model, *parts[part][1:])

        return hits

    return learn


def pairs_hits(texts, labels, parts):
    """Return `learn` for `tried`: count pairs and fit with a value of C."""

    def learn(c):
        model = lesson.count_pairs(texts, labels, c)
        return lambda part: model.predict(parts[part][0]) == parts[part][2]

    return learn


def some_labels(size, seed, tested=None):
    """Return texts, ids and labels of a seed's reviews, and the parts to measure on.

    Args:
        size, tested: how many to learn from, and to test on; None takes all.
    """
    parts = stored("bert_reviews", "ids", reviews)
    order = np.random.default_rng(seed).permutation(len(parts["train"][0]))[:size]
    test = np.random.default_rng(0).permutation(len(parts["test"][0]))[:tested]
    chosen = {"train": order, "test": test}
    chosen["validation"] = np.arange(len(parts["validation"][0]))
    parts = {
        name: ([texts[i] for i in rows], [ids[i] for i in rows], labels[rows])
        for name, rows in chosen.items()
        for texts, ids, labels in [parts[name]]
    }
    texts, ids, labels = parts.pop("train")
    ends_of, longest = lesson.ends_of, lesson.LONGEST
    for name, (read, long, truth) in parts.items():
        parts[name] = read, [ends_of(one, longest) for one in long], truth
    return texts, ids, labels, parts


def peaks_of(variant, start):
    """Return the first rates to try, rising."""
    if variant != "all":
        return lesson.PEAKS
    best = evidence.value_of_seed_0("bert", f"bert.labels_10000.{start}.peak")
    return [part * best for part in SLOWER]


def compared(variant, data, seed, starts, train):
    """Train each start, and count pairs; return figures and hits."""
    texts, ids, labels, parts = data
    figures, hits = {}, {}
    for start in starts:
        if start == "pairs":
            learn, trials = pairs_hits(texts, labels, parts), STRENGTHS
        else:
            learn = networks_hits(start, ids, labels, parts, seed, train)
            trials = peaks_of(variant, start)
        hits[start], choice = tuned(variant, start, seed, trials, learn)
        figures |= choice
        figures[f"{start}.test_accuracy"] = hits[start].mean()
    return figures, hits


def with_labels(variant, seed):
    """Compare the starts with some labels, or small pre-trainings with 1,000."""
    settings = VARIANTS[variant]
    data = some_labels(settings["size"], seed, TESTED)
    return compared(variant, data, seed, settings["starts"], fine_tune)


def with_all_labels(variant, seed):
    """Compare the starts with all labels of the training part, in two passes."""
    starts = VARIANTS[variant]["starts"]
    return compared(variant, some_labels(None, seed), seed, starts, lesson.learn_all)


# --- pre-training ---------------------------------------------------------------------


def texts_of(kind):
    """Return the ids of the texts of a pre-training."""
    vectorizer = models.load_mini_bert().vectorizer
    if kind == "other":
        english = [pair[0] for pair in datasets.spa_eng.load().train]
        step = PRETRAIN["sentences"]
        texts = [" ".join(english[i : i + step]) for i in range(0, len(english), step)]
        return pretrain_bert.encode(vectorizer, texts)
    if kind == "few":
        ids = kept("texts", "tokens", texts_of)
        pieces = sum(map(len, kept("texts", "other", texts_of)))
        return ids[: np.searchsorted(np.cumsum([*map(len, ids)]), pieces) + 1]
    return pretrain_bert.encode(vectorizer, pretrain_bert.load_texts("full")[0])


def vectors_of(kind):
    """Return word vectors (V, D), learned from the texts of a pre-training."""
    encoder = models.load_mini_bert().network.encoder
    shape = encoder.vocab_size, encoder.embed_dim
    texts = kept("texts", kind, texts_of)
    return train_word_vectors(texts, *shape, PRETRAIN["passes"])


def pretrained(kind):
    """Pre-train; return the encoder's weights, and figures on held-out reviews.

    The one without a prepared start has several tries for its rate, and its best is
    taken by the same figure that the lesson shows: in its favour.
    """
    plan = PRETRAIN
    peaks = plan["cold"] if kind == "cold" else [plan["peak"]]
    made = [pretrained_at(peak, kind, plan) for peak in peaks]
    return max(made, key=lambda one: one["figures"]["masked_accuracy"])


def pretrained_at(peak, kind, plan):
    """Pre-train with one rate; return weights and figures."""
    vectorizer, seed = models.load_mini_bert().vectorizer, int(kind == "again")
    recipe, size = pretrain_bert.RECIPES["full"], vectorizer.vocabulary_size
    texts_kind = kind if kind in ("few", "other") else "tokens"
    keras.config.set_dtype_policy(POLICY)
    keras.utils.set_random_seed(seed)
    network = pretrain_bert.build(recipe, size)
    if kind != "cold":
        init_encoder(network.encoder, kept("vectors", texts_kind, vectors_of))
    pretrain_bert.compile_network(network)

    def batches(texts, follow, seed, hide=mask_tokens):
        pairs = SentencePairs(texts, plan["length"], vectorizer.sentence_ends, follow)
        return pretraining_batches(pairs, size, plan["batch_size"], seed, hide)

    texts, follow = kept("texts", texts_kind, texts_of), 0.5 if kind == "both" else 1.0
    hide = lesson.mask_runs if kind == "runs" else mask_tokens
    options = {"steps_per_epoch": plan["updates"], "shuffle": False, "verbose": 0}
    rate = lesson.Rate(peak, plan["updates"])
    network.fit(batches(texts, follow, seed, hide), callbacks=[rate], **options)
    held_out, figures = stored("bert_reviews", "ids", reviews)["validation"][1], {}
    # Tokens in windows of one review; windows that join two for the second task only.
    for follow, key in (1.0, "tokens"), (0.5, "follows"):
        data = batches(held_out, follow, seed=1).take(plan["held_out"])
        figures[key] = network.evaluate(data, verbose=0, return_dict=True)[key]
    keras.config.set_dtype_policy("float32")
    figures |= {"masked_accuracy": figures.pop("tokens"), "peak": peak}
    return {"weights": network.encoder.get_weights(), "figures": figures}


def pretrain(variant, seed):
    """Pre-train unless the weights are there; return what was measured then."""
    kind = variant.removeprefix("pretrain_")
    return kept("pretrained", kind, pretrained)["figures"], {}


# --- notes ----------------------------------------------------------------------------


def read_notes(variant, seed):
    """Train readers of the generated notes from some starts, or without questions."""
    settings = VARIANTS[variant]
    options, policy = options_and_policy()
    notes = {split: datasets.notes.load(split) for split in datasets.notes.SIZES}
    pieces = lesson.pieces_of_notes(models.load_mini_bert().vectorizer, notes)
    if variant == "notes_without":
        notes = {split: lesson.without_questions(own) for split, own in notes.items()}
    data = {split: lesson.arrays_of(own, pieces) for split, own in notes.items()}

    def learn(begun, peak):
        reader = lesson.train_reader(
            options,
            policy,
            data["train"],
            begun.get("trained"),
            seed,
            peak,
            settings["epochs"],
            begun.get("vectors"),
        )
        return lambda part: lesson.read(reader, data[part])

    def exact_matches(answers):
        exact, _, _ = answers
        return exact.mean()

    figures, hits = {}, {}
    for start in settings["starts"]:
        begun = start_of("full" if start == "question" else start)
        answers, choice = tuned(
            variant,
            start,
            seed,
            lesson.PEAKS,
            functools.partial(learn, begun),
            exact_matches,
        )
        exact, f1, names = answers
        figures |= choice
        figures[f"{start}.exact_match"] = exact.mean()
        figures[f"{start}.f1"] = f1.mean()
        figures[f"{start}.name_f1"] = names
        hits[start] = exact.reshape(-1, 2).mean(axis=1)  # of a note's two questions
    return figures, hits


# --- what is run ----------------------------------------------------------------------

# Decisive ones first. Minutes on two quiet cores stand behind a variant, for all of its
# seeds, and for one more try where a start's best rate is at an edge in every third
# case.
ONCE = {"seeds": [0]}
PRETRAINED = ONCE | {"run": pretrain}
OF_NOTES = ONCE | NOTES | {"run": read_notes}
OF_LABELS = WITH_SOME_LABELS | {"run": with_labels}
VARIANTS = {
    "pretrain_tokens": PRETRAINED,  # 7, with the word vectors; the next ones 3 each
    "notes": OF_NOTES,  # 10
    # With the rate that was best for two of three in 5 passes.
    "notes_long": OF_NOTES | {"epochs": 16, "peak": 3e-3},  # 18
    # With the best one of the third.
    "notes_faster": OF_NOTES
    | {"epochs": 16, "peak": 1e-2, "starts": ("full",), "leads": ()},  # 6
    # The question is left out.
    "notes_without": OF_NOTES | {"starts": ("question",), "leads": ()},  # 1
    "labels_1000": OF_LABELS | {"size": 1000},  # 15
    "pretrain_both": PRETRAINED,
    "pretrain_again": PRETRAINED,  # as tokens, with other draws
    "labels_10000": OF_LABELS | {"size": 10_000},  # 18
    # 65; the lesson makes one of its trainings live, with 25,000.
    "all": ONCE | ALL | {"run": with_all_labels},
    "pretrain_runs": PRETRAINED,
    "pretrain_few": PRETRAINED,
    "pretrain_other": PRETRAINED,
    # Chance is measured by tokens pre-trained again.
    "after": ONCE | AFTER | {"run": with_labels},  # 28
    "labels_100": OF_LABELS | {"size": 100},  # 15
    "pretrain_cold": PRETRAINED,  # 9, from random weights only, with three peaks
}

if __name__ == "__main__":
    evidence.main("bert")

"""Published weights: MiniLM with few and with all labels, SmolLM2 asked for a label.

    python -m benchmarks.pretrained [--arm all_1000 --seed 0]

Lessons 15 and 15b read the file; models, trainings and prompts are those that they
build in view. A seed draws other labels, or other examples for a prompt; all are tested
on the same reviews. With seed 0 each arm tries three settings on the same validation
reviews, the other seeds take the best one. With all labels each pass keeps its weights
in build/, and the next one goes on from there; `teacher` alone reads the test part,
and writes the logits into the evidence, for the last arm of lesson 16.
"""

import time
import tomllib
from pathlib import Path

import keras
import keras_hub
import numpy as np
import tensorflow as tf

import course_utils
from benchmarks import evidence, lesson_code
from benchmarks.imdb import ROOT
from course_utils import datasets, models, presets
from course_utils.bert import BertClassifier
from course_utils.evidence import FOLDER, load, values
from course_utils.files import atomic_write

ARMS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
SEEDS = (0, 1, 2)
TEST, VALIDATION, PASSES = 2500, 1000, 3
ASKED, TRIED, WORDS, SHOWN = 500, 200, 40, 20  # reviews; words at each of their ends
SIZES = 100, 250, 1000, 2500
C = {"pairs": (1, 5, 25), "frozen": (1e-3, 1e-2, 0.1)}
NAMES = "PARTS", "CHAT", "ASK", "PROMPTS", "options"
WEIGHTS = ROOT / "build" / "minilm"
LOGITS = FOLDER / "minilm_logits.npz"


def measure(arm, seed):
    """Make one run; return its figures."""
    given = {"course": course_utils.setup(seed), "corpus": datasets.imdb, "LENGTH": 128}
    settings = {key: value for key, value in ARMS[arm].items() if key != "seeds"}
    kind = settings.pop("kind")
    number = "15b" if kind in ("zero_shot", "few_shot", "speed") else "15"
    lesson = lesson_code.definitions(number, *NAMES, **given)
    figures = globals()[kind](lesson, arm, seed, **settings)
    return {name: float(value) for name, value in figures.items()}


def tried(name, seed, settings, learn):
    """Return the figures of the best setting, which seed 0 finds on validation.

    Args:
        name: under which the figures stand.
        settings: numbers to try.
        learn: a function of a setting, to a function from a part to its accuracy.
    """
    scores = {}
    for setting in settings if seed == SEEDS[0] else [chosen(name)]:
        accuracy = learn(setting)
        scores[setting] = accuracy("validation")
        if scores[setting] == max(scores.values()):
            best = setting, accuracy
    figures = {"setting": best[0], "validation_accuracy": scores[best[0]]}
    figures |= {"test_accuracy": best[1]("test"), "worst_try": min(scores.values())}
    return {f"{name}.{figure}": value for figure, value in figures.items()}


def chosen(name):
    """Return the setting that seed 0 has found to be the best."""
    rows = [row for row in load("pretrained") if row["seed"] == SEEDS[0]]
    return values(rows, f"{name}.setting")[0]


def parts_of(lesson):
    """Return the validation and the test reviews that all arms with few labels have."""
    sizes = {"validation": VALIDATION, "test": TEST}
    return {part: lesson["some"](part, count) for part, count in sizes.items()}


# --- MiniLM and mini BERT -------------------------------------------------------------


def with_encoder(lesson, **options):
    """Load MiniLM, and give the lesson's functions what they read."""
    encoder = presets.load(keras_hub.models.BertBackbone, "minilm", **options)
    pieces = presets.load_quietly(keras_hub.models.BertTokenizer, "minilm")
    lesson |= {"encoder": encoder, "bert_pieces": pieces}
    lesson["embedder"] = lesson["as_graph"](lesson["with_pooling"](encoder))


def fixed(lesson, arm, seed):
    """A logistic regression on counted word pairs, or on the vectors as they are."""
    with_encoder(lesson)
    parts = parts_of(lesson) | {"train": lesson["some"]("train", max(SIZES), seed)}

    def embed(texts):
        return lesson["apply"](lesson["embedder"], lesson["encoded"](texts))

    inputs = {"pairs": {part: texts for part, (texts, _) in parts.items()}}
    inputs["frozen"] = {part: embed(texts) for part, texts in inputs["pairs"].items()}
    makers = {"pairs": lesson["word_pairs"], "frozen": lesson["on_vectors"]}

    def learner(way, size):
        def learn(c):
            own, labels = inputs[way], parts["train"][1][:size]
            model = makers[way](c).fit(own["train"][:size], labels)
            return lambda part: model.score(own[part], parts[part][1])

        return learn

    figures = {}
    for way, size in np.array(np.meshgrid(list(C), SIZES)).T.reshape(-1, 2):
        name = f"pretrained.{way}_{size}"
        figures |= tried(name, seed, C[way], learner(way, int(size)))
    if seed == SEEDS[0]:
        parts["train"], name = datasets.imdb.load("train"), "pretrained.pairs_22500"
        inputs["pairs"]["train"] = parts["train"][0]
        figures |= tried(name, seed, C["pairs"], learner("pairs", None))
        best = makers["pairs"](figures[f"{name}.setting"])
        texts, labels = datasets.imdb.load("test")
        whole = best.fit(*parts["train"]).score(texts, labels)
        figures[f"{name}.all_test_accuracy"] = whole
    return figures


class Logits(BertClassifier):
    """Lesson 14's classifier, before its sigmoid."""

    def call(self, inputs, training=False):
        x = self.dropout_layer(self.pool(inputs, training), training=training)
        return self.output_dense(x)


def trained(lesson, arm, seed, tries):
    """Train MiniLM in one of its ways, or the course's own small BERT."""
    way, _, labels = arm.rpartition("_")
    train, parts = lesson["some"]("train", int(labels), seed), parts_of(lesson)
    if way == "mini_bert":
        vectorizer = models.load_mini_bert().vectorizer

        def encoded(texts):  # [CLS] and [SEP] are put in by the classifier
            rows = vectorizer.encode(texts)
            return [r if len(r) < 127 else r[:63] + r[-63:] for r in rows]

    else:
        with_encoder(lesson)
        encoded = lesson["encoded"]
    rows = {part: encoded(texts) for part, (texts, _) in parts.items()}

    def learn(peak):
        keras.utils.set_random_seed(seed)
        if way == "mini_bert":
            model = Logits(models.load_mini_bert().network.encoder)
        else:
            model = lesson["classifier"](lesson["body_of"](lesson["encoder"], way))
        lesson["fine_tune"](model, encoded(train[0]), train[1], peak, PASSES, seed)

        def accuracy(part):
            said = lesson["apply"](lesson["as_graph"](model), rows[part])[:, 0]
            return np.mean((said > 0) == parts[part][1])

        return accuracy

    return tried(f"pretrained.{arm}", seed, tries, learn)


def for_all_labels(lesson, after=None):
    """Return the classifier of all labels, with the weights that a pass has left.

    Its number format is named, not measured anew: all its runs have to share it. In
    mixed_bfloat16 an update took three quarters of the time here.
    """
    with_encoder(lesson, dtype="mixed_bfloat16")
    model = lesson["classifier"](lesson["body_of"](lesson["encoder"], "all"))
    if after:
        path = WEIGHTS / f"{after}.weights.h5"
        if not path.is_file():
            raise FileNotFoundError(f"{path.name} isn't there: measure {after} first.")
        model.load_weights(path)
    return model


def one_pass(lesson, arm, seed, length, tokens, of_peak, after=None):
    """Read all labels once, with a part of the rate that few labels have chosen."""
    model, peak = for_all_labels(lesson, after), chosen("pretrained.all_1000")
    texts, labels = datasets.imdb.load("train")
    rows, start = lesson["encoded"](texts, length), time.perf_counter()
    options = {"peak": of_peak * peak, "passes": 1, "seed": seed + length}
    lesson["fine_tune"](model, rows, labels, tokens=tokens, **options)
    minutes = (time.perf_counter() - start) / 60
    WEIGHTS.mkdir(parents=True, exist_ok=True)
    model.save_weights(WEIGHTS / f"{arm}.weights.h5")
    texts, labels = datasets.imdb.load("validation")
    said = lesson["apply"](lesson["as_graph"](model), lesson["encoded"](texts, length))
    right = np.mean((said[:, 0] > 0) == labels)
    name = f"minilm.imdb.{arm}"
    return {f"{name}.minutes": minutes, f"{name}.validation_accuracy": right}


def teacher(lesson, arm, seed, after, parts):
    """Write the logits of all reviews with labels, and test the last pass, once."""
    graph = lesson["as_graph"](for_all_labels(lesson, after))
    length, said, right, texts = ARMS[after]["length"], {}, {}, {}
    for part in parts:
        texts[part], labels = datasets.imdb.load(part)
        logits = lesson["apply"](graph, lesson["encoded"](texts[part], length))[:, 0]
        said[part], right[part] = logits.astype("float16"), (logits > 0) == labels
    with atomic_write(LOGITS, "wb") as file:
        np.savez_compressed(file, **said)
    words = {part: [" ".join(t.lower().split()) for t in texts[part]] for part in texts}
    seen = {*words["train"], *words["validation"]}
    copied = np.array([text in seen for text in words["test"]])
    figures = {f"{part}_accuracy": right[part].mean() for part in parts}
    figures |= {"copies": copied.sum(), "clean_accuracy": right["test"][~copied].mean()}
    minutes = [f"minilm.imdb.{name}.minutes" for name in (ARMS[after]["after"], after)]
    figures["train_minutes"] = sum(values(load("pretrained"), m)[0] for m in minutes)
    return {f"minilm.imdb.{name}": value for name, value in figures.items()}


# --- SmolLM2 --------------------------------------------------------------------------


def with_writer(lesson):
    """Load SmolLM2, and give the lesson's functions what they read."""
    writer = presets.load(keras_hub.models.CausalLM, "smollm2")
    lesson |= {"writer": writer, "writer_pieces": writer.preprocessor.tokenizer}
    lesson["step"] = tf.function(writer.call_with_cache, **lesson["options"])


def speed(lesson, arm, seed):
    """Pieces a second, greedy with the cache, after the graphs are built."""
    with_writer(lesson)
    prompt = "Once upon a time, in a small village by the sea,"
    lesson["go_on"](prompt, 128)
    start = time.perf_counter()
    _, count = lesson["go_on"](prompt, 128)
    return {"smollm2.tokens_per_second": count / (time.perf_counter() - start)}


def reviews(lesson, part, count):
    """Return some reviews as a prompt shows them, and their labels."""
    texts, labels = lesson["some"](part, count)
    return [" " + lesson["short"](text, WORDS) for text in texts], labels


def in_all_ways(lesson, starts, suffix, answers):
    """Ask about the test reviews after each start; return labels (P, 3, N) and hits."""
    texts, truth = reviews(lesson, "test", ASKED)
    said = []
    for start in starts:
        scores = lesson["log_odds"](start, texts, suffix, answers)
        (neutral,) = lesson["log_odds"](start, [" N/A"], suffix, answers)
        said.append([*lesson["labelled"](scores, neutral).values()])
    return np.array(said), np.array(said) == truth


def named(kind, accuracies):
    """Return the accuracies of the three ways to a label, by name."""
    ends = "", ".calibrated", ".half"
    names = [f"smollm2.{kind}{end}.accuracy" for end in ends]
    return dict(zip(names, accuracies, strict=True))


def zero_shot(lesson, arm, seed):
    """Choose a prompt on validation, and ask it about the test reviews."""
    with_writer(lesson)
    texts, truth = reviews(lesson, "validation", TRIED)
    figures = {}
    for name, (prefix, suffix, answers) in lesson["PROMPTS"].items():
        scores = lesson["log_odds"](prefix, texts, suffix, answers)
        figures[f"smollm2.prompt.{name}"] = np.mean((scores > 0) == truth)
    best = max(figures, key=figures.get).rpartition(".")[2]
    prefix, suffix, answers = lesson["PROMPTS"][best]
    said, right = in_all_ways(lesson, [prefix], suffix, answers)
    figures["smollm2.zero_shot.says_positive"] = said[0, 0].mean()
    return figures | named("zero_shot", right[0].mean(axis=1))


def few_shot(lesson, arm, seed):
    """Show four examples, others for each seed, in all orders of their labels."""
    with_writer(lesson)
    beginning = "smollm2.prompt."
    known = {row["name"]: row["value"] for row in load("pretrained")}
    tried = {name: known[name] for name in known if name.startswith(beginning)}
    best = max(tried, key=tried.get).removeprefix(beginning)
    prefix, suffix, answers = lesson["PROMPTS"][best]
    texts, labels = lesson["some"]("train", 40, seed)
    shown = [lesson["short"](text, SHOWN) for text in texts]
    orders = lesson["orders_of"](shown, labels, 2).values()
    starts = [lesson["with_examples"](o, prefix, suffix, answers) for o in orders]
    said, right = in_all_ways(lesson, starts, suffix, answers)
    votes, each = said[:, 0].mean(axis=0), right[:, 0].mean(axis=1)
    figures = {"disagree": np.mean((votes > 0) & (votes < 1))}
    figures |= {"lowest": each.min(), "highest": each.max()}
    figures = {f"smollm2.few_shot.{name}": value for name, value in figures.items()}
    return figures | named("few_shot", right.mean(axis=(0, 2)))


if __name__ == "__main__":
    evidence.main("pretrained")

"""Published weights: MiniLM with few and with all labels, SmolLM2 asked for a label.

    python -m benchmarks.pretrained [--arm all_2500 --seed 0]

Lesson 15 reads the file, and the models, the training and the prompts are those that it
builds in view. Every arm with few labels is tested on the same 2,500 test reviews; a
seed draws other labels, too. One dial of each arm, a rate or a C, is chosen on
validation. `teacher` writes what lesson 16 learns from: logits of all reviews with
labels.
"""

import time
import tomllib
from pathlib import Path

import keras
import keras_hub
import numpy as np
import tensorflow as tf
from keras import ops

import course_utils
from benchmarks import evidence, lesson_code
from benchmarks.imdb import ROOT, stored
from course_utils import datasets, models, presets
from course_utils.bert import BertClassifier
from course_utils.evidence import FOLDER
from course_utils.files import atomic_write

ARMS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
SEEDS = (0, 1, 2)
TEST, VALIDATION, ASKED, TRIED = 2500, 1000, 500, 200
PASSES = {500: 4, 2500: 2}
DIALS = {"pairs": (0.3, 1, 3, 10, 30), "frozen": (1e-3, 3e-3, 0.01, 0.03, 0.1)}
NAMES = "PARTS", "CHAT", "ASK", "PROMPTS", "options"


def measure(arm, seed):
    """Measure one arm; return its figures."""
    course = course_utils.setup(seed)
    given = {"course": course, "corpus": datasets.imdb, "LENGTH": 128}
    lesson = lesson_code.definitions("15", *NAMES, **given)
    settings = {key: value for key, value in ARMS[arm].items() if key != "seeds"}
    figures = globals()[settings.pop("kind")](lesson, arm, seed, **settings)
    known = "smollm2.", "minilm."
    return {
        name if name.startswith(known) else f"pretrained.{arm}.{name}": float(value)
        for name, value in figures.items()
    }


def measured(beginning):
    """Return what is measured under names with this beginning, by their ends."""
    rows = evidence.read(FOLDER / "pretrained.json")["rows"]
    named = [row for row in rows if row["name"].startswith(beginning)]
    return {row["name"].removeprefix(beginning): row["value"] for row in named}


def best(beginning):
    """Return the end of the name with the largest of these values."""
    found = measured(beginning)
    return max(found, key=found.get)


def with_encoder(lesson):
    """Load MiniLM, and give the lesson's functions what they read."""
    lesson["encoder"] = presets.load(keras_hub.models.BertBackbone, "minilm")
    pieces = presets.load_quietly(keras_hub.models.BertTokenizer, "minilm")
    lesson["bert_pieces"] = pieces
    lesson["embedder"] = lesson["as_graph"](lesson["with_pooling"](lesson["encoder"]))


def fixed(lesson, arm, seed, labels):
    """A logistic regression on counted word pairs, or on the vectors as they are."""

    def embed(part):
        with_encoder(lesson)
        return lesson["apply"](lesson["embedder"], lesson["encoded"](texts[part][0]))

    texts = {part: datasets.imdb.load(part) for part in ("train", "validation")}
    texts["test"], name = lesson["some"]("test", TEST), arm.split("_")[0]
    inputs = {part: np.array(own, dtype=object) for part, (own, _) in texts.items()}
    if name == "frozen":
        inputs = {part: stored("minilm", part, embed) for part in texts}
    chosen = np.random.default_rng(seed).permutation(len(inputs["train"]))[:labels]
    tried = {}
    for dial in DIALS[name]:
        model = lesson[{"pairs": "word_pairs", "frozen": "on_vectors"}[name]]()
        model.set_params(logisticregression__C=dial)
        model.fit(inputs["train"][chosen], texts["train"][1][chosen])
        score = model.score(inputs["validation"], texts["validation"][1])
        tried[score] = dial, model  # of equal ones the last
    dial, model = tried[max(tried)]
    accuracy = model.score(inputs["test"], texts["test"][1])
    return {"test_accuracy": accuracy, "dial": dial}


def learn(lesson, way, seed, labels, peak, part, count):
    """Train on some labels; return the rate of right answers on some other reviews."""
    keras.utils.set_random_seed(seed)
    if way == "mini_bert":
        whole = models.load_mini_bert()
        ids = keras.Input((None,), dtype="int32")
        p = BertClassifier(whole.network.encoder)(ids)
        model = keras.Model(ids, ops.log(p) - ops.log(1 - p))

        def encoded(texts):
            rows = whole.vectorizer.encode(texts)
            return [r if len(r) < 127 else r[:63] + r[-63:] for r in rows]

    else:
        with_encoder(lesson)
        encoded = lesson["encoded"]
        model = lesson["classifier"](lesson["body_of"](lesson["encoder"], way))
    texts, answers = lesson["some"]("train", labels, seed)
    lesson["fine_tune"](model, encoded(texts), answers, peak, PASSES[labels], seed)
    texts, answers = lesson["some"](part, count)
    logits = lesson["apply"](lesson["as_graph"](model), encoded(texts))[:, 0]
    return np.mean((logits > 0) == answers)


def trial(lesson, arm, seed, peaks):
    """Validation accuracy with each rate and 500 labels."""
    way, part = arm.removeprefix("trial_"), ("validation", VALIDATION)
    return {f"{p:g}": learn(lesson, way, seed, 500, p, *part) for p in peaks}


def trained(lesson, arm, seed, labels):
    """Test accuracy with the rate that the trial has chosen."""
    way, start = arm.rpartition("_")[0], time.process_time()
    peak = float(best(f"pretrained.trial_{way}."))
    accuracy = learn(lesson, way, seed, labels, peak, "test", TEST)
    minutes = (time.process_time() - start) / 60
    return {"test_accuracy": accuracy, "dial": peak, "processor_minutes": minutes}


def recipe(lesson, arm, seed, parts):
    """All labels: the minutes and the validation accuracy of one recipe."""
    with_encoder(lesson)
    model, minutes = (
        lesson["classifier"](lesson["body_of"](lesson["encoder"], "all")),
        0,
    )
    texts, labels = datasets.imdb.load("train")
    for length, peak in parts:
        rows, start = lesson["encoded"](texts, length), time.perf_counter()
        lesson["fine_tune"](model, rows, labels, peak, 1, seed + length)
        minutes += (time.perf_counter() - start) / 60
    model.save_weights(ROOT / "build" / f"minilm_{arm}.weights.h5")
    texts, labels = datasets.imdb.load("validation")
    rows = lesson["encoded"](texts, length)
    logits = lesson["apply"](lesson["as_graph"](model), rows)[:, 0]
    return {"train_minutes": minutes, "validation": np.mean((logits > 0) == labels)}


def teacher(lesson, arm, seed):
    """Test the better recipe once, and write its logits of all labelled reviews."""
    with_encoder(lesson)
    found = {r: measured(f"pretrained.{r}.") for r in ARMS if r.startswith("recipe")}
    found = {name: own for name, own in found.items() if own}
    name = max(found, key=lambda name: found[name]["validation"])
    model = lesson["classifier"](lesson["body_of"](lesson["encoder"], "all"))
    model.load_weights(ROOT / "build" / f"minilm_{name}.weights.h5")
    graph, length, logits = lesson["as_graph"](model), ARMS[name]["parts"][-1][0], {}
    for part in "train", "validation", "test":
        texts, labels = datasets.imdb.load(part)
        said = lesson["apply"](graph, lesson["encoded"](texts, length))[:, 0]
        logits[part] = said.astype("float16")
    with atomic_write(FOLDER / "minilm_logits.npz", "wb") as file:
        np.savez_compressed(file, **logits)
    accuracy, minutes = np.mean((said > 0) == labels), found[name]["train_minutes"]
    names = "minilm.imdb.test_accuracy", "minilm.imdb.train_minutes"
    return dict(zip(names, (accuracy, minutes), strict=True))


def with_writer(lesson):
    """Load SmolLM2, and give the lesson's functions what they read."""
    writer = presets.load(keras_hub.models.CausalLM, "smollm2")
    lesson["writer"], lesson["writer_pieces"] = writer, writer.preprocessor.tokenizer
    lesson["step"] = tf.function(writer.call_with_cache, **lesson["options"])


def speed(lesson, arm, seed):
    """Pieces a second, greedy with the cache, after the graphs are built."""
    with_writer(lesson)
    prompt = "Once upon a time, in a small village by the sea,"
    lesson["go_on"](prompt, 8)
    start = time.perf_counter()
    _, count = lesson["go_on"](prompt, 128)
    return {"smollm2.tokens_per_second": count / (time.perf_counter() - start)}


def asked(lesson, arm, seed):
    """Zero- and few-shot sentiment, in three ways from log-odds to a label."""
    with_writer(lesson)
    odds, prompts, figures = lesson["log_odds"], lesson["PROMPTS"], {}

    def reviews(part, count):
        texts, labels = lesson["some"](part, count)
        return [" " + lesson["short"](text, 40) for text in texts], labels

    if arm == "zero_shot":
        texts, truth = reviews("validation", TRIED)
        for name, (prefix, suffix, answers) in prompts.items():
            right = (odds(prefix, texts, suffix, answers) > 0) == truth
            figures[f"smollm2.prompt.{name}"] = np.mean(right)
        prefix, suffix, answers = prompts[max(figures, key=figures.get).split(".")[-1]]
        starts = [prefix]
    else:
        prefix, suffix, answers = prompts[best("smollm2.prompt.")]
        texts, labels = lesson["some"]("train", 40)
        shown = [lesson["short"](text, 20) for text in texts]
        orders = lesson["orders_of"](shown, labels, 2).values()
        starts = [lesson["with_examples"](o, prefix, suffix, answers) for o in orders]
    (texts, truth), said, right = reviews("test", ASKED), [], {}
    for start in starts:
        scores = odds(start, texts, suffix, answers)
        (neutral,) = odds(start, [" N/A"], suffix, answers)
        said.append(scores > 0)
        for way, labels in lesson["labelled"](scores, neutral).items():
            right.setdefault(way, []).append(np.mean(labels == truth))
    for name, way in zip(("", "calibrated.", "half."), right, strict=True):
        figures[f"smollm2.{arm}.{name}accuracy"] = np.mean(right[way])
    if arm == "few_shot":
        votes = np.mean(said, axis=0)
        figures["smollm2.few_shot.disagree"] = np.mean((votes > 0) & (votes < 1))
    return figures


if __name__ == "__main__":
    evidence.main("pretrained")

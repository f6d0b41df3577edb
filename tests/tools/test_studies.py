"""Each study of the evidence starts: it makes its models and measures, in small."""

import importlib

import numpy as np
import pytest

from benchmarks import (
    alignment,
    bert,
    bottleneck,
    captions,
    comparison,
    distance,
    distillation,
    encoder,
    evidence,
    gru,
    imdb,
    ladder,
    language,
    law,
    modern,
    pretrained,
    recall,
    when,
)
from benchmarks.lessons import encoder as encoder_lesson
from benchmarks.lessons import modern as modern_lesson
from benchmarks.lessons import when as when_lesson
from course_utils.datasets import phrasebook, reviews
from course_utils.kit.evidence import FOLDER
from course_utils.text import CharacterVectorizer

STUDIES = sorted(path.stem for path in FOLDER.glob("*.csv"))


@pytest.fixture(scope="module")
def pairs():
    """A few sentence pairs in all parts."""
    splits = phrasebook.load()
    return type(splits)(splits.train[:60], splits.validation[:20], splits.test[:20])


@pytest.mark.parametrize("name", STUDIES)
def test_a_study_knows_the_runs_that_are_stored(name):
    """So `--list` calls nothing missing that was measured under another name."""
    study = importlib.import_module(f"benchmarks.{name}")
    stored = importlib.import_module("course_utils.kit.evidence").table(name)
    runs = set(zip(stored["variant"], stored["seed"], strict=True))
    assert runs <= set(evidence.planned(study))


@pytest.mark.parametrize("variant", ["guided", "monotonic", "dot_keep"])
def test_alignment(variant):
    figures = alignment.measure(variant, 0, updates=10, most=10)
    assert 0 <= figures["test_exact"] <= 1
    assert 0 <= figures["test_error"] <= 1


@pytest.mark.parametrize("options", [{}, {"handed": 4}, {"decoder": "peeky"}])
def test_bottleneck(options):
    model = bottleneck.new_model(20, 0, 8, **options)
    assert model((np.ones((1, 3), int), np.ones((1, 2), int))).shape == (1, 2, 20)


def test_captions():
    figures = captions.measure("soft", 0, most=70, width=8, epochs=2)
    assert {"exact", "validation", "pointing"} <= set(figures)


@pytest.mark.parametrize("variant", ["patches", "hidden_untrained"])
def test_models_of_captions(variant):
    options = captions.VARIANTS[variant] | {"width": 8}
    options.pop("peak", None)
    kind = options.pop("model", captions.lesson.RecurrentCaptioner)
    model = captions.lesson.new_captioner(kind, 0, **options)
    assert model.count_params() > 0


@pytest.mark.parametrize("variant", ["no_positions", "no_residual"])
def test_encoder(variant, monkeypatch):
    monkeypatch.setattr(encoder, "EPOCHS", 1)
    figures = encoder.measure(variant, 0, most=60)
    assert {"train_accuracy", "validation_accuracy", "test_accuracy"} <= set(figures)


def test_a_block_without_parts():
    x = np.ones((1, 3, 8), "float32")
    nothing, weights = encoder_lesson.block_without(x, ("attention", "feed-forward"))
    assert nothing is x and weights is None
    whole, weights = encoder_lesson.block_without(x)
    assert (whole.shape, weights.shape) == ((1, 3, 8), (1, 4, 3, 3))


def test_readers_of_comparison():
    small = {"readers": ("attention",), "texts": 64, "asked": 4, "looks": ((1, 0.0),)}
    figures = comparison.measure("trial_1", 0, **small)
    assert 0 <= figures["comparison.trial_1.attention_loss"] <= 1


def test_translators_of_comparison():
    inputs = np.ones((1, 3), int), np.ones((1, 2), int)
    for build, _ in comparison.lesson.BUILD.values():
        assert build(60, 10, 8, 8)(inputs).shape == (1, 2, 60)


def marks(*bleu):
    """Return marks with counts of four sentences; the first BLEU has the lower loss."""
    found = {}
    for n, share in enumerate(bleu, start=1):
        counts = np.tile([12 * share] * 4 + [12] * 6, (4, 1))
        found[f"minutes_{n}"] = {"loss": n, "counts": counts, "budget": n}
    return found


@pytest.mark.parametrize("variant", ["trial_1600_2", "pairs_5000", "tuned_2", "pair"])
def test_a_comparison_reports_what_it_is_for(variant):
    settings = comparison.BASE | comparison.VARIANTS[variant]
    settings["search"] = "minutes_2"
    both = {"transformer": marks(1, 0.5), "gru": marks(0.5, 1)}
    texts = ["a b"] * 2 + ["a b c d e"] * 2
    clean = np.array([True, False, True, False])
    figures = comparison.report(settings, variant, both, texts, clean)
    if variant == "trial_1600_2":
        assert figures["trial_1600_2.gru_loss_1"] == 1
        assert figures["trial_1600_2.gru_loss"] == 2  # the end counts, not the lowest
        assert figures["trial_1600_2.gru_bleu_2"] == pytest.approx(100)
    elif variant == "pairs_5000":  # the model of the lower loss, for each
        assert figures["pairs_5000.bleu_difference"] == pytest.approx(50)
    elif variant == "tuned_2":
        assert figures["tuned_minutes_1.bleu_difference"] == pytest.approx(50)
        assert figures["tuned_minutes_2.bleu_difference"] == pytest.approx(-50)
    else:
        assert figures["minutes_1.bleu_difference"] == pytest.approx(50)
        assert figures["clean.bleu_difference"] == pytest.approx(-50)
        assert figures["clean.sentences"] == 2
        assert figures["words_12.sentences"] == 0


@pytest.mark.parametrize("variant", distance.VARIANTS)
def test_distance(variant):
    facts = distance.VARIANTS[variant].get("facts", distance.STEPS)
    tokens, answers = distance.ask(1, 0, facts)
    logits = distance.reader(variant)(tokens)
    assert logits.shape == (*answers.shape, distance.CONTENTS)
    labels, contents, asked = tokens[0].T.tolist()
    for step, (label, answer) in enumerate(zip(asked, answers[0], strict=True)):
        fact = labels.index(label)  # the only one
        assert fact <= step and fact < facts
        assert contents[fact] - 1 == answer


def material():
    """What students of distillation share: few reviews, and answers at random."""
    rng = np.random.default_rng(0)
    parts = {"train": 12, "validation": 6, "test": 6, "unlabelled": 6}
    labels = {name: rng.permutation(count) % 2 for name, count in parts.items()}
    labels["unlabelled"] = np.full(6, -1)
    return {
        "table": rng.normal(size=(30, 4)).astype("float32"),
        "ids": {n: rng.integers(4, 30, (c, 9)).tolist() for n, c in parts.items()},
        "labels": labels,
        "said": {n: rng.normal(size=c).astype("float32") for n, c in parts.items()},
        "vectors": {n: rng.normal(size=(c, 3)) for n, c in parts.items()},
    }


@pytest.mark.parametrize("variant", ["shuffled", "hidden"])
def test_distillation(variant, monkeypatch):
    monkeypatch.setattr(distillation, "chosen", lambda variant, setting: 2.0)
    figures = distillation.measure(variant, 0, material(), updates=20, trials=1)
    assert 0 <= figures["test_accuracy"] <= 1
    assert ("middle_test_accuracy" in figures) == (variant == "shuffled")


def test_gru(pairs):
    long = [row for row in phrasebook.load().train if len(row[0].split()) > 12][:4]
    splits = pairs._replace(train=pairs.train + long, test=pairs.test + long)
    small = {"pieces": 60, "embed_dim": 8, "units": 8, "updates": 10, "tokens": 200}
    figures = gru.measure("mean", 0, splits, **small)
    assert {"long_bleu", "words_12", "new_nats"} <= set(figures)
    assert 3 < figures["validation_loss"] < 5  # ln 60 is 4.1


@pytest.mark.parametrize("variant", ["no_block", "wide", "positions", "rotary"])
def test_imdb(variant):
    settings = dict(imdb.VARIANTS[variant])
    settings.pop("peak", None)
    model = imdb.classifier(np.zeros((20, 4), "float32"), **settings)
    assert model(np.array([[3, 4, 0]])).shape == (1, 1)


@pytest.mark.parametrize("variant", ["classic", "gru"])
def test_ladder(variant, pairs):
    small = {"width": 8, "dense": 8, "heads": 2, "vocab": 40}
    small["pieces"] = 60 if ladder.VARIANTS[variant]["pieces"] else 0
    figures = ladder.measure(variant, 0, pairs, minutes=1e-9, **small)
    assert {"bleu", "bleu_low", "epochs", "weights"} <= set(figures)


@pytest.mark.parametrize("variant", ["ngrams_500k", "gpt_2m_10"])
def test_language(variant, monkeypatch):
    sizes = {"embed_dim": 8, "dense_dim": 8, "num_heads": 2, "num_layers": 1}
    monkeypatch.setitem(language.lesson.SIZES, "gpt", sizes)
    texts = reviews.load("test")[0][:20]
    vectorizer = CharacterVectorizer.train(texts)
    ids = np.concatenate(vectorizer.encode(texts)).astype("uint8")
    held_out = [language.lesson.scoring(vectorizer, texts[:2], 32, 8) for _ in range(2)]
    small = {"characters": 1000}
    shared = (vectorizer, ids, *held_out)
    figures = language.measure(variant, 0, shared, length=32, **small)
    assert 0 < figures["bits"] < 9
    assert "place_8" in figures


def test_law(monkeypatch):
    monkeypatch.setattr(law, "earlier", lambda variant, figure: 2e-3)
    rng = np.random.default_rng(0)
    streams = rng.integers(1, 255, 6600, "uint8"), rng.integers(1, 255, 600, "uint8")
    figures = law.measure("late_32", 0, streams, amounts=(4500, 6600), split=300)
    assert figures["best"] in (2e-3, 1e-3, 5e-4)
    assert 0 < figures["loss_half"] < 12


def test_a_law_is_found_and_its_intervals_hold_the_truth():
    true = (0.8, 0.4, 0.35, 0.35, 0.45)
    weights = np.repeat([25e3, 55e3, 150e3, 340e3, 800e3], 4)
    amounts = np.tile(law.lesson.AMOUNTS, 5)
    losses = law.lesson.law(true, weights, amounts)
    found = law.lesson.fit_law(weights, amounts, losses)
    assert found == pytest.approx(true, rel=0.02)
    noise = np.exp(np.random.default_rng(1).normal(0, 0.004, len(weights)))
    laws = law.lesson.resampled_laws(weights, amounts, losses * noise, 40)
    _, low, high = law.lesson.predict(1.8e6, 4e6, *laws)
    assert low < law.lesson.law(true, 1.8e6, 4e6) < high


@pytest.mark.parametrize("variant", ["muon_rate2"])
def test_modern(variant, monkeypatch):
    monkeypatch.setattr(modern, "best_trial", lambda form: {"rate": 1e-3})
    texts = [f"{text} {n}" for n, text in enumerate(reviews.load("train")[0][:230])]
    shared = modern_lesson.prepared(texts, 1)
    small = {"width": 8, "num_layers": 1, "length": 8, "rows": 2, "updates": 2}
    shared = *shared[:2], shared[2][:3], shared[3][:3]
    figures = modern.measure(variant, 0, shared, **small)
    assert 3 < figures[f"modern.{variant}.bits"] < 9


def test_when(monkeypatch):
    for name, value in (("EVERY", 1), ("MOST", 1), ("WIDTH", 8)):
        monkeypatch.setattr(when_lesson, name, value)
    monkeypatch.setitem(when.VARIANTS, "tiny", {"corpus": "senses", "size": 40})
    monkeypatch.setattr(when, "chosen_setting", lambda variant, kind: 2)
    figures = when.measure("tiny", 1)
    assert (figures["labels"], figures["gru.updates_of_2"]) == (40, 1)
    assert figures["averaged.context_untrained"] == 0.5  # always the same vector
    lead = figures["positions.test_accuracy"] - figures["gru.test_accuracy"]
    low = figures["positions.lead_over_gru_low"]
    assert low <= lead <= figures["positions.lead_over_gru_high"]


def test_bert(monkeypatch):
    texts = reviews.load("train")[0][:8]
    ids = [[7, 8, 9, 10]] * 8
    labels = np.array([0, 1] * 4)
    parts = dict.fromkeys(("train", "validation", "test"), (texts, ids, labels))
    monkeypatch.setattr(bert, "stored", lambda *names: parts)
    monkeypatch.setattr(bert, "UPDATES", 2)
    monkeypatch.setattr(bert.lesson, "PEAKS", (1e-3,))
    settings = {"starts": ("scratch", "pairs"), "size": 8}
    settings |= {"leads": [("pairs", "scratch")]}
    monkeypatch.setitem(bert.VARIANTS, "labels_100", bert.OF_LABELS | settings)
    figures = bert.measure("labels_100", 0)
    assert -1 <= figures["pairs_over_scratch"] <= 1


@pytest.mark.parametrize("way", ["all", "lora", "scratch"])
def test_pretrained(way):
    minilm = pretrained.MiniLM("tiny_bert_en")  # in the place of the published one
    lesson = pretrained.lesson
    model = lesson.classifier(lesson.body_of(minilm.encoder, way))
    rows = minilm.encoded(["The plot is dull.", "It is"])
    logits = lesson.apply(lesson.as_graph(model), rows)
    assert logits.shape == (2, 1)
    assert minilm.as_read(rows)[1] == "it is"


@pytest.mark.parametrize("variant", ["attention", "gru_8"])
def test_recall(variant):
    figures = recall.measure(variant, 0, steps=10)
    accuracies = [figures[f"accuracy_{facts}"] for facts in recall.FACTS]
    assert all(0 <= accuracy <= 1 for accuracy in accuracies)

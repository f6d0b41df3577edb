"""A GRU with attention against a Transformer, both with the code of lesson 10.

    python -m benchmarks.comparison [--arm pair --seed 0]

The arms trial_* tune. All others take, for each model, the trial with the lowest
validation loss. Two translators learn in turns, so that whatever slows the machine
slows both. Minutes are those of the processor, and begin after the first step, which
builds the graph; vocabularies, scores and translations don't count. A reader is checked
each half minute; it has its plateau when its validation loss has not fallen by 2 % in
the last six checks.
"""

import time
import tomllib
from pathlib import Path

import keras
import numpy as np

import course_utils
from benchmarks import evidence, ladder, lesson_code
from course_utils.datasets.batches import translation_batches
from course_utils.evidence import FOLDER
from course_utils.seq2seq import Translator
from course_utils.text import SubwordVectorizer

BASE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
ARMS, SEEDS = BASE.pop("arms"), (0, 1, 2)
ASSIGNED = "NAMES READERS BUILD TRIALS RATES LONGEST LENGTHS LENGTH DISTANCES INDEX"
ASSIGNED += " NOUNS VERBS NEAR ADVERBS FORMS WORDS"
PATIENCE = 6  # checks of a reader


def measure(arm, seed):
    """Make one run; return its figures."""
    course_utils.setup(seed)
    lesson = lesson_code.definitions("10", *ASSIGNED.split())
    lesson["clock"] = time.process_time
    run = read if "readers" in ARMS[arm] else translate
    found = run(lesson, {**BASE, **ARMS[arm]}, arm, seed)
    return {f"comparison.{name}": float(value) for name, value in found.items()}


def recipe(lesson, settings, name, trials):
    """Return the trial of an arm, or what was the best one for a model."""
    rows = evidence.read(FOLDER / "comparison.json")["rows"]
    return settings["trial"] or lesson["chosen"](rows, name, lesson[trials])


# --- readers -------------------------------------------------------------------------


def read(lesson, settings, arm, seed):
    """Train readers to their plateau; return right answers by distance, and minutes."""
    data = lesson["questions"](settings["texts"], seed)
    ids, plural = lesson["questions"](settings["held_out"], "validation")
    found, loss = {}, keras.losses.BinaryCrossentropy(from_logits=True)
    for kind in settings["readers"]:
        (rate,) = recipe(lesson, settings, kind, "RATES")
        trainee, losses = lesson["reader"](kind, data, rate / 1000, seed), []
        while len(losses) < settings["checks"] and not at_plateau(losses):
            trainee.learn(30)
            losses.append(float(loss(plural, trainee.average(ids))))
        if settings["trial"]:
            found[f"{arm}.{kind}_loss"] = losses[-1]
            continue
        found[f"distance.{kind}_minutes"] = trainee.spent["minutes"]
        for far in lesson["DISTANCES"]:
            right = lesson["accuracy_at"](trainee.average, far, settings["held_out"])
            found[f"distance_{far}.{kind}"] = right
    return found


def at_plateau(losses):
    """Tell whether the last checks have not been better by 2 % than those before."""
    before, last = losses[:-PATIENCE], losses[-PATIENCE:]
    return bool(before) and min(last) > 0.98 * min(before)


# --- translators ---------------------------------------------------------------------


def translate(lesson, settings, arm, seed):
    """Train both translators in turns; return losses, or scores and differences."""
    splits, count = ladder.splits(), settings["pairs"] or None
    order = np.random.default_rng(seed).permutation(len(splits.train))
    rows = [splits.train[i] for i in order[:count]] if count else splits.train
    texts = [text for e, several in rows for s in several for text in (e, s)]
    vectorizer = SubwordVectorizer.train(texts, settings["pieces"])
    pairs = [side[:count] for side in lesson["encode"](vectorizer, rows)]
    held = lesson["encode"](vectorizer, splits.validation)
    held = translation_batches(*(side[: settings["held_out"]] for side in held), 4096)
    english, references = zip(*splits.test, strict=True)
    trainees, marks = {}, {name: {} for name in lesson["NAMES"]}
    for name in marks:
        tokens, rate = recipe(lesson, settings, name, "TRIALS")
        about = settings["sizes"][name], pairs, vectorizer.vocabulary_size
        trainees[name] = lesson["translator"](name, *about, tokens, rate / 1000, seed)
    race = lesson["race"](trainees, settings["budgets"], settings["turn"])
    for name, kind, budget in race:
        one, key = trainees[name], f"{kind}_{budget}"
        mark = marks[name][key] = {"loss": lesson["loss_on"](one.average, held)}
        mark["epochs"] = one.spent["rows"] / len(pairs[0])
        mark["operations"] = one.spent["operations"]
        if not settings["trial"]:
            written = lesson["written"](vectorizer, one, english)
            mark["counts"] = lesson["counts_of"](written, references)
        if key == settings["search"]:
            best = Translator(vectorizer, one.average).translate(english, method="beam")
            mark["beam"] = lesson["bleu_of"](lesson["counts_of"](best, references))
    return told(lesson, settings, arm, marks, english)


def told(lesson, settings, arm, marks, english):
    """Return what an arm reports of its marks: name to budget to what was measured."""
    if settings["trial"]:
        return {
            f"{arm}.{name}_loss": one["loss"]
            for name, own in marks.items()
            for one in own.values()
        }
    if settings["pairs"]:
        for name, own in marks.items():
            marks[name] = {arm: min(own.values(), key=lambda mark: mark["loss"])}
    found = {}
    for key in marks["gru"]:
        counts = {name: own[key].pop("counts") for name, own in marks.items()}
        for name, own in marks.items():
            own[key]["bleu"] = lesson["bleu_of"](counts[name])
            found |= {f"{key}.{name}.{figure}": x for figure, x in own[key].items()}
        parts = {key: slice(None)}
        if key == settings["search"]:
            of_length = lesson["of_length"]
            parts |= {f"words_{n}": of_length(english, n) for n in lesson["LENGTHS"]}
        for part, rows in parts.items():
            gap = lesson["ahead"](counts["transformer"][rows], counts["gru"][rows])
            ends = (f"{part}.{end}" for end in ("bleu_difference", "low", "high"))
            found |= zip(ends, gap, strict=True)
    return found


if __name__ == "__main__":
    evidence.main("comparison")

"""A GRU with attention against a Transformer, both with the lesson's code.

    python -m benchmarks.comparison [--variant pair --seed 0]

The variants trial_* and small_* tune, for as long as the others train; those take, for
each model, the trial with the lowest validation loss at its end, and tuned_* the one
with the lowest loss at the mark that they are trained for.

Two translators learn in turns, so that whatever slows the machine slows both. Minutes
are those of the processor, and begin after the first step, which builds the graph;
vocabularies, scores and translations don't count. After each mark all is kept in
``build/comparison``: a race that is broken off goes on from there. Readers all train
for the same minutes.
"""

import pickle
import time
from pathlib import Path

import numpy as np

import course_utils
from benchmarks import evidence, ladder, lesson_code
from course_utils.datasets.batches import translation_batches
from course_utils.kit.files import atomic_write
from course_utils.seq2seq import Translator
from course_utils.text import SubwordVectorizer

(VARIANTS, BASE), SEEDS = evidence.settings(__file__), (0, 1, 2)
ASSIGNED = "NAMES READERS BUILD TRIALS RATES LONGEST LENGTHS LENGTH DISTANCES INDEX"
ASSIGNED += " NOUNS VERBS NEAR ADVERBS FORMS WORDS"
ROW_A_FIGURE = True  # one run trains both translators
LEARNED = 0.95  # of the answers are right
PARTS = Path(__file__).resolve().parents[1] / "build" / "comparison"


def measure(variant, seed):
    """Make one run; return its figures."""
    course_utils.setup(seed)
    lesson = lesson_code.definitions("rnn_or_transformer", *ASSIGNED.split())
    lesson["clock"] = time.process_time
    run = read if "readers" in VARIANTS[variant] else translate
    found = run(lesson, {**BASE, **VARIANTS[variant]}, variant, seed)
    return {f"comparison.{name}": float(value) for name, value in found.items()}


def recipe(lesson, settings, name, trials):
    """Return the trial of a variant, or what was the best one for a model."""
    rows = evidence.load("comparison")
    tuned = lesson[trials], settings["tuned"], settings["mark"]
    return settings["trial"] or lesson["chosen"](rows, name, *tuned)


# --- readers -------------------------------------------------------------------------


def read(lesson, settings, variant, seed):
    """Train readers; return right answers by distance, and when they were learned.

    A distance is learned at the first look at which 95 % are right there. One that
    never is counts with all the texts. A trial's loss is the rate of wrong answers over
    all looks, so the lowest is that of a reader that is right early and stays so.
    """
    about = settings["texts"], seed, settings["far"] or None
    data, found, right = lesson["questions"](*about), {}, lesson["accuracy_at"]
    for kind in settings["readers"]:
        (rate,) = recipe(lesson, settings, kind, "RATES")
        trainee = lesson["reader"](kind, data, rate / 1000, seed)
        distances, count = lesson["DISTANCES"], settings["asked"]
        texts, rates = [], []  # rates: (looks, distances)
        for seconds in [s for looks, s in settings["looks"] for _ in range(looks)]:
            trainee.learn(seconds)
            texts.append(trainee.spent["rows"])
            rates.append([right(trainee.average, far, count) for far in distances])
        if settings["trial"]:
            found[f"{variant}.{kind}_loss"] = 1 - np.mean(rates)
            continue
        name = "_".join(filter(None, (kind, settings["far"])))
        found[f"distance.{name}_texts"] = texts[-1]
        for far, known in zip(distances, np.transpose(rates), strict=True):
            found[f"distance_{far}.{name}"] = right(trainee.average, far, count, "test")
            first = np.argmax([*(known >= LEARNED), True])  # none: after all
            found[f"distance_{far}.{name}_texts"] = [*texts, texts[-1]][first]
            found[f"distance_{far}.{name}_learned"] = first < len(texts)
    return found


# --- translators ---------------------------------------------------------------------


def translate(lesson, settings, variant, seed):
    """Train both translators in turns; return losses, or scores and differences."""
    splits, count = ladder.splits(), settings["pairs"] or None
    order = np.random.default_rng(seed).permutation(len(splits.train))
    rows = [splits.train[i] for i in order[:count]] if count else splits.train
    texts = [text for e, several in rows for s in several for text in (e, s)]
    vectorizer = SubwordVectorizer.train(texts, settings["pieces"])
    pairs = [side[:count] for side in lesson["encode"](vectorizer, rows)]
    held = lesson["encode"](vectorizer, splits.validation)
    held = translation_batches(*(side[: settings["held_out"]] for side in held), 4096)
    asked = splits.validation[:1000] if settings["trial"] else splits.test
    english, references = zip(*asked, strict=True)
    version = [evidence.commit(), settings]
    trainees, marks = {}, {name: {} for name in lesson["NAMES"]}
    for name in marks:
        tokens, rate = recipe(lesson, settings, name, "TRIALS")
        version += tokens, rate
        about = settings["sizes"][name], pairs, vectorizer.vocabulary_size
        trainees[name] = lesson["translator"](name, *about, tokens, rate / 1000, seed)
    path = PARTS / f"{variant}_{seed}.pickle"
    go_on(path, version, trainees, marks)
    race = lesson["race"](trainees, settings["budgets"], settings["turn"])
    for name, kind, budget in race:
        one, key = trainees[name], f"{kind}_{budget}"
        if key in marks[name]:
            continue
        mark = marks[name][key] = {**one.spent, "budget": budget}
        mark["epochs"] = mark.pop("rows") / len(pairs[0])
        mark["loss"] = lesson["loss_on"](one.average, held)
        lowest = mark["loss"] <= min(each["loss"] for each in marks[name].values())
        if lowest or not settings["pairs"]:
            written = lesson["written"](vectorizer, one, english)
            mark["counts"] = lesson["counts_of"](written, references)
        if key == settings["search"]:
            best = Translator(vectorizer, one.average).translate(english, method="beam")
            mark["beam"] = lesson["bleu_of"](lesson["counts_of"](best, references))
        save(path, version, trainees, marks)
    known = {text for _, several in splits.train for text in several}
    clean = np.array([known.isdisjoint(several) for several in references])
    found = told(lesson, settings, variant, marks, english, clean)
    path.unlink(missing_ok=True)
    return found


def variables(one):
    """Return all that changes while a trainee learns, but what it has spent."""
    return [*one.model.variables, *one.average.variables, *one.optimizer.variables]


def save(path, version, trainees, marks):
    """Keep a race, so that it can go on from here if it is broken off."""
    states = {n: [t.spent, *map(np.array, variables(t))] for n, t in trainees.items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path, "wb") as file:
        pickle.dump([version, states, marks], file)


def go_on(path, version, trainees, marks):
    """Put trainees and marks where a race was broken off, if this version ran it."""
    kept = pickle.loads(path.read_bytes()) if path.is_file() else [None]
    if kept[0] == version:
        marks |= kept[2]
        for name, (spent, *values) in kept[1].items():
            one = trainees[name]
            one.spent |= spent
            for variable, value in zip(variables(one), values, strict=True):
                variable.assign(value)
            for _ in range(int(one.optimizer.iterations) - 1):  # the first is taken
                next(one.batches)


def told(lesson, settings, variant, marks, english, clean):
    """Return what a variant reports of its marks: name to budget to what was measured.

    ``clean`` tells which test sentences have no reference that training has, too.
    """
    found = {}
    if settings["pairs"]:  # where the validation loss is lowest
        for name, own in marks.items():
            marks[name] = {variant: min(own.values(), key=lambda mark: mark["loss"])}
    if settings["mark"]:
        for name, own in marks.items():
            marks[name] = {f"tuned_{key}": mark for key, mark in own.items()}
    if settings["trial"]:
        for name, own in marks.items():
            for mark in own.values():
                about = f"{variant}.{name}_{{}}_{mark['budget']}".format
                found[about("loss")] = mark["loss"]
                found[about("bleu")] = lesson["bleu_of"](mark["counts"])
            found[f"{variant}.{name}_loss"] = mark["loss"]  # the last one's
        return found
    for key in marks["gru"]:
        counts = {name: own[key].pop("counts") for name, own in marks.items()}
        parts = {key: np.ones(len(english), bool)}
        if key == settings["search"]:
            of_length = lesson["of_length"]
            parts |= {f"words_{n}": of_length(english, n) for n in lesson["LENGTHS"]}
            parts["clean"] = clean
        for part, rows in parts.items():
            gap = lesson["ahead"](counts["transformer"][rows], counts["gru"][rows])
            ends = [f"{part}.{end}" for end in ("bleu_difference", "low", "high")]
            found |= zip(ends, gap, strict=True)
            found[f"{part}.sentences"] = rows.sum()
            for name, one in counts.items():
                found[f"{part}.{name}.bleu"] = lesson["bleu_of"](one[rows])
        for name, own in marks.items():
            found |= {f"{key}.{name}.{figure}": x for figure, x in own[key].items()}
    return found


if __name__ == "__main__":
    evidence.main("comparison")

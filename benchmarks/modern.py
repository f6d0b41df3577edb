"""From the Transformer of 2017 to today's: each change, and each part taken out.

    python -m benchmarks.modern [--arm swiglu --seed 0]

All forms are lesson 19's own, trained by its functions. The budget is a number of
updates, for it is the same on every machine and in every run, and processor minutes
stand beside; only the arm classic_minutes gets more updates, as many as take muon's
time: both are timed in turns before. A run takes about a minute of two cores. The
trials of rates come first, for the others read which one is best. Bits of a model that
broke are those of guessing.
"""

import time
import tomllib
from pathlib import Path

import numpy as np

import course_utils
from benchmarks import evidence, lesson_code
from benchmarks.imdb import stored
from course_utils import datasets
from course_utils.datasets import character_windows
from course_utils.scaling.timing import interleaved_seconds
from course_utils.text import CharacterVectorizer

LESSON = lesson_code.definitions("19", "CLASSIC", "CHANGES", "VARIANTS", "RECIPE")
FORMS = LESSON["ladder"]()
FORMS |= {arm: FORMS["muon"] | change for arm, change in LESSON["VARIANTS"].items()}
TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
TRIALS = {
    f"{form}_rate{number}": {"form": form, "rate": rate, "seeds": [0]}
    for form, rates in TABLE["trials"].items()
    for number, rate in enumerate(rates, start=1)
}
ARMS = TRIALS | {arm: {"form": arm} for arm in FORMS} | TABLE["beside"]
SEEDS = (0, 1, 2)
BEYOND = ("muon", "alibi", "waves", "no_positions")  # read 4 T, too
LEAST = 1000  # how often a character occurs that is scored


def prepared(_):
    """Return the vectorizer, the stream, and the texts of both held-out parts."""
    texts = [character_windows.clean(t) for t in datasets.imdb.load("train")[0]]
    validation, test, train = character_windows.split_texts(texts, (50, 150))
    vectorizer = CharacterVectorizer.train(train, LEAST)
    stream = character_windows.stream(vectorizer.encode(train))
    return vectorizer, stream, validation, test


def rate_of(form):
    """Return the rate of a form's group: the trial with the fewest validation bits."""
    rows = evidence.read(evidence.FOLDER / "modern.json")["rows"]
    found = {row["name"]: row["value"] for row in rows if row["arm"] in TRIALS}
    group = LESSON["group_of"](form)
    names = [f"modern.{arm}" for arm in TRIALS if TRIALS[arm]["form"] == group]
    best = min(names, key=lambda name: found[f"{name}.validation_bits"])
    return found[f"{best}.rate"]


def update_seconds(forms, vocab_size, recipe):
    """Return the processor seconds of an update of each form, timed in turns."""
    x = np.ones((recipe["rows"], recipe["length"]), "int32")
    models = {
        name: LESSON["new_model"](FORMS[name], vocab_size, recipe) for name in forms
    }
    for model in models.values():
        LESSON["train_model"](
            model, np.arange(999) % 9, recipe | {"updates": 2}, 0.0, looks=1
        )
    steps = {
        name: lambda m=model: m.train_on_batch(x, x) for name, model in models.items()
    }
    times = interleaved_seconds(steps, rounds=20)
    return [np.median(times[name].processor) for name in forms]


def measure(arm, seed):
    """Train one arm; return its figures. Minutes are those of the processor."""
    course_utils.setup(seed)
    settings = dict(ARMS[arm])
    form, recipe = FORMS[settings["form"]], dict(LESSON["RECIPE"])
    recipe["num_layers"] = settings.get("num_layers", recipe["num_layers"])
    vectorizer, stream, validation, test = stored("characters", LEAST, prepared)
    size = vectorizer.vocabulary_size
    if other := settings.get("minutes_of"):
        theirs, ours = update_seconds((other, settings["form"]), size, recipe)
        recipe["updates"] = round(recipe["updates"] * theirs / ours)
    rate = settings.get("rate") or rate_of(form) / settings.get("slower", 1)
    model = LESSON["new_model"](form, size, recipe, seed)
    start = time.process_time()
    LESSON["train_model"](model, stream, recipe, rate, seed, looks=1)
    figures = {"processor_minutes": (time.process_time() - start) / 60, "rate": rate}
    figures |= {"weights": model.count_params(), "updates": recipe["updates"]}
    for name, texts in ("bits", test), ("validation_bits", validation):
        held_out = LESSON["scoring"](vectorizer, texts, recipe)
        figures[name] = LESSON["mean_bits"](model, held_out)
    if arm in BEYOND:
        both = LESSON["quarters"](model, vectorizer, test, recipe)
        for kind, found in zip(("whole", "cut"), both, strict=True):
            figures |= {f"{kind}_{k}": x for k, x in enumerate(found, start=1)}
    return {f"modern.{arm}.{name}": float(value) for name, value in figures.items()}


if __name__ == "__main__":
    evidence.main("modern")

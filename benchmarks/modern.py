"""From the Transformer of 2017 to today's: each change, and each part taken out.

    python -m benchmarks.modern [--arm swiglu --seed 0]

All forms are lesson 19's own, trained by its functions. The budget is a number of
updates, which is the same on every machine and in every run, and processor minutes
stand beside. Only two arms get more updates: the form of 2017, with as many as take the
minutes of today's block (Adam in both), and of today's block with Muon; both are timed
in turns before. The trials of rates come first, for the other arms read which one is
best; the best trial of a form is its run with seed 0. On one core, 1,800 updates take
about 38 s (2017), 40 s (today's block), 48 s (with Muon) and 90 s (attention_only), and
start and scoring 20 s more: so the 101 runs, of which 12 are such trials, take about
95 processor minutes. The bits of a model that broke are those of guessing.
"""

import time
import tomllib
from pathlib import Path

import numpy as np

import course_utils
from benchmarks import evidence, lesson_code
from benchmarks.imdb import stored
from course_utils import datasets
from course_utils.scaling.timing import interleaved_seconds

LESSON = lesson_code.definitions("19", "CLASSIC", "CHANGES", "VARIANTS", "RECIPE")
FORMS = LESSON["ladder"]()
FORMS |= {name: FORMS["muon"] | new for name, new in LESSON["VARIANTS"].items()}
TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
TRIALS = {
    f"{form}_rate{number}": {"form": form, kind: value, "seeds": [0]}
    for kind in ("rate", "fraction")
    for form, values in TABLE[kind].items()
    for number, value in enumerate(values, start=1)
}
ARMS, SEEDS = TRIALS | TABLE["minutes"] | {f: {"form": f} for f in FORMS}, (0, 1, 2)
BEYOND = ("muon", "alibi", "waves", "no_positions")  # read 4 T, too


def best_trial(form):
    """Return the figures of the trial with the fewest validation bits.

    Raises:
        KeyError: one of the trials of this form is still to be made.
    """
    rows = evidence.read(evidence.FOLDER / "modern.json")["rows"]
    arms = [arm for arm in TRIALS if TRIALS[arm]["form"] == form]
    figures = [
        {row["name"].split(".")[-1]: row["value"] for row in rows if row["arm"] == arm}
        for arm in arms
    ]
    return min(figures, key=lambda found: found["validation_bits"])


def update_seconds(names, vocab_size, recipe):
    """Return the processor seconds of an update of each form, timed in turns."""
    steps, x = {}, np.ones((recipe["rows"], recipe["length"]), "int32")
    for name in names:
        model = LESSON["new_model"](FORMS[name], vocab_size, recipe)
        LESSON["compile_model"](model, 1e-3, 100)
        steps[name] = lambda model=model: model.train_on_batch(x, x)
    times = interleaved_seconds(steps, rounds=20)
    return [np.median(times[name].processor) for name in names]


def figures_of(settings, seed):
    """Train one arm; return its figures. Minutes are those of the processor."""
    course_utils.setup(seed)
    name, read = settings["form"], lambda: datasets.imdb.load("train")[0]
    form, recipe = FORMS[name], LESSON["RECIPE"] | TABLE["recipe"].get(name, {})
    # What occurs less than 1,000 times isn't scored.
    made = stored("characters", 1000, lambda n: LESSON["prepared"](read(), n))
    vectorizer, stream, validation, test = made
    size, rate = vectorizer.vocabulary_size, settings["rate"]
    if other := settings.get("of"):
        theirs, ours = update_seconds((other, name), size, recipe)
        recipe["updates"] = round(recipe["updates"] * theirs / ours)
    model = LESSON["new_model"](form, size, recipe, seed)
    start = time.process_time()
    LESSON["train_model"](model, stream, recipe, rate, seed, looks=1)
    figures = {"processor_minutes": (time.process_time() - start) / 60, "rate": rate}
    figures |= {"weights": model.count_params(), "updates": recipe["updates"]}
    for kind, part in ("bits", test), ("validation_bits", validation):
        held_out = LESSON["scoring"](vectorizer, part, recipe)
        figures[kind] = LESSON["mean_bits"](model, held_out)
    if name in BEYOND:
        figures |= LESSON["quarters"](model, vectorizer, test, recipe)
    return figures


def measure(arm, seed):
    """Return the figures of one run; with seed 0, a tuned form has them already."""
    settings = ARMS[arm]
    form = settings["form"]
    if "fraction" in settings:
        rate = settings["fraction"] * best_trial("muon")["rate"]
        found = figures_of(settings | {"rate": rate}, seed)
    elif "rate" in settings:
        found = figures_of(settings, seed)
    else:
        tuned = form in TABLE["rate"] | TABLE["fraction"]
        best = best_trial(form if tuned else LESSON["group_of"](FORMS[form]))
        again = tuned and arm == form and seed == 0
        found = best if again else figures_of(settings | {"rate": best["rate"]}, seed)
    return {f"modern.{arm}.{name}": float(value) for name, value in found.items()}


if __name__ == "__main__":
    evidence.main("modern")

"""From the Transformer of 2017 to today's: each change, and each part taken out.

    python -m benchmarks.modern [--arm swiglu --seed 0]

All forms are lesson 19's own, trained by its functions. The budget is a number of
updates, which is the same on every machine and in every run, and processor minutes
stand beside. Only two arms get more updates: the form of 2017, with as many as take the
minutes of today's block (Adam in both), and of today's block with Muon; both are timed
in turns before. The trials of rates come first, for the other arms read which one is
best. On one core, 1,800 updates take about 38 s (2017), 40 s (today's block), 48 s
(with Muon) and 90 s (attention_only), and start and scoring 20 s more: so the 89 runs
take about 95 processor minutes. The bits of a model that broke are those of guessing.
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
TRIALS, OWN = TABLE["trials"], {name: {"form": name} for name in FORMS}
ARMS, SEEDS = TRIALS | TABLE["first"] | OWN | TABLE["last"], (0, 1, 2)
BEYOND = ("muon", "alibi", "waves", "no_positions")  # read 4 T, too


def rate_of(form):
    """Return the rate of a form's group: the trial with the fewest validation bits."""
    rows = evidence.read(evidence.FOLDER / "modern.json")["rows"]
    bits = {row["arm"]: row["value"] for row in rows if "validation" in row["name"]}
    tried = [a for a in TRIALS if TRIALS[a]["form"] == LESSON["group_of"](form)]
    return TRIALS[min(tried, key=bits.__getitem__)]["rate"]


def update_seconds(names, vocab_size, recipe):
    """Return the processor seconds of an update of each form, timed in turns."""
    steps, x = {}, np.ones((recipe["rows"], recipe["length"]), "int32")
    for name in names:
        model = LESSON["new_model"](FORMS[name], vocab_size, recipe)
        LESSON["compile_model"](model, 1e-3, 100)
        steps[name] = lambda model=model: model.train_on_batch(x, x)
    times = interleaved_seconds(steps, rounds=20)
    return [np.median(times[name].processor) for name in names]


def measure(arm, seed):
    """Train one arm; return its figures. Minutes are those of the processor."""
    course_utils.setup(seed)
    settings, read = ARMS[arm], lambda: datasets.imdb.load("train")[0]
    form = FORMS[settings["form"]]
    recipe = LESSON["RECIPE"] | settings.get("recipe", {})
    # What occurs less than 1,000 times isn't scored.
    made = stored("characters", 1000, lambda n: LESSON["prepared"](read(), n))
    vectorizer, stream, validation, test = made
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
    for name, part in ("bits", test), ("validation_bits", validation):
        held_out = LESSON["scoring"](vectorizer, part, recipe)
        figures[name] = LESSON["mean_bits"](model, held_out)
    if arm in BEYOND:
        figures |= LESSON["quarters"](model, vectorizer, test, recipe)
    return {f"modern.{arm}.{name}": float(value) for name, value in figures.items()}


if __name__ == "__main__":
    evidence.main("modern")

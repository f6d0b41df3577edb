"""From the Transformer of 2017 to today's: each change, and each part taken out.

    python -m benchmarks.modern [--arm swiglu --seed 0]

All forms are lesson 19's own, trained by its functions. The budget is a number of
updates, which is the same on every machine and in every run, and processor minutes
stand beside. Only two arms get more updates: the form of 2017, with as many as take the
minutes of today's block (Adam in both), and of today's block with Muon, by the minutes
of the trials. These trials of rates come first: the other arms read which rate is best,
and the best trial of a form is its run with seed 0. A run
takes about 70 processor seconds (2017), 75 (today's block), 85 (with Muon) or 150
(attention_only), start and scoring included: so the 101 runs, of which 12 are such
trials, take about two processor hours, and less than 90 minutes on two cores.
The bits of a model that broke are those of guessing.
"""

import time
import tomllib
from pathlib import Path

import course_utils
from benchmarks import evidence, lesson_code
from benchmarks.imdb import stored
from course_utils import datasets

LESSON = lesson_code.definitions("19", "CLASSIC", "CHANGES", "VARIANTS", "RECIPE")
FORMS = LESSON["ladder"]()
FORMS |= {name: FORMS["muon"] | new for name, new in LESSON["VARIANTS"].items()}
TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
TRIALS = {
    f"{form}_rate{number}": {"form": form, "rate": rate, "seeds": [0]}
    for form, rates in TABLE["rates"].items()
    for number, rate in enumerate(rates, start=1)
}
ARMS, SEEDS = TRIALS | TABLE["minutes"] | {f: {"form": f} for f in FORMS}, (0, 1, 2)
MINUTES = "processor_minutes"
BEYOND = ("muon", "alibi", "waves", "no_positions")  # read 4 T, too


def trials(form):
    """Return the figures of each trial of a form, the fewest validation bits first.

    Raises:
        KeyError: one of them is still to be made.
    """
    found = {arm: {} for arm in TRIALS if TRIALS[arm]["form"] == form}
    for row in evidence.read(evidence.FOLDER / "modern.json")["rows"]:
        if row["arm"] in found:
            found[row["arm"]][row["name"].split(".")[-1]] = row["value"]
    return sorted(found.values(), key=lambda figures: figures["validation_bits"])


def figures_of(settings, rate, seed):
    """Train one arm; return its figures. Minutes are those of the processor."""
    course_utils.setup(seed)
    name, read = settings["form"], lambda: datasets.imdb.load("train")[0]
    recipe = LESSON["RECIPE"] | TABLE["recipe"].get(name, {})
    # What occurs less than 1,000 times isn't scored.
    made = stored("characters", 1000, lambda n: LESSON["prepared"](read(), n))
    vectorizer, stream, validation, test = made
    if other := settings.get("of"):
        theirs, ours = (sum(t[MINUTES] for t in trials(f)) for f in (other, name))
        recipe["updates"] = round(recipe["updates"] * theirs / ours)
    model = LESSON["new_model"](FORMS[name], vectorizer.vocabulary_size, recipe, seed)
    start = time.process_time()
    LESSON["train_model"](model, stream, recipe, rate, seed, looks=1)
    figures = {MINUTES: (time.process_time() - start) / 60, "rate": rate}
    figures |= {"weights": model.count_params(), "updates": recipe["updates"]}
    for kind, part in ("bits", test), ("validation_bits", validation):
        held_out = LESSON["scoring"](vectorizer, part, recipe)
        figures[kind] = LESSON["mean_bits"](model, held_out)
    if name in BEYOND:
        figures |= LESSON["quarters"](model, vectorizer, test, recipe)
    return figures


def measure(arm, seed):
    """Return the figures of one run; with seed 0, a tuned form has them already."""
    settings, form = ARMS[arm], ARMS[arm]["form"]
    tuned = form if form in TABLE["rates"] else LESSON["group_of"](FORMS[form])
    rate = settings.get("rate") or trials(tuned)[0]["rate"]
    again = arm == tuned and seed == 0
    found = trials(form)[0] if again else figures_of(settings, rate, seed)
    return {f"modern.{arm}.{name}": float(value) for name, value in found.items()}


if __name__ == "__main__":
    evidence.main("modern")

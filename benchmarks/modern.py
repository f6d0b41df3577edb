"""From the Transformer of 2017 to today's: each change, and each part taken out.

    python -m benchmarks.modern [--arm swiglu --seed 0]

All forms are lesson 19's own, trained by its functions. The budget is a number of
updates, which is the same on every machine and in every run, and processor minutes
stand beside. Only four arms get more updates: the form of 2017, also with an output of
its own, with as many as take the minutes of today's block (Adam in all), and both by
those of today's block with Muon, the latter with Muon, too. These minutes come from the
trials of rates, which come first: the other arms read which rate is best, and the best
trial of a form is its run with seed 0. The ladder has five seeds, what else there is
three.

A run takes about 70 processor seconds (2017), 75 (today's block), 85 (with Muon) or 150
(attention_only), start and scoring included. There are 187 runs, of which 89 are trials
and 22 more are such trials again, which take no time: about three and a half processor
hours, and 110 minutes on two cores. The bits of a model that broke are those of
guessing.
"""

from statistics import median

import course_utils
from benchmarks import evidence, lesson_code
from benchmarks.imdb import stored
from course_utils import datasets

LESSON = lesson_code.definitions(
    "19", "CLASSIC", "UNTIED", "CHANGES", "VARIANTS", "RECIPE"
)
LADDER = LESSON["ladder"]()
CHANGED = {name: LADDER["muon"] | new for name, new in LESSON["VARIANTS"].items()}
FORMS = LADDER | CHANGED | {"classic_untied": LESSON["UNTIED"]}
FORMS["classic_untied_muon"] = LESSON["UNTIED"] | LESSON["CHANGES"]["muon"]
_, TABLE = evidence.settings(__file__)
TRIALS = {
    f"{form}_rate{number}": {"form": form, kind: rate, "seeds": [0]}
    for kind in ("rates", "parts")
    for form, rates in TABLE[kind].items()
    for number, rate in enumerate(rates, start=1)
}
THREE = TABLE["minutes"] | {name: {"form": name} for name in CHANGED}
ARMS = TRIALS | {name: {"form": name} for name in LADDER}
ARMS |= {name: arm | {"seeds": [0, 1, 2]} for name, arm in THREE.items()}
SEEDS, MINUTES = (0, 1, 2, 3, 4), "processor_minutes"
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
        theirs, ours = (median(t[MINUTES] for t in trials(f)) for f in (other, name))
        recipe["updates"] = round(recipe["updates"] * theirs / ours)
    model = LESSON["new_model"](FORMS[name], vectorizer.vocabulary_size, recipe, seed)
    run = LESSON["train_model"], model, stream, recipe, rate, seed
    minutes, _ = evidence.timed(*run, looks=1)
    figures = {MINUTES: minutes, "rate": rate}
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
    tuned = form if f"{form}_rate1" in TRIALS else "muon"
    whose = "muon" if "parts" in settings else tuned
    rate = settings.get("rates") or trials(whose)[0]["rate"] * settings.get("parts", 1)
    again = arm == tuned and seed == 0
    found = trials(form)[0] if again else figures_of(settings, rate, seed)
    return {f"modern.{arm}.{name}": float(value) for name, value in found.items()}


if __name__ == "__main__":
    evidence.main("modern")

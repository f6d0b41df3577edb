"""From the Transformer of 2017 to today's: each change, and each part taken out.

    python -m benchmarks.modern [--variant swiglu --seed 0]

All forms are lesson 15's own, trained by its functions. The budget is a number of
updates, which is the same on every machine and in every run; processor minutes of so
many updates stand beside, measured in turns by `speed`, which wants a quiet machine.
Four variants get more updates: the form of 2017, also with an output of its own, with
as many as take the minutes of today's block (Adam in all), and both by those of today's
block with Muon, the latter with Muon, too. So `speed` comes first, then the trials of
rates, for the other variants read which rate is best; the best trial of a form is its
run with seed 0. The ladder has five seeds, what else there is three.

A run takes a minute and a half to two of a core, start and scoring included
(attention_only twice as much). There are 225 runs, of which 114 are trials and 26 more
are such trials again, which take no time. The bits of a model that broke are those of
guessing.
"""

import numpy as np

import course_utils
from benchmarks import evidence, lesson_code
from benchmarks.imdb import stored
from course_utils import datasets
from course_utils.scaling import timing

LESSON = lesson_code.definitions(
    "15", "CLASSIC", "UNTIED", "CHANGES", "VARIANTS", "RECIPE"
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
VARIANTS = (
    {"speed": {"seeds": [0]}} | TRIALS | {name: {"form": name} for name in LADDER}
)
VARIANTS |= {name: variant | {"seeds": [0, 1, 2]} for name, variant in THREE.items()}
SEEDS = (0, 1, 2, 3, 4)
ROW_A_FIGURE = True  # `speed` measures all forms
BEYOND = ("muon", "alibi", "waves", "no_positions")  # read 4 T, too


def of_arm(variant):
    """Return the figures of a variant's run with seed 0, by their last names."""
    rows = evidence.load("modern")
    own = [row for row in rows if (row["variant"], row["seed"]) == (variant, 0)]
    return {row["name"].split(".")[-1]: row["value"] for row in own}


def best_trial(form):
    """Return the figures of the trial with the fewest validation bits.

    Raises:
        KeyError: one of the trials is still to be made.
    """
    found = [
        of_arm(variant) for variant, trial in TRIALS.items() if trial["form"] == form
    ]
    return min(found, key=lambda figures: figures["validation_bits"])


def material():
    """Return vectorizer, stream, validation and test texts.

    What occurs less than 1,000 times isn't scored.
    """
    read = lambda: datasets.imdb.load("train")[0]  # noqa: E731
    return stored("characters", 1000, lambda n: LESSON["prepared"](read(), n))


def recipe_of(form):
    """Return a form's sizes and its number of updates."""
    return LESSON["RECIPE"] | TABLE["recipe"].get(form, {})


def figures_of(settings, rate, seed):
    """Train one variant; return its figures."""
    course_utils.setup(seed)
    name, (vectorizer, stream, validation, test) = settings["form"], material()
    recipe = recipe_of(name)
    if other := settings.get("of"):
        theirs, own = (
            evidence.value_of_seed_0("modern", f"modern.{one}.processor_minutes")
            for one in (other, name)
        )
        recipe["updates"] = round(recipe["updates"] * theirs / own)
    model = LESSON["new_model"](FORMS[name], vectorizer.vocabulary_size, recipe, seed)
    LESSON["train_model"](model, stream, recipe, rate, seed, looks=1)
    figures = {"rate": rate, "weights": model.count_params()}
    figures["updates"] = recipe["updates"]
    for kind, part in ("bits", test), ("validation_bits", validation):
        held_out = LESSON["scoring"](vectorizer, part, recipe)
        figures[kind] = LESSON["mean_bits"](model, held_out)
    if name in BEYOND:
        figures |= LESSON["quarters"](model, vectorizer, test, recipe)
    return figures


def speeds(rounds=5, updates=40):
    """Return the processor minutes of each form's updates, timed in turns."""
    course_utils.setup(0)
    vectorizer, stream, *_ = material()

    def training(form, recipe):
        model = LESSON["new_model"](form, vectorizer.vocabulary_size, recipe)
        LESSON["compile_model"](model, 1e-3, recipe["updates"])
        sizes = recipe["length"], recipe["rows"]
        batches = LESSON["windows"].training_batches(stream, *sizes)
        options = {"steps_per_epoch": updates, "verbose": 0, "shuffle": False}
        return lambda: model.fit(batches, **options)

    recipes = {name: recipe_of(name) for name in FORMS}
    trainings = {name: training(FORMS[name], recipes[name]) for name in FORMS}
    seconds = timing.interleaved_seconds(trainings, rounds)
    return {
        f"{name}.processor_minutes": np.median(own.processor)
        * (recipes[name]["updates"] / updates / 60)
        for name, own in seconds.items()
    }


def measure(variant, seed):
    """Return the figures of one run; with seed 0, a tuned form has them already."""
    if variant == "speed":
        return {f"modern.{name}": value for name, value in speeds().items()}
    settings, form = VARIANTS[variant], VARIANTS[variant]["form"]
    tuned = form if f"{form}_rate1" in TRIALS else "muon"
    whose = "muon" if "parts" in settings else tuned
    rate = settings.get("rates") or best_trial(whose)["rate"] * settings.get("parts", 1)
    again = variant == tuned and seed == 0
    found = best_trial(form) if again else figures_of(settings, rate, seed)
    return {f"modern.{variant}.{name}": float(value) for name, value in found.items()}


if __name__ == "__main__":
    evidence.main("modern")

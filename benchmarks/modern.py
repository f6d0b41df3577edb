"""From the Transformer of 2017 to today's: each change, and each part taken out.

    python -m benchmarks.modern [--variant swiglu --seed 0]

All forms are those of the lesson on today's Transformer, trained by its functions.
Each form of its ladder and of its variants is a variant here, under its own name. The
budget is a number of updates, which is the same on every machine and in every run;
processor minutes of so many updates stand beside, measured in turns by `speed`, which
wants a quiet machine. Four variants get more updates: the form of 2017, also with an
output of its own, with as many as take the minutes of today's block (Adam in all), and
both by those of today's block with Muon, the latter with Muon, too. So `speed` comes
first, then the trials of rates, for the other variants read which rate is best; the
best trial of a form is its run with seed 0. After the trials look whether a best rate
lies at an end, and if so, add one beyond it. The ladder has five seeds, what else
there is three.

A run takes a minute and a half to two of a core, start and scoring included
(attention_only twice as much). There are 225 runs, of which 114 are trials (about
three hours of one core) and 26 more are such trials again, which take no time. The
bits of a model that broke are those of guessing.
"""

import numpy as np

import course_utils
from benchmarks import evidence
from benchmarks.imdb import stored
from benchmarks.lessons import modern as lesson
from course_utils import datasets
from course_utils.scaling import timing

LADDER = lesson.ladder()
CHANGED = {name: LADDER["muon"] | change for name, change in lesson.VARIANTS.items()}
FORMS = {
    **LADDER,
    **CHANGED,
    "classic_untied": lesson.UNTIED,
    "classic_untied_muon": lesson.UNTIED | lesson.CHANGES["muon"],
}

# Rates that are tried with seed 0, each twice the one before; the one with the fewest
# bits on the validation reviews is taken. Every form of the ladder has four of its own:
# a step must not be a better rate. Where the best one lay at an end, one beyond it was
# added, at the end of the list. What isn't in these two tables takes the whole's.
RATES = {
    "classic": [1e-3, 2e-3, 4e-3, 8e-3],
    "pre_norm": [2e-3, 4e-3, 8e-3, 1.6e-2],
    "rms_norm": [2e-3, 4e-3, 8e-3, 1.6e-2],
    "no_biases": [2e-3, 4e-3, 8e-3, 1.6e-2],
    "swiglu": [2e-3, 4e-3, 8e-3, 1.6e-2],
    "rotary": [2e-3, 4e-3, 8e-3, 1.6e-2],
    "untied": [4e-3, 8e-3, 1.6e-2, 3.2e-2, 2e-3],
    "grouped": [4e-3, 8e-3, 1.6e-2, 3.2e-2],
    "qk_norm": [4e-3, 8e-3, 1.6e-2, 3.2e-2],
    "muon": [5e-3, 1e-2, 2e-2, 4e-2],
    "tied": [5e-3, 1e-2, 2e-2, 4e-2],
    "tied_plain": [5e-3, 1e-2, 2e-2, 4e-2],
    "alibi": [5e-3, 1e-2, 2e-2, 4e-2],
    "waves": [5e-3, 1e-2, 2e-2, 4e-2],
    "no_positions": [5e-3, 1e-2, 2e-2, 4e-2],
    "classic_untied": [1e-3, 2e-3, 4e-3, 8e-3],
    "classic_untied_muon": [5e-3, 1e-2, 2e-2, 4e-2, 2.5e-3],
}
# Parts of the whole's best rate: the forms without a part may need a smaller one.
PARTS_OF_RATE = {
    "no_residual": [0.25, 0.5, 1],
    "no_norm": [0.25, 0.5, 1],
    "no_feed_forward": [0.25, 0.5, 1, 2, 4, 8],
    "attention_only": [0.25, 0.5, 1, 2, 4, 8],
    "no_attention": [0.25, 0.5, 1],
    "no_root": [0.25, 0.5, 1, 2, 4],
    "one_head": [0.25, 0.5, 1, 2],
    "layer_norm": [0.5, 1, 2],
    "relu": [0.5, 1, 2, 4],
    "all_key_heads": [0.5, 1, 2],
    "no_qk_norm": [0.5, 1, 2, 0.25],
}
# These get as many updates as fit into the processor minutes of another form.
SAME_MINUTES = {
    "classic_minutes": {"form": "classic", "minutes_of": "qk_norm"},
    "classic_untied_minutes": {"form": "classic_untied", "minutes_of": "qk_norm"},
    "classic_muon_minutes": {"form": "classic", "minutes_of": "muon"},
    "muon_minutes": {"form": "classic_untied_muon", "minutes_of": "muon"},
}
RECIPES = {"attention_only": {"num_layers": 11}}  # what differs from the lesson's


def trials():
    """Return the variants that look for a rate."""
    found = {}
    for form, rates in RATES.items():
        for number, rate in enumerate(rates, start=1):
            found[f"{form}_rate{number}"] = {"form": form, "rate": rate, "seeds": [0]}
    for form, parts in PARTS_OF_RATE.items():
        for number, part in enumerate(parts, start=1):
            found[f"{form}_rate{number}"] = {"form": form, "part": part, "seeds": [0]}
    return found


TRIALS = trials()
VARIANTS = {
    "speed": {"seeds": [0]},
    **TRIALS,
    **{name: {"form": name} for name in LADDER},
    **{name: {**own, "seeds": [0, 1, 2]} for name, own in SAME_MINUTES.items()},
    **{name: {"form": name, "seeds": [0, 1, 2]} for name in CHANGED},
}
SEEDS = (0, 1, 2, 3, 4)
ROW_A_FIGURE = True  # `speed` measures all forms
BEYOND = ("muon", "alibi", "waves", "no_positions")  # read 4 T, too


def figures_of(variant):
    """Return the figures of a variant's run with seed 0, by their last names."""
    return {
        row["name"].split(".")[-1]: row["value"]
        for row in evidence.load("modern")
        if row["variant"] == variant and row["seed"] == 0
    }


def best_trial(form):
    """Return the figures of the trial with the fewest validation bits.

    Raises:
        KeyError: one of the trials is still to be made.
    """
    names = [name for name, trial in TRIALS.items() if trial["form"] == form]
    return min(map(figures_of, names), key=lambda figures: figures["validation_bits"])


def prepared(least):
    """Return vectorizer, stream, validation and test texts of real reviews."""
    texts, _ = datasets.imdb.load("train")
    return lesson.prepared(texts, least)


def material():
    """Return what all runs share; what occurs less than 1,000 times isn't scored."""
    return stored("characters", 1000, prepared)


def recipe_of(form):
    """Return a form's sizes and its number of updates."""
    return lesson.RECIPE | RECIPES.get(form, {})


def updates_in_minutes_of(other, form, updates):
    """Return how many updates a form makes while another one makes so many."""
    theirs, own = (
        evidence.value_of_seed_0("modern", f"modern.{name}.processor_minutes")
        for name in (other, form)
    )
    return round(updates * theirs / own)


def train(form, rate, recipe, shared, seed):
    """Train a form; return its figures."""
    course_utils.setup(seed)
    vectorizer, stream, validation, test = shared
    model = lesson.new_model(FORMS[form], vectorizer.vocabulary_size, recipe, seed)
    lesson.train_model(model, stream, recipe, rate, seed, looks=1)
    figures = {
        "rate": rate,
        "weights": model.count_params(),
        "updates": recipe["updates"],
    }
    for name, texts in (("bits", test), ("validation_bits", validation)):
        held_out = lesson.scoring(vectorizer, texts, recipe)
        figures[name] = lesson.mean_bits(model, held_out)
    if form in BEYOND:
        figures |= lesson.quarters(model, vectorizer, test, recipe)
    return figures


def speeds(shared, forms=FORMS, rounds=5, updates=40, **changes):
    """Return the processor minutes of each form's updates, timed in turns."""
    course_utils.setup(0)
    vectorizer, stream, _, _ = shared

    def training(form):
        recipe = recipe_of(form) | changes
        model = lesson.new_model(FORMS[form], vectorizer.vocabulary_size, recipe)
        lesson.compile_model(model, 1e-3, recipe["updates"])
        batches = lesson.windows.training_batches(
            stream, recipe["length"], recipe["rows"]
        )
        options = {"steps_per_epoch": updates, "verbose": 0, "shuffle": False}
        return lambda: model.fit(batches, **options)

    trainings = {form: training(form) for form in forms}
    seconds = timing.interleaved_seconds(trainings, rounds)
    figures = {}
    for form, own in seconds.items():
        times = (recipe_of(form) | changes)["updates"] / updates
        minutes = np.median(own.processor) / 60 * times
        figures[f"{form}.processor_minutes"] = minutes
    return figures


def rate_of(settings):
    """Return the rate of a run: its own, or the best one of the trials."""
    if "rate" in settings:
        return settings["rate"]
    form = settings["form"]
    if "part" in settings:
        return settings["part"] * best_trial("muon")["rate"]
    tuned = form if f"{form}_rate1" in TRIALS else "muon"
    return best_trial(tuned)["rate"]


def measure(variant, seed, shared=None, **changes):
    """Return the figures of one run; with seed 0, a tuned form has them already.

    Args:
        shared: what `material` returns.
        changes: of the sizes and the number of updates.
    """
    shared = shared or material()
    if variant == "speed":
        figures = speeds(shared, **changes)
        return {f"modern.{name}": float(value) for name, value in figures.items()}
    settings = VARIANTS[variant]
    form = settings["form"]
    if variant == form and seed == 0 and f"{form}_rate1" in TRIALS:
        figures = best_trial(form)
    else:
        recipe = recipe_of(form) | changes
        if "minutes_of" in settings:
            recipe["updates"] = updates_in_minutes_of(
                settings["minutes_of"], form, recipe["updates"]
            )
        figures = train(form, rate_of(settings), recipe, shared, seed)
    return {f"modern.{variant}.{name}": float(value) for name, value in figures.items()}


if __name__ == "__main__":
    evidence.main("modern")

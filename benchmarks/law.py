"""Loss against size and data: what mini GPTs reach, run by run.

    python -m benchmarks.law [--variant grid_64 --seed 0]

All models are those of "Scaling up", trained by its function on bytes of reviews, each
byte once. `loss_…` is scored on the first of the held-out reviews, `other_…` on the
rest of them, which choose the learning rates. `rate_W` looks for the best rate of width
W on the smallest amount of text: rates are a factor of two apart, and it stops when
both neighbours of the best are worse. `grid_W` takes this rate for all amounts, for the
largest width only for the last one, each with first weights of its own; `late_W` tries
half of the rate there, too, a quarter where half is better, and keeps the loss of the
best; twice the rate is a control. `noise_W` is the smallest amount with five seeds.
`repeat_W` reads the smallest amount as often as it takes to get the largest.
`prediction_W` is what the law of the smaller widths says of the largest: it is refused
once that width has been trained. `speed_128` times all widths in turns. `budget_W` has
as many bytes as the width reads in some processor seconds, by this speed, with the rate
of `late_W` where they are more than the last but one amount; for the smallest budget it
also tries half and twice the rate. `length_T` cuts the smallest amount into windows of
T bytes, with as many bytes in a batch, and so as many updates, and tries other rates
with seed 0; `late_…` is the loss on the second half of each window, in windows that
overlap by half, so that the same bytes are scored at all lengths. One thread computes,
so that processor seconds are seconds of one core. Runs read what earlier variants have
measured, so they are made in the order of law.toml.
"""

import math
import operator
import os

import numpy as np

import course_utils
from benchmarks import evidence, lesson_code
from course_utils.scaling import timing

# TensorFlow reads these when it begins to compute.
os.environ |= {f"TF_NUM_{kind}_THREADS": "1" for kind in ("INTRAOP", "INTEROP")}
VARIANTS, PLAN = evidence.settings(__file__)
SEEDS = (0, 1, 2, 3, 4)
ASSIGNED = "SIZES", "FIVE", "LENGTH", "AMOUNTS", "loss"


def earlier(variant, figure):
    """Return what a variant has measured before, with seed 0."""
    return evidence.value_of_seed_0("law", f"law.{variant}.{figure}")


def measure(variant, seed):
    """Train the models of one variant; return its figures, with processor seconds."""
    course_utils.setup(seed)
    kind, number = variant.split("_")[0], int(variant.split("_")[1])
    lesson = lesson_code.definitions("scaling_up", *ASSIGNED)
    if kind == "prediction":
        return floats(prediction(lesson, number))
    learned, held_out = lesson["read_reviews"](True)
    if kind == "speed":
        return floats(speeds(lesson, learned[: PLAN["speed_bytes"]]))
    scored, others = np.split(held_out, [PLAN["held_out"]])
    width = PLAN["length_width"] if kind == "length" else number
    length = number if kind == "length" else lesson["LENGTH"]
    figures, rows = {}, 16 * lesson["LENGTH"] // length

    def reached(name, amount, rate, text=learned):
        """Note what a model reaches, its size and its seconds; return its rank."""
        own = seed + (amounts.index(amount) if amount in amounts else 0)
        model = lesson["new_gpt"](width, length, seed=own)
        seconds = lesson["train_gpt"](model, text[:amount], rate, own, rows)
        figures[f"seconds_{name}"] = seconds
        figures["weights"] = lesson["block_weights"](model)
        figures["all_weights"] = model.count_params()
        figures[f"loss_{name}"] = lesson["nats"](model, scored)
        figures[f"other_{name}"] = lesson["nats"](model, others)
        if kind == "length":
            shifts = scored, scored[length // 2 :]
            halves = [lesson["nats"](model, each, skipped=0.5) for each in shifts]
            figures[f"late_{name}"] = np.mean(halves)
        return figures[f"other_{name}"]

    tried, amounts = VARIANTS[variant].get("tried", []), lesson["AMOUNTS"]
    least, most = amounts[0], amounts[-1]
    if kind == "rate":
        best, _ = search(lambda r: reached(round(1e4 * r), least, r), PLAN["rate"])
        return floats(figures | {"best": best})
    rate = earlier(f"rate_{width}", "best")
    if kind == "grid":
        for amount in amounts if width < max(lesson["SIZES"]) else [most]:
            reached(amount, amount, rate)
    elif kind == "late":
        for part in ("loss", "other"):
            figures[f"{part}_same"] = earlier(f"grid_{width}", f"{part}_{most}")
        scores = {"same": figures["other_same"]}
        for name in ("half", "quarter"):  # until a smaller one is worse
            scores[name] = reached(name, most, rate * PLAN["factors"][name])
            if scores[name] > min(scores.values()):
                break
        best = min(scores, key=scores.get)
        for name in tried:
            reached(name, most, rate * PLAN["factors"][name])
        figures["loss"] = figures[f"loss_{best}"]
        figures["best"] = rate * PLAN["factors"][best]
    elif kind == "repeat":
        once = learned[: least // length * length]
        reached(most, most, rate, np.tile(once, most // len(once)))
    elif kind == "noise":
        reached("same", least, rate)
    elif kind == "length":
        names, factors = ["same", *tried], PLAN["factors"]
        if seed != SEEDS[0]:
            names = [n for n in names if factors[n] == earlier(variant, "factor")]
        scores = {name: reached(name, least, rate * factors[name]) for name in names}
        best = min(scores, key=scores.get)
        figures |= {part: figures[f"{part}_{best}"] for part in ("loss", "late")}
        figures["factor"] = factors[best]
    else:
        for seconds in PLAN["budget_seconds"]:
            amount = round(seconds / earlier("speed_128", f"per_byte_{width}"))
            tuned = "late" if amount > amounts[-2] else "rate"
            rate = earlier(f"{tuned}_{width}", "best")
            scores = {seconds: reached(seconds, amount, rate)}
            for name in tried if seconds == min(PLAN["budget_seconds"]) else []:
                place, factor = f"{seconds}_{name}", PLAN["factors"][name]
                scores[place] = reached(place, amount, factor * rate)
            figures[f"tuned_{seconds}"] = figures[f"loss_{min(scores, key=scores.get)}"]
    return floats(figures)


def speeds(lesson, text):
    """Return the processor seconds of a byte for each width, trained in turns."""

    def train(width):
        model = lesson["new_gpt"](width)
        return lesson["train_gpt"](model, text, PLAN["rate"]) / len(text)

    calls = {w: lambda w=w: train(w) for w in lesson["SIZES"]}
    found = timing.interleave(calls, PLAN["speed_rounds"])
    return {f"per_byte_{width}": np.median(each) for width, each in found.items()}


def search(loss, rate):
    """Return the best of rates a factor of two apart, and the scores of all of them.

    The search goes on until both neighbours of the best one are worse.
    """
    rates = rate / 2, rate, 2 * rate
    best, _, scores = evidence.best_from_search(rates, loss, operator.neg, math.inf)
    return best, scores


def prediction(lesson, width):
    """Return what the smaller widths say of the largest, before it is trained."""
    rows = evidence.load("law")
    if any(row["variant"] == f"grid_{width}" for row in rows):
        raise ValueError(f"law: grid_{width} is measured, so it can't be predicted.")
    lesson["rows"] = rows
    laws = lesson["resampled_laws"](*lesson["grid_of"](lesson["FIVE"]), PLAN["times"])
    weights = lesson["block_weights"](lesson["new_gpt"](width))
    found = lesson["predict"](weights, lesson["AMOUNTS"][-1], *laws)
    return dict(zip(("loss", "low", "high"), found, strict=True))


def floats(figures):
    return {name: float(value) for name, value in figures.items()}


if __name__ == "__main__":
    evidence.main("law")

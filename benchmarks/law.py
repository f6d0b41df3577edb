"""Loss against size and data: what lesson 18's mini GPTs reach, run by run.

    python -m benchmarks.law [--arm grid_64 --seed 0]

All models are lesson 18's own, trained by its function on bytes of reviews, each byte
once. `loss_…` is scored on the first of the held-out reviews, `other_…` on the rest of
them, which choose the learning rates. `rate_W` looks for the best rate of width W on
the smallest amount of text: rates are a factor of two apart, and it stops when both
neighbours of the best are worse. `grid_W` takes this rate for all amounts, for the
largest width only for the last one; `late_W` tries other rates there, too, and keeps
the loss of the best. `repeat_W` reads the smallest amount as often as it takes to get
the largest. `prediction_W` is what the law of the smaller widths says of the largest:
it is refused once that width has been trained. `speed_128` times all widths in turns.
`budget_W` has as many bytes as the width reads in some processor seconds, by this
speed, with the rate of `late_W` where they are more than the last but one amount.
`length_T` cuts the smallest amount into windows of T bytes, with as many bytes in a
batch, and so as many updates; `late_…` is its loss on the second half of each window.
Runs read what earlier arms have measured, so they are made in the order of law.toml.
"""

import math
import operator

import numpy as np

import course_utils
from benchmarks import evidence, lesson_code
from course_utils.scaling import timing

ARMS, PLAN = evidence.settings(__file__)
SEEDS = (0, 1, 2, 3, 4)
ASSIGNED = "SIZES", "FIVE", "LENGTH", "AMOUNTS", "loss"


def earlier(arm, figure):
    """Return what an arm has measured before, with seed 0."""
    return evidence.of_seed_0("law", f"law.{arm}.{figure}")


def measure(arm, seed):
    """Train the models of one arm; return its figures, with processor seconds."""
    course_utils.setup(seed)
    kind, number = arm.split("_")[0], int(arm.split("_")[1])
    lesson = lesson_code.definitions("18", *ASSIGNED)
    if kind == "prediction":
        return named(arm, prediction(lesson, number))
    learned, held_out = lesson["read_reviews"](True)
    if kind == "speed":
        return named(arm, speeds(lesson, learned[: PLAN["speed_bytes"]]))
    scored, others = np.split(held_out, [PLAN["held_out"]])
    width = PLAN["length_width"] if kind == "length" else number
    length = number if kind == "length" else lesson["LENGTH"]
    figures, rows = {}, 16 * lesson["LENGTH"] // length

    def reached(name, amount, rate, text=learned):
        """Note what a model reaches, its size and its seconds; return its rank."""
        model = lesson["new_gpt"](width, length, seed=seed)
        seconds = lesson["train_gpt"](model, text[:amount], rate, seed, rows)
        figures[f"seconds_{name}"] = seconds
        figures["weights"] = lesson["block_weights"](model)
        figures["all_weights"] = model.count_params()
        figures[f"loss_{name}"] = lesson["nats"](model, scored)
        figures[f"other_{name}"] = lesson["nats"](model, others)
        if kind == "length":
            figures[f"late_{name}"] = lesson["nats"](model, scored, skipped=0.5)
        return figures[f"other_{name}"]

    tried, amounts = ARMS[arm].get("tried", []), lesson["AMOUNTS"]
    least, most = amounts[0], amounts[-1]
    if kind == "rate":
        best, _ = search(lambda r: reached(round(1e4 * r), least, r), PLAN["rate"])
        return named(arm, figures | {"best": best})
    rate = earlier(f"rate_{width}", "best")
    if kind == "grid":
        for amount in amounts if width < max(lesson["SIZES"]) else [most]:
            reached(amount, amount, rate)
    elif kind == "late":
        for part in ("loss", "other"):
            figures[f"{part}_same"] = earlier(f"grid_{width}", f"{part}_{most}")
        for name in tried:
            reached(name, most, rate * PLAN["factors"][name])
        best = min(["same", *tried], key=lambda name: figures[f"other_{name}"])
        figures["loss"] = figures[f"loss_{best}"]
        figures["best"] = rate * PLAN["factors"][best]
    elif kind == "repeat":
        reached(most, most, rate, np.tile(learned[:least], most // least))
    elif kind == "length":
        for name in ["same", *tried]:
            reached(name, least, rate * PLAN["factors"][name])
    else:
        for seconds in PLAN["budget_seconds"]:
            amount = round(seconds / earlier("speed_128", f"per_byte_{width}"))
            tuned = "late" if amount > amounts[-2] else "rate"
            reached(seconds, amount, earlier(f"{tuned}_{width}", "best"))
    return named(arm, figures)


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
    best, _, scores = evidence.tried(rates, loss, operator.neg, math.inf)
    return best, scores


def prediction(lesson, width):
    """Return what the smaller widths say of the largest, before it is trained."""
    rows = evidence.read(evidence.FOLDER / "law.json")["rows"]
    if any(row["arm"] == f"grid_{width}" for row in rows):
        raise ValueError(f"law: grid_{width} is measured, so it can't be predicted.")
    lesson["rows"] = rows
    laws = lesson["resampled_laws"](*lesson["grid_of"](lesson["FIVE"]), PLAN["times"])
    weights = lesson["block_weights"](lesson["new_gpt"](width))
    found = lesson["predict"](weights, lesson["AMOUNTS"][-1], *laws)
    return dict(zip(("loss", "low", "high"), found, strict=True))


def named(arm, figures):
    return {f"law.{arm}.{name}": float(value) for name, value in figures.items()}


if __name__ == "__main__":
    evidence.main("law")

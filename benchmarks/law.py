"""Loss against size and data: what lesson 18's mini GPTs reach, run by run.

    python -m benchmarks.law [--arm grid_64 --seed 0]

All models are lesson 18's own, trained by its function on bytes of reviews, each byte
once. `rate_W` looks for the best learning rate of width W on the smallest amount of
text: rates are a factor of two apart, and it stops when both neighbours of the best
are worse, on reviews of their own. `grid_W` takes this rate for all amounts, for the
largest width only for the last one; `late_W` tries half of the rate and twice the rate
there, too. `prediction_W` is what the law of the smaller widths says of the largest: it
is refused once that width has been trained. `budget_W` has as many bytes as the width
reads in some processor seconds, by the speed that its grid measured. `length_T` cuts
the same text into windows of T bytes, with as many bytes in a batch, and so as many
updates. Runs read what earlier arms have measured, so they are made in the order of
law.toml.
"""

import course_utils
from benchmarks import evidence, lesson_code
from course_utils.evidence import FOLDER, values

ARMS, PLAN = evidence.settings(__file__)
SEEDS = (0, 1, 2)
ASSIGNED = "SIZES", "FIVE", "LENGTH", "AMOUNTS", "loss"
FILE = FOLDER / "law.json"


def earlier(arm, figure):
    """Return what an arm has measured before, with seed 0."""
    return values(evidence.read(FILE)["rows"], f"law.{arm}.{figure}")[0]


def measure(arm, seed):
    """Train the models of one arm; return its figures, with processor seconds."""
    course_utils.setup(seed)
    kind, number = arm.split("_")[0], int(arm.split("_")[1])
    lesson = lesson_code.definitions("18", *ASSIGNED)
    if kind == "prediction":
        return named(arm, prediction(lesson, number))
    learned, held_out = lesson["read_reviews"](True)
    scored, amounts = held_out[: PLAN["held_out"]], lesson["AMOUNTS"]
    width = PLAN["length_width"] if kind == "length" else number
    length = number if kind == "length" else lesson["LENGTH"]
    figures, rows = {}, 16 * lesson["LENGTH"] // length

    def reached(amount, rate, scored=scored):
        """Return a model's loss, and note its size and its speed."""
        model = lesson["new_gpt"](width, length, seed=seed)
        seconds = lesson["train_gpt"](model, learned[:amount], rate, seed, rows)
        figures["weights"] = lesson["block_weights"](model)
        figures["seconds_per_byte"] = seconds / amount
        return lesson["nats"](model, scored)

    if kind == "rate":
        others = held_out[PLAN["held_out"] :]
        found = search(lambda rate: reached(amounts[0], rate, others), PLAN["rate"])
        figures |= {f"loss_{round(1e4 * rate)}": found[rate] for rate in found}
        return named(arm, figures | {"best": min(found, key=found.get)})
    rate = earlier(f"rate_{width}", "best")
    if kind == "grid":
        read = amounts if width < max(lesson["SIZES"]) else amounts[-1:]
        losses = {f"loss_{n}": reached(n, rate) for n in read}
    elif kind == "late":
        changed = {"half": rate / 2, "twice": rate * 2}
        losses = {f"loss_{k}": reached(amounts[-1], r) for k, r in changed.items()}
    elif kind == "length":
        losses = {"loss": reached(PLAN["length_amount"], rate)}
    else:
        speed = earlier(f"grid_{width}", "seconds_per_byte")
        spent = PLAN["budget_seconds"]
        losses = {f"loss_{s}": reached(round(s / speed), rate) for s in spent}
    return named(arm, figures | losses)


def search(loss, rate):
    """Return the loss of rates a factor of two apart, the best of them inside."""
    found = {r: loss(r) for r in (rate / 2, rate, 2 * rate)}
    while (best := min(found, key=found.get)) in (min(found), max(found)):
        rate = best / 2 if best == min(found) else best * 2
        found[rate] = loss(rate)
    return found


def prediction(lesson, width):
    """Return what the smaller widths say of the largest, before it is trained."""
    rows = evidence.read(FILE)["rows"]
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

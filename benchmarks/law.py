"""Loss against size and data: what lesson 18's mini GPTs reach, run by run.

    python -m benchmarks.law [--arm grid_64 --seed 0]

All models are lesson 18's own, trained by its function on bytes of reviews, each byte
once. `rate_W` tries learning rates for the width W on the smallest amount of text,
and scores them on reviews of their own;
`grid_W` takes the best of them for all amounts, or for the last one where the width is
the one to be predicted, whose rate is that of the width before it by the ratio of the
widths. `budget_W` has as many bytes as the width reads in some processor seconds, by
the speed that its grid measured. `length_T` cuts the same text into windows of T bytes,
with as many bytes in a batch, and so as many updates.
Runs read what earlier arms have measured, so they are made in the order of law.toml.
"""

import tomllib
from pathlib import Path

import course_utils
from benchmarks import evidence, lesson_code
from course_utils.evidence import FOLDER, values

PLAN = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
ARMS, SEEDS = PLAN["arms"], (0, 1, 2)
FILE = FOLDER / "law.json"


def earlier(arm, figure):
    """Return what an arm has measured before, with seed 0."""
    return values(evidence.read(FILE)["rows"], f"law.{arm}.{figure}")[0]


def measure(arm, seed):
    """Train the models of one arm; return its figures, with processor seconds."""
    course_utils.setup(seed)
    kind, number = arm.split("_")
    lesson = lesson_code.definitions("18", "SIZES", "LENGTH", "AMOUNTS", "loss")
    learned, held_out = lesson["read_reviews"](True)
    scored, amounts = held_out[: PLAN["held_out"]], lesson["AMOUNTS"]
    if kind == "rate":
        scored = held_out[PLAN["held_out"] :]
    width = PLAN["length_width"] if kind == "length" else int(number)
    length = int(number) if kind == "length" else lesson["LENGTH"]
    figures, rows = {}, 16 * lesson["LENGTH"] // length

    def reached(amount, rate):
        """Return a model's loss, and note its size and its speed."""
        model = lesson["new_gpt"](width, length, seed=seed)
        seconds = lesson["train_gpt"](model, learned[:amount], rate, seed, rows)
        figures["weights"] = lesson["block_weights"](model)
        figures["seconds_per_byte"] = seconds / amount
        return lesson["nats"](model, scored)

    if kind == "rate":
        found = {rate: reached(amounts[0], rate) for rate in PLAN["rates"]}
        figures |= {f"loss_{round(1e4 * rate)}": found[rate] for rate in found}
        return named(arm, figures, best=min(found, key=found.get))
    known = f"rate_{width}" in ARMS
    source = width if known else max(w for w in lesson["SIZES"] if w < width)
    rate = earlier(f"rate_{source}", "best") * source / width
    if kind == "grid":
        read = amounts if known else amounts[-1:]
        return named(arm, figures, **{f"loss_{n}": reached(n, rate) for n in read})
    if kind == "length":
        return named(arm, figures, loss=reached(PLAN["length_amount"], rate))
    speed = earlier(f"grid_{number}", "seconds_per_byte")
    spent = PLAN["budget_seconds"]
    return named(
        arm, figures, **{f"loss_{s}": reached(round(s / speed), rate) for s in spent}
    )


def named(arm, figures, **more):
    return {f"law.{arm}.{name}": float(v) for name, v in (figures | more).items()}


if __name__ == "__main__":
    evidence.main("law")

"""Loss against size and data: what mini GPTs reach, run by run.

    python -m benchmarks.law [--variant grid_64 --seed 0]

The models are trained by the lesson's function on bytes of reviews, each byte once.
`loss_…` is scored on the first of the held-out reviews, `other_…` on the rest of them,
which choose the learning rates. The kinds of variants, with a width W or a length T:

`rate_W` looks for the best rate of width W on the smallest amount of text: rates are a
factor of two apart, and it stops when both neighbours of the best are worse.

`grid_W` takes this rate for all amounts, for the largest width only for the last one,
each with first weights of its own.

`late_W` tries half of the rate for the last amount, too, a quarter where half is
better, and keeps the loss of the best; twice the rate is a control.

`noise_W` is the smallest amount with five seeds. `repeat_W` reads the smallest amount
as often as it takes to get the largest.

`prediction_W` is what the law of the smaller widths says of the largest: it is refused
once that width has been trained.

`speed_128` times all widths in turns. `budget_W` has as many bytes as the width reads
in some processor seconds, by this speed, with the rate of `late_W` where they are more
than the last but one amount; for the smallest budget it also tries half and twice the
rate.

`length_T` cuts the smallest amount into windows of T bytes, with as many bytes in a
batch, and so as many updates, and tries other rates with seed 0; `late_…` is the loss
on the second half of each window, in windows that overlap by half, so that the same
bytes are scored at all lengths.

One thread computes, so that processor seconds are seconds of one core. Runs read what
earlier variants have measured, so they are made in the order of `VARIANTS`; those that
don't read each other may run side by side, each on a core of its own. All take about
270 minutes of one core.
"""

import functools
import math
import operator
import os

import numpy as np

import course_utils
from benchmarks import evidence
from benchmarks.lessons import law as lesson
from course_utils.scaling import timing

# TensorFlow reads these when it begins to compute.
os.environ["TF_NUM_INTRAOP_THREADS"] = "1"
os.environ["TF_NUM_INTEROP_THREADS"] = "1"

HELD_OUT = 128_000  # bytes that are scored; those behind them choose the rates
RATE = 8e-3  # the middle of the first three that are tried for each width
TIMES = 500  # laws that are fitted for the interval
SPEED_BYTES = 81_921  # 40 steps
SPEED_ROUNDS = 5
BUDGETS = (15, 120)  # seconds of the processor
LENGTH_WIDTH = 64  # the width of the models of `length_T`
FACTORS = {"same": 1.0, "half": 0.5, "quarter": 0.25, "twice": 2.0}  # of the rate
SEEDS = (0, 1, 2, 3, 4)

OF_LENGTH = {"seeds": [0, 1, 2], "factors": ["half", "twice"]}
OF_BUDGET = {"seeds": [1], "factors": ["half", "twice"]}  # a seed of their own
ONCE = {"seeds": [0]}
VARIANTS = {
    "rate_32": ONCE,
    "rate_48": ONCE,
    "rate_64": ONCE,
    "rate_96": ONCE,
    "rate_128": ONCE,
    "rate_192": ONCE,
    "length_32": OF_LENGTH,
    "length_64": OF_LENGTH,
    "length_128": OF_LENGTH,
    "noise_32": {},
    "noise_64": {},
    "noise_128": {},
    "length_256": OF_LENGTH,
    "grid_32": ONCE,
    "grid_48": ONCE,
    "grid_64": ONCE,
    "grid_96": ONCE,
    "grid_128": ONCE,
    "late_32": ONCE | {"factors": ["twice"]},
    "late_48": ONCE,
    "late_64": ONCE | {"factors": ["twice"]},
    "late_96": ONCE,
    "late_128": ONCE,
    "repeat_64": ONCE,
    "prediction_192": ONCE,  # before grid_192, or never
    "grid_192": ONCE,
    "late_192": ONCE,
    "speed_128": ONCE,
    "budget_32": OF_BUDGET,
    "budget_48": OF_BUDGET,
    "budget_64": OF_BUDGET,
    "budget_96": OF_BUDGET,
    "budget_128": OF_BUDGET,
    "budget_192": OF_BUDGET,
}


def earlier(variant, figure):
    """Return what a variant has measured before, with seed 0."""
    return evidence.value_of_seed_0("law", f"law.{variant}.{figure}")


class Run:
    """Trains the models of one variant, and notes what they reach.

    Args:
        width: of the models.
        seed: of the run.
        learned, held_out: streams of bytes.
        amounts: of bytes to learn from, rising.
        length: of a window; as many bytes are in a batch, whatever the length.
        halves: whether the second half of each window is scored alone, too.
    """

    def __init__(
        self, width, seed, learned, held_out, amounts, length, halves, split=HELD_OUT
    ):
        self.width = width
        self.seed = seed
        self.learned = learned
        self.scored, self.others = np.split(held_out, [split])
        self.amounts = amounts
        self.length = length
        self.rows = 16 * lesson.LENGTH // length  # of a batch
        self.halves = halves
        self.figures = {}

    def train(self, name, amount, rate, text=None):
        """Train a model; return its loss on the reviews that choose.

        Note its losses, its size and its seconds under a name.
        """
        text = self.learned if text is None else text
        seed = self.seed
        if amount in self.amounts:
            seed += self.amounts.index(amount)
        model = lesson.new_gpt(self.width, self.length, seed=seed)
        seconds = lesson.train_gpt(model, text[:amount], rate, seed, self.rows)
        figures = self.figures
        figures[f"seconds_{name}"] = seconds
        figures["weights"] = lesson.block_weights(model)
        figures["all_weights"] = model.count_params()
        figures[f"loss_{name}"] = lesson.nats(model, self.scored)
        figures[f"other_{name}"] = lesson.nats(model, self.others)
        if self.halves:
            shifts = self.scored, self.scored[self.length // 2 :]
            losses = [lesson.nats(model, each, skipped=0.5) for each in shifts]
            figures[f"late_{name}"] = np.mean(losses)
        return figures[f"other_{name}"]


def measure(variant, seed, streams=None, amounts=lesson.AMOUNTS, split=HELD_OUT):
    """Train the models of one variant; return its figures, with processor seconds.

    Args:
        streams: bytes to learn from, and held out; None takes the real reviews.
        amounts: of bytes to learn from, rising.
        split: how many of the held-out bytes are scored.
    """
    course_utils.setup(seed)
    kind, number = variant.split("_")
    number = int(number)
    if kind == "prediction":
        return floats(prediction(number))
    learned, held_out = streams or lesson.read_reviews(True)
    if kind == "speed":
        return floats(speeds(learned[:SPEED_BYTES]))
    width, length = number, lesson.LENGTH
    if kind == "length":
        width, length = LENGTH_WIDTH, number
    run = Run(width, seed, learned, held_out, amounts, length, kind == "length", split)
    if kind == "rate":
        find_rate(run)
    else:
        rate = earlier(f"rate_{width}", "best")
        KINDS[kind](run, rate, variant)
    return floats(run.figures)


def find_rate(run):
    """Search the best rate for the smallest amount."""
    least = run.amounts[0]
    learn = lambda rate: run.train(round(1e4 * rate), least, rate)  # noqa: E731
    run.figures["best"], _ = search(learn, RATE)


def grid(run, rate, variant):
    """Train on all amounts; the largest width only on the last one."""
    largest = run.width == max(lesson.SIZES)
    for amount in run.amounts[-1:] if largest else run.amounts:
        run.train(amount, amount, rate)


def late(run, rate, variant):
    """Try smaller rates for the last amount, until a smaller one is worse."""
    most = run.amounts[-1]
    figures = run.figures
    for part in ("loss", "other"):
        figures[f"{part}_same"] = earlier(f"grid_{run.width}", f"{part}_{most}")
    scores = {"same": figures["other_same"]}
    for name in ("half", "quarter"):
        scores[name] = run.train(name, most, rate * FACTORS[name])
        if scores[name] > min(scores.values()):
            break
    best = min(scores, key=scores.get)
    for name in VARIANTS[variant].get("factors", []):  # controls
        run.train(name, most, rate * FACTORS[name])
    figures["loss"] = figures[f"loss_{best}"]
    figures["best"] = rate * FACTORS[best]


def repeat(run, rate, variant):
    """Read the smallest amount again and again, until it makes the largest."""
    least, most = run.amounts[0], run.amounts[-1]
    once = run.learned[: least // run.length * run.length]
    run.train(most, most, rate, np.tile(once, most // len(once)))


def noise(run, rate, variant):
    """Train on the smallest amount."""
    run.train("same", run.amounts[0], rate)


def lengths(run, rate, variant):
    """Train on windows of a length; seed 0 tries more rates, others take its best."""
    names = ["same", *VARIANTS[variant]["factors"]]
    if run.seed != SEEDS[0]:
        factor = earlier(variant, "factor")
        names = [name for name in names if FACTORS[name] == factor]
    scores = {}
    for name in names:
        scores[name] = run.train(name, run.amounts[0], rate * FACTORS[name])
    best = min(scores, key=scores.get)
    run.figures["loss"] = run.figures[f"loss_{best}"]
    run.figures["late"] = run.figures[f"late_{best}"]
    run.figures["factor"] = FACTORS[best]


def budget(run, rate, variant):
    """Train for as many bytes as are read in some processor seconds."""
    for seconds in BUDGETS:
        amount = round(seconds / earlier("speed_128", f"per_byte_{run.width}"))
        tuned = "late" if amount > run.amounts[-2] else "rate"
        rate = earlier(f"{tuned}_{run.width}", "best")
        scores = {seconds: run.train(seconds, amount, rate)}
        if seconds == min(BUDGETS):
            for factor in VARIANTS[variant]["factors"]:
                name = f"{seconds}_{factor}"
                scores[name] = run.train(name, amount, FACTORS[factor] * rate)
        best = min(scores, key=scores.get)
        run.figures[f"tuned_{seconds}"] = run.figures[f"loss_{best}"]


KINDS = {
    "grid": grid,
    "late": late,
    "repeat": repeat,
    "noise": noise,
    "length": lengths,
    "budget": budget,
}


def speeds(text):
    """Return the processor seconds of a byte for each width, trained in turns."""

    def train(width):
        model = lesson.new_gpt(width)
        return lesson.train_gpt(model, text, RATE) / len(text)

    calls = {width: functools.partial(train, width) for width in lesson.SIZES}
    seconds = timing.interleave(calls, SPEED_ROUNDS)
    return {f"per_byte_{width}": np.median(own) for width, own in seconds.items()}


def search(loss, rate):
    """Return the best of rates a factor of two apart, and the scores of all of them.

    The search goes on until both neighbours of the best one are worse.
    """
    rates = rate / 2, rate, 2 * rate
    best, _, scores = evidence.best_from_search(rates, loss, operator.neg, math.inf)
    return best, scores


def prediction(width, times=TIMES):
    """Return what the smaller widths say of the largest, before it is trained.

    Raises:
        ValueError: the largest width is measured already.
    """
    rows = evidence.load("law")
    if any(row["variant"] == f"grid_{width}" for row in rows):
        raise ValueError(f"law: grid_{width} is measured, so it can't be predicted.")
    laws = lesson.resampled_laws(*lesson.grid_of(rows, lesson.FIVE), times)
    weights = lesson.block_weights(lesson.new_gpt(width))
    loss, low, high = lesson.predict(weights, lesson.AMOUNTS[-1], *laws)
    return {"loss": loss, "low": low, "high": high}


def floats(figures):
    return {name: float(value) for name, value in figures.items()}


if __name__ == "__main__":
    evidence.main("law")

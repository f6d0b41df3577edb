"""Captions: who looks where, and what looking is worth, in lesson 17.

    python -m benchmarks.captions [--arm soft --seed 0]

All models are the lesson's own, made by its function `trained`, or the one that an arm
names, and judged by `judge`; an arm of captions.toml is one change of the arm soft.
Tries choose the settings of the arms, by the rule in captions.toml: they have one seed
and see the validation part only (a number at the end of a name is a rate in
thousandths). The others are scored on the test part.
"""

import course_utils
from benchmarks import evidence, lesson_code

(ARMS, _), SEEDS = evidence.settings(__file__), (0, 1, 2)


def measure(arm, seed):
    """Train one arm; return its figures: of a try, those of the validation part."""
    course_utils.setup(seed)
    lesson = lesson_code.definitions("17", "NAMES", "T", "Part")
    options = {name: lesson.get(str(value), value) for name, value in ARMS[arm].items()}
    is_try = options.pop("seeds", None)
    judge, load = lesson["judge"], lesson["load_part"]
    train = options.pop("train", lesson["trained"])
    model = train(load("train"), seed, **options)
    found = {} if is_try else judge(model, load("test"))
    chosen_by = judge(model, load("validation"))
    found["validation"] = chosen_by["exact"]
    found["validation_hits"] = chosen_by["pointing"]
    return {f"captions.{arm}.{name}": float(value) for name, value in found.items()}


if __name__ == "__main__":
    evidence.main("captions")

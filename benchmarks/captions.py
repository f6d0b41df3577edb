"""Captions: who looks where, and what looking is worth, in lesson 17.

    python -m benchmarks.captions [--arm soft --seed 0]

All models are the lesson's own, made by its function `trained` and judged on the test
part by its function `judge`; an arm of captions.toml is one change of the arm soft. The
arms that follow the empty line there are tries, with one seed (a number is a rate in
thousandths): what counts for a choice are the right captions of the validation part.
"""

import course_utils
from benchmarks import evidence, lesson_code

(ARMS, _), SEEDS = evidence.settings(__file__), (0, 1, 2)


def measure(arm, seed):
    """Train one arm; return its figures on the test part."""
    course_utils.setup(seed)
    lesson = lesson_code.definitions("17", "NAMES", "T", "Part")
    options = {name: lesson.get(str(value), value) for name, value in ARMS[arm].items()}
    judge, load = lesson["judge"], lesson["load_part"]
    model = lesson["trained"](load("train"), seed, **options)
    found = judge(model, load("test"))
    found["validation"] = judge(model, load("validation"))["exact"]
    return {f"captions.{arm}.{name}": float(value) for name, value in found.items()}


if __name__ == "__main__":
    evidence.main("captions")

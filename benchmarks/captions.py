"""Captions: who looks where, and what looking is worth.

    python -m benchmarks.captions [--variant soft --seed 0]

All models are the lesson's own, made by its function `trained`, or the one that a
variant names, and judged by `judge`; a variant of captions.toml is one change of the
variant soft. Tries choose the settings of the variants, by the rule in captions.toml:
they have one seed and see the validation part only (a number at the end of a name is a
rate in thousandths). The others are scored on the test part.
"""

import course_utils
from benchmarks import evidence, lesson_code

(VARIANTS, _), SEEDS = evidence.settings(__file__), (0, 1, 2)


def measure(variant, seed):
    """Train one variant; return its figures: of a try, those of the validation part."""
    course_utils.setup(seed)
    lesson = lesson_code.definitions("attention_on_images", "NAMES", "T", "Part")
    options = {
        name: lesson.get(str(value), value) for name, value in VARIANTS[variant].items()
    }
    is_try = options.pop("seeds", None)
    judge, load = lesson["judge"], lesson["load_part"]
    train = options.pop("train", lesson["trained"])
    model = train(load("train"), seed, **options)
    found = {} if is_try else judge(model, load("test"))
    chosen_by = judge(model, load("validation"))
    found["validation"] = chosen_by["exact"]
    found["validation_hits"] = chosen_by["pointing"]
    return {name: float(value) for name, value in found.items()}


if __name__ == "__main__":
    evidence.main("captions")

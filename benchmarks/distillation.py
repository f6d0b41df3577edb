"""Distillation: what a small student should learn from, with equal tuning for all.

    python -m benchmarks.distillation [--variant soft --seed 0]

Teacher, students and targets are the lesson's own. The first run fine-tunes the
teacher; its answers, and the ids and vectors of the words, stay in build/. With seed 0
a variant has its trials on the validation part, and the best one is measured on the
test part; the other seeds train once, with what seed 0 chose. A variant with `middle`
is measured in the middle of its grid as well, with each seed, so that such variants can
be compared at one setting that no search chose. Some variants take what another one
chose (`own_of` and `fixed_of` in the TOML file). In the teacher's place one has the
stored answers of lesson 13's MiniLM (`logits`), and one those of a student of another
variant, which had another seed (`taught_by`). So run the teacher first and alone; then
variants may run side by side, those that are named by others before these.
"""

from functools import cache

import numpy as np
from sklearn.metrics import roc_auc_score

import course_utils
from benchmarks import evidence, lesson_code
from benchmarks.imdb import stored

VARIANTS, BASE = evidence.settings(__file__)
SEEDS, PEAKS = (0, 1, 2, 3, 4), BASE["peaks"]


def measure(variant, seed):
    """Teach the student of a variant; return its figures."""
    course_utils.setup(seed)
    lesson = lesson_code.definitions("distillation", "OWN")
    material = stored("distillation", 0, prepared)
    if "logits" in VARIANTS[variant]:
        with np.load(evidence.FOLDER / VARIANTS[variant]["logits"]) as kept:
            material["said"] = {part: kept[part].astype("float32") for part in kept}
    said, labels, right = material["said"], material["labels"], lesson["accuracy"]
    if variant == "teacher":
        found = {n: right(said[n], labels[n]) for n in ("train", "validation", "test")}
        return {f"distillation.teacher.{n}_accuracy": v for n, v in found.items()}
    plan = {
        "learns": variant,
        "kind": "neighbours",
        "trials": BASE["trials"],
        **VARIANTS[variant],
    }
    own = BASE["own"][lesson["OWN"][plan["learns"]]]
    own = [chosen(plan["own_of"], "own")] if "own_of" in plan else own
    fixed = {k: chosen(v, "own") for k, v in plan.get("fixed_of", {}).items()}

    def answers(student, part):
        ids = lesson["shorten"](material["ids"][part], 512)
        return lesson["answer"](student.predict_on_batch, ids)

    def train(learns, seed, peak, value):
        rest = plan["kind"], material, peak, value, seed, BASE["updates"]
        return lesson["run"](learns, *rest, **fixed)

    if by := plan.get("taught_by"):
        first = train(by, seed + len(SEEDS), chosen(by, "peak"), chosen(by, "own"))
        material["said"] = {part: answers(first, part) for part in said}
    size, figures = (len(PEAKS), len(own)), {}

    @cache
    def taught(place):
        student = train(plan["learns"], seed, PEAKS[place[0]], own[place[1]])
        return student, right(answers(student, "validation"), labels["validation"])

    if seed == 0:
        found = climb(lambda place: taught(place)[1], size, plan["trials"])
        best = max(found, key=found.get)
        for n, ((i, j), value) in enumerate(found.items(), 1):
            trial = {"_peak": PEAKS[i], "_own": own[j], "": value}
            figures |= {f"trial_{n}{name}": v for name, v in trial.items()}
        figures |= {"peak": PEAKS[best[0]], "own": own[best[1]]}
        edges = [n > 1 and i in (0, n - 1) for i, n in zip(best, size, strict=True)]
        figures |= {"edges": sum(edges), "worst_trial": min(found.values())}
    else:
        best = PEAKS.index(chosen(variant, "peak")), own.index(chosen(variant, "own"))
    places = {"": best} | ({"middle_": middle(size)} if "middle" in plan else {})
    for name, place in places.items():
        test = answers(taught(place)[0], "test")
        figures[f"{name}test_accuracy"] = right(test, labels["test"])
        figures[f"{name}test_auc"] = roc_auc_score(labels["test"], test)
        figures[f"{name}agreement"] = np.mean((test > 0) == (said["test"] > 0))
    figures["validation_accuracy"] = taught(best)[1]
    return {name: float(v) for name, v in figures.items()}


def chosen(variant, setting):
    """Return what the trials of a variant chose."""
    return evidence.value_of_seed_0("distillation", f"distillation.{variant}.{setting}")


def middle(size):
    """Return the place in the middle of a grid."""
    return tuple(n // 2 for n in size)


def climb(score, size, count):
    """Score places of a grid: the middle, then the one nearest to the best so far.

    Of equally near places the one with the lower rate, then setting, comes first. A
    grid that has no more places than `count` is scored whole.
    """
    found, best = {}, middle(size)
    while len(found) < min(count, np.prod(size)):
        left = [place for place in np.ndindex(*size) if place not in found]
        place = min(left, key=lambda p: np.hypot(*np.subtract(p, best)))
        found[place] = score(place)
        best = max(found, key=found.get)
    return found


def prepared(_):
    """Return what all variants share, as the lesson's own cells make it."""
    found = lesson_code.run_until("distillation", "dist-trials")
    vectors = found["hints"]({name: own for name, (own, _) in found["both"].items()})
    shared = {name: found[name] for name in ("table", "ids", "labels", "said")}
    return shared | {"vectors": vectors}


if __name__ == "__main__":
    evidence.main("distillation")

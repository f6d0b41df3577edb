"""Distillation: what a small student should learn from, with equal tuning for all.

    python -m benchmarks.distillation [--variant soft --seed 0]

Teacher, students and targets are the lesson's own. The first run fine-tunes the
teacher; its answers, and the ids and vectors of the words, stay in build/. With seed 0
a variant has its trials on the validation part, and the best one is measured on the
test part; the other seeds train once, with what seed 0 chose. A variant with `middle`
is measured in the middle of its grid as well, with each seed, so that such variants
can be compared at one setting that no search chose. So run the teacher first and
alone; then variants may run side by side, those that are named by others before these.

Minutes of one core stand behind a variant, for all of its seeds: a training of the
quick student takes about 45 s (frozen 20), one of the Transformer 3 to 4 minutes, to
begin and to test 20 s. In all 213; with two side by side after the teacher, and its
own 22, about 118.
"""

from functools import cache

import numpy as np
from sklearn.metrics import roc_auc_score

import course_utils
from benchmarks import evidence
from benchmarks.imdb import stored
from benchmarks.lessons import distillation as lesson
from course_utils import datasets

UPDATES = 3200  # two passes over all reviews, or six to seven over those with a label
TRIALS = 10  # from the middle of the grid on; of a smaller grid, all places
PEAKS = (5e-4, 1e-3, 2e-3, 4e-3, 8e-3)
OWN = {  # what is tried of the setting that a variant has alone
    "alpha": [0.0],  # no teacher, so nothing to choose
    "temperature": [0.5, 1.0, 2.0, 4.0, 8.0],
    "epsilon": [0.02, 0.05, 0.1, 0.2, 0.3],
    "weight": [0.03, 0.1, 0.3, 1.0, 3.0],
}

# learns: what the student learns from, if it isn't the variant's name. kind: of the
# student. own_of: whose chosen setting it takes. fixed_of: other settings, from the
# choice of other variants. logits: the stored answers of lesson 13's MiniLM in the
# teacher's place; taught_by: those of a student of that variant, which has another
# seed.
DEFAULTS = {"kind": "neighbours", "trials": TRIALS}
FEW = {"trials": 3, "seeds": [0, 1, 2]}
VARIANTS = {
    "teacher": {"seeds": [0]},  # 22: with it all that the variants share is made
    "labels": {},  # 8
    "soft": {"middle": True},  # 16
    "soft_minilm": {
        "learns": "soft",
        "middle": True,
        "logits": "minilm_logits.npz",
    },  # 16
    "shuffled": {"middle": True},  # 16
    "unlabelled": {"middle": True},  # 16
    "decisions": {},  # 12
    "smoothed": {},  # 12
    "hidden": {"fixed_of": {"temperature": "unlabelled"}},  # 12
    "self": {
        "learns": "unlabelled",
        "taught_by": "labels",
        "middle": True,
        "trials": 1,
    },  # 11
    "frozen_labels": {"learns": "labels", "kind": "frozen neighbours"},  # 4
    "frozen_unlabelled": {"learns": "unlabelled", "kind": "frozen neighbours"},  # 6
    "transformer_unlabelled": FEW
    | {"learns": "unlabelled", "kind": "transformer", "own_of": "unlabelled"},  # 22
    "transformer_labels": FEW | {"learns": "labels", "kind": "transformer"},  # 22
    "transformer_frozen_labels": FEW
    | {"learns": "labels", "kind": "frozen transformer"},  # 18
}
SEEDS = (0, 1, 2, 3, 4)


def measure(variant, seed, material=None, updates=UPDATES, **changes):
    """Teach the student of a variant; return its figures.

    Args:
        material: what `lesson.prepared` returns; None makes it once, and keeps it.
        updates: of a training.
        changes: other settings of the variant.
    """
    course_utils.setup(seed)
    material = dict(material or stored("distillation", 0, prepared))
    labels = material["labels"]
    settings = DEFAULTS | VARIANTS[variant] | changes
    if "logits" in settings:
        with np.load(evidence.FOLDER / settings["logits"]) as stored_logits:
            material["said"] = {
                part: stored_logits[part].astype("float32") for part in stored_logits
            }
    if variant == "teacher":
        figures = {
            f"{part}_accuracy": lesson.accuracy(material["said"][part], labels[part])
            for part in ("train", "validation", "test")
        }
        return {name: float(value) for name, value in figures.items()}
    learns = settings.get("learns", variant)
    own = OWN[lesson.OWN[learns]]
    if "own_of" in settings:
        own = [chosen(settings["own_of"], "own")]
    fixed = {}
    for name, other in settings.get("fixed_of", {}).items():
        fixed[name] = chosen(other, "own")

    def answers(student, part):
        ids = lesson.shorten(material["ids"][part], 512)
        return lesson.answer(student.predict_on_batch, ids)

    def train(what, seed, peak, value, **more):
        kind = settings["kind"]
        return lesson.run(what, kind, material, peak, value, seed, updates, **more)

    if "taught_by" in settings:
        other = settings["taught_by"]
        peak, value = chosen(other, "peak"), chosen(other, "own")
        first = train(other, seed + len(SEEDS), peak, value)
        material["said"] = {part: answers(first, part) for part in material["said"]}

    @cache
    def taught(place):
        row, column = place
        student = train(learns, seed, PEAKS[row], own[column], **fixed)
        right = lesson.accuracy(answers(student, "validation"), labels["validation"])
        return student, right

    figures = {}
    size = len(PEAKS), len(own)
    if seed == 0:
        scores = climb(lambda place: taught(place)[1], size, settings["trials"])
        best = max(scores, key=scores.get)
        figures |= figures_of_trials(scores, own, best, size)
    else:
        best = PEAKS.index(chosen(variant, "peak")), own.index(chosen(variant, "own"))
    places = {"": best}
    if settings.get("middle"):
        places["middle_"] = middle(size)
    for name, place in places.items():
        on_test = answers(taught(place)[0], "test")
        agree = (on_test > 0) == (material["said"]["test"] > 0)
        figures[f"{name}test_accuracy"] = lesson.accuracy(on_test, labels["test"])
        figures[f"{name}test_auc"] = roc_auc_score(labels["test"], on_test)
        figures[f"{name}agreement"] = np.mean(agree)
    figures["validation_accuracy"] = taught(best)[1]
    return {name: float(value) for name, value in figures.items()}


def figures_of_trials(scores, own, best, size):
    """Return the trials in their order, the best one, and at how many edges it lies."""
    figures = {}
    for number, ((row, column), score) in enumerate(scores.items(), start=1):
        figures[f"trial_{number}_peak"] = PEAKS[row]
        figures[f"trial_{number}_own"] = own[column]
        figures[f"trial_{number}"] = score
    figures["peak"] = PEAKS[best[0]]
    figures["own"] = own[best[1]]
    edges = 0
    for place, count in zip(best, size, strict=True):
        if count > 1 and place in (0, count - 1):
            edges += 1
    figures["edges"] = edges
    figures["worst_trial"] = min(scores.values())
    return figures


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
    scores = {}
    best = middle(size)
    while len(scores) < min(count, np.prod(size)):
        left = [place for place in np.ndindex(*size) if place not in scores]
        place = min(left, key=lambda p: np.hypot(p[0] - best[0], p[1] - best[1]))
        scores[place] = score(place)
        best = max(scores, key=scores.get)
    return scores


def prepared(_=None):
    """Return what all variants share, made of the real reviews."""
    return lesson.prepared(datasets.imdb)


if __name__ == "__main__":
    evidence.main("distillation")

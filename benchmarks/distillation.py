"""Distillation: what a small student should learn from, with equal tuning for all.

    python -m benchmarks.distillation [--arm soft --seed 0]

Teacher, students and targets are lesson 16's own. The first run fine-tunes the teacher;
its answers, and the ids and vectors of the words, stay in build/. With seed 0 an arm
has its trials on the validation part, and the best one is measured on the test part;
seeds 1 and 2 train once, with what seed 0 chose. The arm minilm_unlabelled is there
when the logits of lesson 15's MiniLM are: ``build/minilm_logits.npz``, with an array
for each of train, unsupervised, validation and test, as ``datasets.imdb`` orders them.
"""

import tomllib
from pathlib import Path

import numpy as np

import course_utils
from benchmarks import evidence, lesson_code
from benchmarks.imdb import ROOT, stored
from course_utils import datasets
from course_utils.evidence import load, values

BASE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
ARMS, SEEDS = BASE.pop("arms"), (0, 1, 2)
MINILM = ROOT / "build" / "minilm_logits.npz"
if not MINILM.is_file():
    del ARMS["minilm_unlabelled"]


def measure(arm, seed):
    """Teach the student of an arm; return its figures."""
    course_utils.setup(seed)
    lesson = lesson_code.definitions("16", "OWN")
    material = stored("distillation", 0, prepared)
    said, labels, right = material["said"], material["labels"], lesson["accuracy"]
    if arm == "teacher":
        parts = ("train", "validation", "test")
        found = {part: float(right(said[part], labels[part])) for part in parts}
        return {f"distillation.teacher.{n}_accuracy": v for n, v in found.items()}
    settings = {"learns": arm, "kind": "neighbours", **ARMS[arm]}
    if settings.get("teacher") == "minilm":
        material["said"] = said = minilm_said(material["kept"])
    own = BASE["own"][lesson["OWN"][settings["learns"]]]
    students = {}

    def score(place):
        chosen = BASE["peaks"][place[0]], own[place[1]]
        rest = settings["kind"], material, *chosen, seed, BASE["updates"]
        students[place] = lesson["run"](settings["learns"], *rest)
        return right(answers(students[place], "validation"), labels["validation"])

    def answers(student, part):
        return lesson["answer"](student, lesson["shorten"](material["ids"][part], 512))

    if seed == 0:
        found = climb(score, (len(BASE["peaks"]), len(own)), BASE["trials"])
    else:
        rows, name = load("distillation"), f"distillation.{arm}"
        (peak,), (value,) = values(rows, f"{name}.peak"), values(rows, f"{name}.own")
        place = BASE["peaks"].index(peak), own.index(value)
        found = {place: score(place)}
    best = max(found, key=found.get)
    test = answers(students[best], "test")
    figures = {
        "validation_accuracy": found[best],
        "test_accuracy": right(test, labels["test"]),
        "agreement": np.mean((test > 0) == (said["test"] > 0)),
    }
    if seed == 0:
        figures |= {"peak": BASE["peaks"][best[0]], "own": own[best[1]]}
        figures["worst_trial"] = min(found.values())
        figures["edges"] = sum(i in (0, 4) for i in best)
    return {f"distillation.{arm}.{name}": float(v) for name, v in figures.items()}


def climb(score, size, count):
    """Score places of a grid: the middle, then the one nearest to the best so far."""
    found, best = {}, tuple(n // 2 for n in size)
    while len(found) < count:
        left = [place for place in np.ndindex(*size) if place not in found]
        place = min(left, key=lambda p: np.hypot(*np.subtract(p, best)))
        found[place] = score(place)
        best = max(found, key=found.get)
    return found


def prepared(_):
    """Return what all arms share, as the lesson's own cells make it."""
    found = lesson_code.run_until("16", "dist-trials")
    kept, more = {*found["parts"]["unlabelled"][0]}, datasets.imdb.load("unsupervised")
    vectors = found["hints"]({name: own for name, (own, _) in found["both"].items()})
    shared = {name: found[name] for name in ("table", "ids", "labels", "said")}
    return shared | {"vectors": vectors, "kept": np.array([t in kept for t in more[0]])}


def minilm_said(kept):
    """Return MiniLM's logits of each part, without the reviews that are left out."""
    with np.load(MINILM) as found:
        said = dict(found)
    said["unlabelled"] = said.pop("unsupervised")[kept]
    return said


if __name__ == "__main__":
    evidence.main("distillation")

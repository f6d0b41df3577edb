"""Distillation: what a small student should learn from, with equal tuning for all.

    python -m benchmarks.distillation [--arm soft --seed 0]

Teacher, students and targets are lesson 16's own. The first run fine-tunes the teacher;
its answers, and the ids and vectors of the words, stay in build/. With seed 0 an arm
has its trials on the validation part, and the best one is measured on the test part;
seeds 1 and 2 train once, with what seed 0 chose. Some arms take what another one chose
(`own_of` and `temperature_of` in the TOML file). So run the teacher first and alone;
then arms may run side by side, those that are named by others before these.

The arm minilm_soft is there when lesson 15 has left MiniLM's logits beside the files
of evidence: `train`, `validation` and `test`, in the order of `datasets.imdb`.
"""

import tomllib
from pathlib import Path

import numpy as np

import course_utils
from benchmarks import evidence, lesson_code
from benchmarks.imdb import stored
from course_utils.evidence import FOLDER, load, values

BASE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
ARMS, SEEDS, PEAKS = BASE.pop("arms"), (0, 1, 2), BASE["peaks"]
MINILM = FOLDER / "minilm_logits.npz"
if not MINILM.is_file():
    del ARMS["minilm_soft"]


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
    plan = {"learns": arm, "kind": "neighbours", "trials": BASE["trials"], **ARMS[arm]}
    own, fixed = BASE["own"][lesson["OWN"][plan["learns"]]], {}
    if "own_of" in plan:
        own = [chosen(plan["own_of"], "own")]
    if "temperature_of" in plan:
        fixed["temperature"] = chosen(plan["temperature_of"], "own")
    if "teacher" in plan:
        material["said"] = said = minilm_said(labels)

    def answers(student, part):
        return lesson["answer"](student, lesson["shorten"](material["ids"][part], 512))

    def train(peak, value):
        rest = plan["kind"], material, peak, value, seed, BASE["updates"]
        student = lesson["run"](plan["learns"], *rest, **fixed)
        return right(answers(student, "validation"), labels["validation"]), student

    if seed == 0:
        students, size = {}, (len(PEAKS), len(own))

        def score(place):
            students[place] = train(PEAKS[place[0]], own[place[1]])
            return students[place][0]

        found = climb(score, size, plan["trials"])
        best = max(found, key=found.get)
        both = zip(best, size, strict=True)
        figures = {"peak": PEAKS[best[0]], "own": own[best[1]]}
        figures["worst_trial"] = min(found.values())
        figures["edges"] = sum(n > 1 and i in (0, n - 1) for i, n in both)
        validation, student = students[best]
    else:
        figures = {}
        validation, student = train(chosen(arm, "peak"), chosen(arm, "own"))
    test = answers(student, "test")
    figures |= {"validation_accuracy": validation}
    figures["test_accuracy"] = right(test, labels["test"])
    figures["agreement"] = np.mean((test > 0) == (said["test"] > 0))
    if "teacher" in plan:
        figures["teacher_accuracy"] = right(said["test"], labels["test"])
    return {f"distillation.{arm}.{name}": float(v) for name, v in figures.items()}


def chosen(arm, setting):
    """Return what the trials of an arm chose."""
    return values(load("distillation"), f"distillation.{arm}.{setting}")[0]


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
    vectors = found["hints"]({name: own for name, (own, _) in found["both"].items()})
    shared = {name: found[name] for name in ("table", "ids", "labels", "said")}
    return shared | {"vectors": vectors}


def minilm_said(labels):
    """Return MiniLM's logits of the parts that have labels."""
    with np.load(MINILM) as found:
        said = {part: own.astype("float32") for part, own in found.items()}
    for part, own in said.items():
        if len(own) != len(labels[part]):
            raise ValueError(f"{MINILM.name} doesn't fit the part {part!r}.")
    return said


if __name__ == "__main__":
    evidence.main("distillation")

"""Which model, when? Six models on four corpora, with few labels and with many.

    python -m benchmarks.when [--arm films_500 --seed 0]

All models are lesson 07's own, tuned and trained by its functions; the lesson explains
corpora, settings and what "to a plateau" means. An arm is a corpus with so many labels,
and a run of it trains all six. Seed 0 tries all settings of each model; the other seeds
take the one that was best on validation there, so seed 0 has to be run first. Minutes
are those of the processor, for one training with its looks at the validation part.
"""

import time

import numpy as np

import course_utils
from benchmarks import evidence as runs
from benchmarks import lesson_code
from course_utils import evidence

SIZES = {
    "films": (500, 3_000, 22_500),
    "sentences": (500, 22_500, 90_000),
    "order": (500, 8_000, 60_000),
    "senses": (2_800,),
}
ARMS = {f"{name}_{n}": (name, n) for name, sizes in SIZES.items() for n in sizes}
SEEDS = (0, 1, 2)
ASSIGNED = "BAGS WIDTH NETWORKS SETTINGS ROWS EVERY PATIENCE MOST Part Corpus SENSES"


def lesson_of(seed):
    """Return the lesson's functions, ready for a seed."""
    lesson = lesson_code.definitions("07", "FEWER", *ASSIGNED.split())
    lesson["course"] = course_utils.setup(seed)
    return lesson


def measure(arm, seed):
    """Train the six models of an arm; return its figures."""
    (name, size), lesson = ARMS[arm], lesson_of(seed)
    corpus = lesson["corpus_of"](name, size, seed)
    texts, _, labels, _ = corpus.train
    length = np.mean([len(text.split()) for text in texts])
    figures = {f"when.{arm}.labels": len(labels), f"when.{arm}.length": float(length)}
    right, looks = {}, [0]
    for kind in lesson["SETTINGS"]:
        numbers = (0, 1, 2) if seed == SEEDS[0] else settings_of(arm, kind)
        start = time.process_time()
        tried = lesson["tune"](kind, corpus, seed, numbers)
        minutes = (time.process_time() - start) / 60 / len(tried)
        score, number, model = lesson["best_of"](tried)
        right[kind] = lesson["answers"](model, corpus.test) == corpus.test.labels
        found = {"setting": number, "validation_accuracy": score}
        found["test_accuracy"] = float(right[kind].mean())
        found["processor_minutes"] = minutes
        if name == "order":
            mixed = lesson["shuffled"](corpus.test, corpus.vectorizer, seed)
            found["shuffled"] = lesson["accuracy"](model, mixed)
        if kind in lesson["NETWORKS"]:
            looks += [len(one.history.epoch) for _, _, one in tried]
            if name == "senses":
                found["context"] = lesson["senses_in_vectors"](model, corpus)
            figures |= leads(lesson, arm, kind, right, corpus.test.review)
        figures |= {f"when.{arm}.{kind}.{key}": value for key, value in found.items()}
    return figures | {f"when.{arm}.most_updates": lesson["EVERY"] * max(looks)}


def settings_of(arm, kind):
    """Return the number of the setting that seed 0 has chosen, as a list."""
    return evidence.values(evidence.load("when"), f"when.{arm}.{kind}.setting")[:1]


def leads(lesson, arm, kind, right, review):
    """Return the ends of the interval of a network's lead over the pairs."""
    draws = lesson["leads_by_review"](right[kind], right["pairs"], review)
    ends = zip(("low", "high"), map(float, lesson["interval"](draws)), strict=True)
    return {f"when.{arm}.{kind}.lead_{end}": value for end, value in ends}


if __name__ == "__main__":
    runs.main("when")

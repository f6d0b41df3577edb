"""Which model, when? Six models on four corpora, with few labels and with many.

    python -m benchmarks.when [--variant films_500 --seed 0]

All models are those of "Which model, when?", tuned and trained by its functions; the
lesson explains corpora, settings and what "to a plateau" means. A variant is a corpus
with so many labels, and a run of it trains all six. Seed 0 tries all settings of each
model; the other seeds take the one that was best on validation there, so seed 0 has to
be run first. Minutes are those of the processor, for one training with the setting that
was chosen and its looks at the validation part. A lead is drawn by review (in ``order``
by pair of twins).
"""

import numpy as np

import course_utils
from benchmarks import evidence, lesson_code

ASSIGNED = "FEWER BAGS WIDTH NETWORKS SETTINGS ROWS EVERY PATIENCE LEAST MOST SENSES"
LESSON = lesson_code.definitions(
    "which_model_when", "SIZES", "Part", "Corpus", *ASSIGNED.split()
)
SIZES, SEEDS = LESSON["SIZES"], (0, 1, 2)
VARIANTS = {f"{c}_{n}": {"corpus": c, "size": n} for c in SIZES for n in SIZES[c]}
OVER = {"averaged": ["words"], "positions": ["gru", "attention"]}  # and all over pairs


def measure(variant, seed):
    """Train the six models of a variant; return its figures."""
    (name, size), lesson, right = VARIANTS[variant].values(), LESSON, {}
    lesson["course"] = course_utils.setup(seed)
    corpus = lesson["corpus_of"](name, size, seed)
    figures = {"labels": len(corpus.train.labels), "tested": len(corpus.test.labels)}
    figures["length"] = float(np.mean([len(t.split()) for t in corpus.train.texts]))
    for kind in lesson["SETTINGS"]:
        found, model = one_model(lesson, variant, kind, corpus, seed)
        right[kind] = lesson["answers"](model, corpus.test) == corpus.test.labels
        found["test_accuracy"] = float(right[kind].mean())
        if name == "order":
            mixed = lesson["shuffled"](corpus.test, corpus.vectorizer, seed)
            found["shuffled"] = lesson["accuracy"](model, mixed)
        if kind in lesson["NETWORKS"]:
            found |= leads(lesson, kind, right, corpus.test.review)
            if name == "senses":
                fresh = lesson["network"](kind, corpus.vectorizer.vocabulary_size, 4)
                for key, one in ("context", model), ("context_untrained", fresh):
                    found[key] = lesson["senses_in_vectors"](one, corpus)
        figures |= {f"{kind}.{figure}": value for figure, value in found.items()}
    return figures


def one_model(lesson, variant, kind, corpus, seed):
    """Train with all settings, or with the chosen one; return figures and the best."""
    found, tried, minutes = {}, [], {}
    for number in (0, 1, 2) if seed == SEEDS[0] else settings_of(variant, kind):
        run = lesson["tune"], kind, corpus, seed, (number,)
        minutes[number], one = evidence.timed(*run)
        tried += one
        found[f"validation_of_{number}"], _, model = tried[-1]
        if kind in lesson["NETWORKS"]:
            found[f"updates_of_{number}"] = lesson["EVERY"] * len(model.history.epoch)
    score, chosen, model = lesson["best_of"](tried)
    found |= {"setting": chosen, "validation_accuracy": score}
    return found | {"processor_minutes": minutes[chosen]}, model


def settings_of(variant, kind):
    """Return the number of the setting that seed 0 has chosen, as a list."""
    return [evidence.value_of_seed_0("when", f"when.{variant}.{kind}.setting")]


def leads(lesson, kind, right, review):
    """Return the ends of the interval of a network's lead over each of some models."""
    found = {}
    for other in ("pairs", *OVER.get(kind, ())):
        draws = lesson["leads_by_review"](right[kind], right[other], review)
        for end, value in zip(("low", "high"), lesson["interval"](draws), strict=True):
            found[f"lead_over_{other}_{end}"] = float(value)
    return found


if __name__ == "__main__":
    evidence.main("when")

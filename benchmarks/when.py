"""Which model, when? Six models on four corpora, with few labels and with many.

    python -m benchmarks.when [--variant films_500 --seed 0]

Models, their tuning and corpora are those of the lesson "Which model, when?", which
explains settings and what "to a plateau" means. A variant is a corpus with so many
labels, and a run of it trains all six. Seed 0 tries all settings of each model; the
other seeds take the one that was best on validation there, so seed 0 has to be run
first. Minutes are those of the processor, for one training with the setting that was
chosen and its looks at the validation part. A lead is drawn by review (in ``order`` by
pair of twins).
"""

import numpy as np

import course_utils
from benchmarks import evidence
from benchmarks.lessons import when as lesson

VARIANTS = {
    f"{corpus}_{size}": {"corpus": corpus, "size": size}
    for corpus, sizes in lesson.SIZES.items()
    for size in sizes
}
SEEDS = (0, 1, 2)
# Whose lead over which other model is measured, besides that over counted pairs.
OVER = {"averaged": ["words"], "positions": ["gru", "attention"]}


def measure(variant, seed):
    """Train the six models of a variant; return its figures."""
    course_utils.setup(seed)
    corpus_name = VARIANTS[variant]["corpus"]
    corpus = lesson.corpus_of(corpus_name, VARIANTS[variant]["size"], seed)
    lengths = [len(text.split()) for text in corpus.train.texts]
    figures = {
        "labels": len(corpus.train.labels),
        "tested": len(corpus.test.labels),
        "length": float(np.mean(lengths)),
    }
    right = {}
    for kind in lesson.SETTINGS:
        chosen, model = one_model(variant, kind, corpus, seed)
        right[kind] = lesson.answers(model, corpus.test) == corpus.test.labels
        chosen["test_accuracy"] = float(right[kind].mean())
        if corpus_name == "order":
            mixed = lesson.shuffled(corpus.test, corpus.vectorizer, seed)
            chosen["shuffled"] = lesson.accuracy(model, mixed)
        if kind in lesson.NETWORKS:
            chosen |= leads(kind, right, corpus.test.review)
        if kind in lesson.NETWORKS and corpus_name == "senses":
            fresh = lesson.network(kind, corpus.vectorizer.vocabulary_size, 4)
            chosen["context"] = lesson.senses_in_vectors(model, corpus)
            chosen["context_untrained"] = lesson.senses_in_vectors(fresh, corpus)
        for figure, value in chosen.items():
            figures[f"{kind}.{figure}"] = value
    return figures


def one_model(variant, kind, corpus, seed):
    """Train with all settings, or with the chosen one; return figures and the best."""
    figures, trials, minutes = {}, [], {}
    numbers = (0, 1, 2) if seed == SEEDS[0] else [chosen_setting(variant, kind)]
    for number in numbers:
        minutes[number], trial = evidence.timed(
            lesson.tune, kind, corpus, seed, (number,)
        )
        trials += trial
        score, _, model = trial[0]
        figures[f"validation_of_{number}"] = score
        if kind in lesson.NETWORKS:
            looks = len(model.history.epoch)
            figures[f"updates_of_{number}"] = lesson.EVERY * looks
    score, chosen, model = lesson.best_of(trials)
    figures["setting"] = chosen
    figures["validation_accuracy"] = score
    figures["processor_minutes"] = minutes[chosen]
    return figures, model


def chosen_setting(variant, kind):
    """Return the number of the setting that seed 0 has chosen."""
    return evidence.value_of_seed_0("when", f"when.{variant}.{kind}.setting")


def leads(kind, right, review):
    """Return the ends of the interval of a network's lead over each of some models."""
    figures = {}
    for other in ("pairs", *OVER.get(kind, ())):
        draws = lesson.leads_by_review(right[kind], right[other], review)
        low, high = lesson.interval(draws)
        figures[f"lead_over_{other}_low"] = float(low)
        figures[f"lead_over_{other}_high"] = float(high)
    return figures


if __name__ == "__main__":
    evidence.main("when")

"""Attention mechanisms on the phrasebook: right translations, and right maps.

    python -m benchmarks.alignment [--variant cosine --seed 0]

All models are lesson 03's own, trained by its function. None was tuned: all have the
same updates, batches and rate, but those called long have twice the updates.
"""

import course_utils
from benchmarks import evidence, lesson_code
from course_utils import seq2seq
from course_utils.datasets import phrasebook

(VARIANTS, TABLE), SEEDS = evidence.settings(__file__), (0, 1, 2)
KINDS, UPDATES = TABLE["kinds"], 600


def twin(model, size):
    """Return the package's model with the weights of a monotonic one.

    Token by token, the window needs the position, which the lesson's loop doesn't tell.
    """
    options = {"attention": VARIANTS["monotonic"], "bidirectional": True}
    found = seq2seq.RecurrentSeq2Seq(size, 40, 64, 128, "attention", **options)
    found.build()
    *same, output, bias, combine, its_bias = model.get_weights()  # as created
    found.set_weights([*same, combine, its_bias, output, bias])
    return found


def measure(variant, seed):
    """Train one variant; return its figures. Its minutes are those of the processor."""
    course_utils.setup(seed)
    lesson = lesson_code.definitions("03", "nats", "SCORES")
    gold = {part: phrasebook.alignments(part) for part in phrasebook.SIZES}
    index = lesson["vocabulary_of"](gold["train"])
    data = {part: lesson["encode"](rows, index) for part, rows in gold.items()}
    links = {part: [row[2] for row in rows] for part, rows in gold.items()}
    lesson |= {"V": len(index), "embed_dim": 64, "units": 128}
    kind = lesson[KINDS.get(variant, "AttentionTranslator")]
    options = {}
    if VARIANTS[variant]:
        options["attention"] = lesson["ScoredAttention"](**VARIANTS[variant])
    elif variant.startswith("uniform"):
        options["attention"] = lesson["uniform_attention"]
    model = lesson["new_model"](kind, len(index), seed, **options)
    updates = UPDATES * (2 if variant.endswith("_long") else 1)
    run = lesson["train_model"], model, data["train"], updates
    if variant == "guided":
        run = lesson["train_guided"], model, data["train"], gold["train"], updates
    minutes, _ = evidence.timed(*run, seed=seed)
    figures = {"processor_minutes": minutes}
    if variant == "monotonic":
        translator, exact_matches = twin(model, len(index)), seq2seq.exact_matches
    else:
        translator, exact_matches = model, lesson["exact_matches"]
    for part in ("validation", "test"):
        right, _ = exact_matches(translator, *data[part])
        figures[f"{part}_exact"] = float(right.mean())
        if VARIANTS[variant]:
            found = lesson["most_weight"](lesson["maps_of"](model, *data[part]))
            error = lesson["alignment_error_rate"]
            figures[f"{part}_error"] = error(found, links[part])
    return figures


if __name__ == "__main__":
    evidence.main("alignment")

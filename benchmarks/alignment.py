"""Attention mechanisms on the phrasebook: right translations, and right maps.

    python -m benchmarks.alignment [--variant cosine --seed 0]

Models and their training are those of lesson 03 and of "The attention family". None was
tuned: all have the same updates, batches and rate, but those called long have twice the
updates, and none_8 has eight times as many. In those called keep, the update gates of
all GRUs begin with b = 2, as in lesson 02.
"""

import numpy as np

import course_utils
from benchmarks import evidence
from benchmarks.lessons import alignment as lesson
from course_utils import metrics, seq2seq
from course_utils.datasets import phrasebook
from course_utils.seq2seq import gru_translator

# A variant's model, where it isn't the AttentionTranslator, and the options of its
# attention layer, where it has one.
VARIANTS = {
    "none": {"model": gru_translator.PhrasebookTranslator},
    "none_long": {"model": gru_translator.PhrasebookTranslator},
    "none_8": {"model": gru_translator.PhrasebookTranslator, "seeds": (0,)},
    "none_keep": {"model": gru_translator.PhrasebookTranslator},
    "uniform": {},
    "uniform_long": {},
    "cosine": {"attention": {"score": "cosine"}},
    "additive": {"attention": {"score": "additive"}},
    "location": {"attention": {"score": "location"}},
    "general": {"attention": {"score": "general"}},
    "dot": {"attention": {"score": "dot"}},
    "dot_keep": {"attention": {"score": "dot"}},
    "dot_long": {"attention": {"score": "dot"}},
    "scaled_dot": {"attention": {"score": "scaled_dot"}},
    "no_handover": {
        "model": gru_translator.NoHandoverTranslator,
        "attention": {"score": "dot"},
    },
    "monotonic": {
        "attention": {"score": "dot", "window": "monotonic", "half_width": 3},
    },
    "predictive": {
        "attention": {"score": "dot", "window": "predictive", "half_width": 3},
    },
    "bahdanau": {
        "model": lesson.BahdanauTranslator,
        "attention": {"score": "additive"},
    },
    "guided": {"model": lesson.GuidedTranslator, "attention": {"score": "dot"}},
}
SEEDS = (0, 1, 2)
UPDATES = 600


def new_model(variant, size, seed=0):
    """Return the untrained model of a variant, for a vocabulary of some size."""
    settings = VARIANTS[variant]
    options = {}
    if "attention" in settings:
        options["attention"] = lesson.ScoredAttention(**settings["attention"])
    elif variant.startswith("uniform"):
        options["attention"] = lesson.uniform_attention
    kind = settings.get("model", gru_translator.AttentionTranslator)
    model = lesson.new_model(kind, size, seed, **options)
    if variant.endswith("_keep"):
        keep_states(model, 2.0)
    return model


def keep_states(model, bias):
    """Let the update gates of a model's GRUs begin with a bias, the others with 0."""
    encoder = model.encoder
    for gru in (encoder.forward_layer, encoder.backward_layer, model.decoder):
        start = np.zeros(gru.cell.bias.shape, "float32")  # (2, 3 U), update gates first
        start[0, : gru.units] = bias
        gru.cell.bias.assign(start)


def package_model(model, size):
    """Return the package's model with the weights of a monotonic one.

    Token by token, the window needs the position, which the lesson's loop doesn't tell.
    """
    options = {**VARIANTS["monotonic"], "bidirectional": True}
    same = seq2seq.RecurrentSeq2Seq(
        size, 40, lesson.EMBED_DIM, lesson.UNITS, "attention", **options
    )
    same.build()
    *others, output, bias, combine, combine_bias = model.get_weights()  # as created
    same.set_weights([*others, combine, combine_bias, output, bias])
    return same


def measure(variant, seed, updates=UPDATES, most=None):
    """Train one variant; return its figures. Its minutes are those of the processor.

    Args:
        updates: of a training that isn't long.
        most: lines of each part; None takes all.
    """
    course_utils.setup(seed)
    rows = {part: phrasebook.alignments(part)[:most] for part in phrasebook.SIZES}
    index = gru_translator.word_index(rows["train"])
    data = {part: gru_translator.word_ids(own, index) for part, own in rows.items()}
    model = new_model(variant, len(index), seed)
    if variant.endswith("_long"):
        updates = 2 * updates
    if variant == "none_8":
        updates = 8 * updates
    if variant == "guided":
        run = lesson.train_guided, model, data["train"], rows["train"], updates
    else:
        run = gru_translator.train_gru_translator, model, data["train"], updates
    minutes, _ = evidence.timed(*run, seed=seed)
    figures = {"processor_minutes": minutes}
    translator = model
    exact_matches = gru_translator.right_sentences
    if variant == "monotonic":
        translator = package_model(model, len(index))
        exact_matches = seq2seq.exact_matches
    for part in ("validation", "test"):
        right, _ = exact_matches(translator, *data[part])
        figures[f"{part}_exact"] = float(right.mean())
        if "attention" in VARIANTS[variant]:
            links = gru_translator.most_weight(
                gru_translator.word_maps(model, *data[part])
            )
            gold = [row[2] for row in rows[part]]
            figures[f"{part}_error"] = metrics.alignment_error_rate(links, gold)
    return figures


if __name__ == "__main__":
    evidence.main("alignment")

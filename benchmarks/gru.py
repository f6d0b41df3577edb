"""Translation with GRUs: room, time, or the choice that attention makes?

    python -m benchmarks.gru [--variant mean --seed 0]

Models and their training are those of lesson 07. A number at the end of a variant's
name is another rate, in thousandths. BLEU is that of the test part: of all of it, of
sentences of nine words and more, and by classes of length. Nats are those of pairs
with more than ten source tokens, of which training has seen the first ones.
"""

import numpy as np

import course_utils
from benchmarks import evidence
from benchmarks.lessons import gru as lesson
from course_utils.datasets import spa_eng
from course_utils.datasets.batches import translation_batches
from course_utils.text import SubwordVectorizer
from course_utils.training import MaskedCrossEntropy

BASE = {  # the settings of the variant none; an epoch has about 600 batches
    "pieces": 4000,
    "embed_dim": 192,
    "units": 256,
    "attention": None,
    "updates": 600,
    "tokens": 2048,  # of a batch
    "peak": 1e-2,  # the best of three after 600 updates, on validation
}
ATTENTION = {"attention": lesson.Attention}
VARIANTS = {
    "none_20": {"peak": 2e-2, "seeds": [0]},
    "attention_20": ATTENTION | {"peak": 2e-2, "seeds": [0]},
    "attention_5": ATTENTION | {"peak": 5e-3, "seeds": [0]},
    "none_5": {"peak": 5e-3, "seeds": [0]},
    # Twice the updates, as the lesson's own runs have, at two rates; the better one of
    # each model, on validation, has three seeds.
    "none_long": {"updates": 1200},
    "none_long_5": {"updates": 1200, "peak": 5e-3, "seeds": [0]},
    "attention_long": ATTENTION | {"updates": 1200, "seeds": [0]},
    "attention_long_5": ATTENTION | {"updates": 1200, "peak": 5e-3},
    "none": {},
    "attention": ATTENTION,
    "mean": {"attention": lesson.Mean},
    "none_wide": {"units": 512},
}
SEEDS = (0, 1, 2)


def measure(variant, seed, splits=None, **changes):
    """Train one variant; return its figures. Its minutes are those of the processor.

    Args:
        splits: the sentence pairs; None takes all of spa-eng.
        changes: other settings.
    """
    course_utils.setup(seed)
    settings = BASE | VARIANTS[variant] | changes
    splits = splits or spa_eng.load()
    english, spanish = lesson.pairs_of(splits.train)
    vectorizer = SubwordVectorizer.train(english + spanish, settings["pieces"])
    data = lesson.encode_parts(vectorizer, splits)
    sizes = vectorizer.vocabulary_size, settings["embed_dim"], settings["units"]
    model = lesson.new_model(settings["attention"], sizes, seed)
    minutes, history = evidence.timed(
        lesson.train_model,
        model,
        data,
        settings["updates"],
        settings["tokens"],
        settings["peak"],
        seed,
        looks=1,
    )
    figures = {"processor_minutes": minutes}
    figures["validation_loss"] = history["val_nats"][-1]
    figures |= bleu_by_length(model, vectorizer, splits.test)
    figures["seen_nats"] = nats_of_long(model, data["train"])
    figures["new_nats"] = nats_of_long(model, data["test"])
    return {name: float(value) for name, value in figures.items()}


def bleu_by_length(model, vectorizer, rows):
    """Return BLEU of all sentences, of the long ones, and of each class of length."""
    english = [text for text, _ in rows]
    references = [texts for _, texts in rows]
    written = lesson.translate(model, vectorizer, english)
    pairs = zip(written, references, strict=True)
    counts = np.array([lesson.bleu_counts(text, own) for text, own in pairs])
    words = np.array([len(text.split()) for text in english])
    chosen = {"bleu": words > 0, "long_bleu": words > 8}
    for least in lesson.CLASSES:
        chosen[f"words_{least}"] = lesson.of_class(words, least)
    return {name: lesson.score(counts[own].sum(axis=0)) for name, own in chosen.items()}


def nats_of_long(model, sides):
    """Return the nats per token of the first pairs with more than ten source tokens."""
    pairs = zip(*sides, strict=True)
    long = [pair for pair in pairs if len(pair[0]) > 10][:3_000]
    loss = MaskedCrossEntropy()
    nats, tokens = [], []
    for inputs, labels in translation_batches(*zip(*long, strict=True), 8_192):
        nats.append(loss(labels, model(inputs)))
        tokens.append(np.count_nonzero(labels))
    return np.average(nats, weights=tokens)


if __name__ == "__main__":
    evidence.main("gru")

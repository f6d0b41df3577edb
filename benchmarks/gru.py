"""Translation with GRUs: room, time, or the choice that attention makes?

    python -m benchmarks.gru [--variant mean --seed 0]

All models are lesson 07's own, trained by its function; gru.toml says what each variant
changes. A number at the end of a name is another rate, in thousandths. BLEU is that of
the test part: of all of it, of sentences of nine words and more, and by classes of
length. Nats are those of pairs with more than ten source tokens, of which training has
seen the first ones.
"""

import numpy as np

import course_utils
from benchmarks import evidence, lesson_code
from course_utils.datasets import spa_eng
from course_utils.text import SubwordVectorizer

(VARIANTS, BASE), SEEDS = evidence.settings(__file__), (0, 1, 2)


def measure(variant, seed):
    """Train one variant; return its figures. Its minutes are those of the processor."""
    course_utils.setup(seed)
    lesson = lesson_code.definitions("07", "CLASSES", "batched", "tokenizer")
    settings, splits = {**BASE, **VARIANTS[variant]}, spa_eng.load()
    english, spanish = lesson["pairs_of"](splits.train)
    vectorizer = SubwordVectorizer.train(english + spanish, settings["pieces"])
    data = lesson["encode_parts"](vectorizer, splits)
    size = vectorizer.vocabulary_size, settings["embed_dim"], settings["units"]
    model = lesson["new_model"](lesson.get(settings["attention"]), size, seed)
    recipe = [settings[name] for name in ("updates", "tokens", "peak")]
    run = lesson["train_model"], model, data, *recipe, seed
    minutes, history = evidence.timed(*run, looks=1)
    last = history["val_nats"][-1]
    figures = {"processor_minutes": minutes, "validation_loss": last}
    english, references = zip(*splits.test, strict=True)
    written = lesson["translate"](model, vectorizer, english)
    counts = np.array([*map(lesson["bleu_counts"], written, references)])
    words = np.array([len(text.split()) for text in english])
    chosen = {"bleu": words > 0, "long_bleu": words > 8}
    for least in lesson["CLASSES"]:
        chosen[f"words_{least}"] = lesson["of_class"](words, least)
    for name, rows in chosen.items():
        figures[name] = lesson["score"](counts[rows].sum(axis=0))
    for name, part in ("seen_nats", "train"), ("new_nats", "test"):
        long = [pair for pair in zip(*data[part], strict=True) if len(pair[0]) > 10]
        rows = lesson["batched"](*zip(*long[:3_000], strict=True), 8_192)
        nats = [lesson["MaskedCrossEntropy"]()(y, model(x)) for x, y in rows]
        tokens = [np.count_nonzero(y) for _, y in rows]
        figures[name] = np.average(nats, weights=tokens)
    return {name: float(value) for name, value in figures.items()}


if __name__ == "__main__":
    evidence.main("gru")

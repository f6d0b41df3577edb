"""Guessing the next character: bits against the text that was read.

    python -m benchmarks.language [--variant gpt_8m_10 --seed 0]

All models are lesson 10's own: n-grams, an LSTM and a mini GPT, scored on the same test
reviews. Each variant is a training of its own, with its own fall of the rate; rates, n
and discounts are chosen on the validation reviews, for each amount. N-grams count whole
reviews from the stream's beginning, but the variant ngrams_cut counts the windows that
a network of its seed reads, end to end. A network reads its text once; the variants
again… read the stream's beginning four times. The first run prepares the text and keeps
it in build/. Minutes are those of the processor, without any scoring: for training, or
for counting n-grams up to the longest.
"""

import time

import numpy as np

import course_utils
from benchmarks import evidence, lesson_code
from benchmarks.imdb import stored
from course_utils.datasets import character_windows
from course_utils.text import CharacterVectorizer

(VARIANTS, BASE), SEEDS = evidence.settings(__file__), (0, 1, 2)


def prepared(scoring):
    """Return vectorizer, stream (N,) and windows of both held-out parts."""
    validation, test, train = character_windows.imdb_parts()
    vectorizer = CharacterVectorizer.train(train)
    ids = character_windows.stream(vectorizer.encode(train)).astype("uint8")
    sizes = BASE["length"], BASE["given"]
    held_out = (scoring(vectorizer, p, *sizes) for p in (validation, test))
    return vectorizer, ids, *held_out


def timed(tables, seconds):
    """Yield tables; note how long the making of each one takes."""
    start = time.process_time()
    for table in tables:
        seconds.append(time.process_time() - start)
        yield table
        start = time.process_time()


def counted(lesson, ids, vocab_size, held_out):
    """Return the bits of the validation and the test part, and more figures by name.

    Smoothed by Kneser and Ney, with the n and the discount that are best for the first
    part; witten_bell_bits are those of the test part without one, with their own n.
    """
    seconds, first = [], np.count_nonzero(held_out[0][1])
    both = [np.concatenate(x) for x in zip(*held_out, strict=True)]
    tables = timed(lesson["count"](ids, vocab_size, BASE["order"]), seconds)
    asked = vocab_size, BASE["order"], both, (*lesson["DISCOUNTS"], None)
    bits = lesson["ngram_bits"](tables, *asked)  # (discounts, order, R)
    row, n = lesson["best_of"](bits[:-1, :, :first])
    _, plain = lesson["best_of"](bits[-1:, :, :first])
    figures = {"characters": len(ids), "best_n": n + 1, "discount": asked[-1][row]}
    figures["witten_bell_bits"] = bits[-1, plain, first:].mean()
    return np.split(bits[row, n], [first]), sum(seconds) / 60, figures


def measure(variant, seed):
    """Count, or train a network; return the figures of a variant."""
    course_utils.setup(seed)
    lesson = lesson_code.definitions("10", "SIZES", "RECIPES", "RATES", "DISCOUNTS")
    kind, settings = variant.split("_")[0], dict(VARIANTS[variant])
    L, prepare = BASE["length"], lambda _: prepared(lesson["scoring"])
    vectorizer, ids, *held_out = stored("reviews", f"{L}_{BASE['given']}", prepare)
    characters = min(settings.pop("characters"), len(ids))
    text = settings.pop("text", len(ids))  # less than characters: read several times
    settings.pop("seeds", None)
    V, figures = vectorizer.vocabulary_size, {"characters": characters}
    if kind == "ngrams":
        if settings.pop("cut", False):
            cut = character_windows.training_batches(ids, L, 1, seed)
            cut = cut.take(characters // L).as_numpy_iterator()
            ids = np.concatenate([window for window, _ in cut], axis=None)
        read = ids[:characters].astype("int64")
        bits, minutes, figures = counted(lesson, read, V, held_out)
    else:
        recipe = {**lesson["RECIPES"][kind], **settings}
        if amount := recipe.pop("like", None):
            rows = evidence.load("language")
            recipe["peak"] = lesson["chosen"](rows, kind, amount) / 1000
        figures["peak"] = recipe["peak"]
        model = lesson["new_network"](kind, V, L, lesson["SIZES"][kind], seed)
        read = ids[:text].astype("int32"), characters, L
        run, plan = (lesson["train_network"], model, *read), {"seed": seed, "looks": 1}
        minutes, _ = evidence.timed(*run, **recipe, **plan)
        found = [lesson["log_probabilities"](model, *part) for part in held_out]
        bits = [-f[p[1] > 0] / np.log(2) for f, p in zip(found, held_out, strict=True)]
        figures["updates"] = model.optimizer.iterations
    if variant == "ngrams_all":  # the lesson compares it with the GPT, review by review
        of_review = lesson["by_review"](bits[1], *held_out[1])
        figures |= {f"review_{i}": value for i, value in enumerate(of_review)}
    places = lesson["by_place"](bits[1], vectorizer, *held_out[1])
    figures |= {"processor_minutes": minutes, "bits": bits[1].mean()}
    figures["validation_bits"] = bits[0].mean()
    figures |= {f"place_{k}": value for k, value in enumerate(places, start=1)}
    return {name: float(x) for name, x in figures.items()}


if __name__ == "__main__":
    evidence.main("language")

"""Guessing the next character: bits against the text that was read.

    python -m benchmarks.language [--arm gpt_8m --seed 0]

All models are lesson 13's own: n-grams, an LSTM and a mini GPT, scored on the same test
reviews. Each arm is a training of its own, with its own fall of the rate; n is chosen
on the validation reviews. The first run prepares the text and keeps it in build/.
Minutes are those of the processor: for training, or for counting with its scoring.
"""

import time

import numpy as np

import course_utils
from benchmarks import evidence, lesson_code
from benchmarks.imdb import stored
from course_utils.datasets import character_windows
from course_utils.text import CharacterVectorizer

(ARMS, BASE), SEEDS = evidence.settings(__file__), (0, 1, 2)


def prepared(scoring):
    """Return vectorizer, stream (N,) and windows of both held-out parts."""
    validation, test, train = character_windows.imdb_parts()
    vectorizer = CharacterVectorizer.train(train)
    ids = character_windows.stream(vectorizer.encode(train)).astype("uint8")
    sizes = BASE["length"], BASE["given"]
    held_out = (scoring(vectorizer, p, *sizes) for p in (validation, test))
    return vectorizer, ids, *held_out


def counted(lesson, ids, vocab_size, held_out):
    """Return the bits of both parts, with the n that is best for the first one."""
    order = BASE["order"]
    both = [np.concatenate(x) for x in zip(*held_out, strict=True)]
    tables = lesson["count"](ids, vocab_size, order)  # one table at a time
    bits = lesson["ngram_bits"](tables, vocab_size, order, both)
    first = np.count_nonzero(held_out[0][1])
    return np.split(bits[bits[:, :first].mean(axis=1).argmin()], [first])


def measure(arm, seed):
    """Count, or train a network; return the figures of an arm."""
    course_utils.setup(seed)
    lesson = lesson_code.definitions("13", "SIZES", "RECIPES")
    kind, settings = arm.split("_")[0], dict(ARMS[arm])
    vectorizer, ids, *held_out = stored(
        "reviews", 0, lambda _: prepared(lesson["scoring"])
    )
    characters = min(settings.pop("characters"), len(ids))
    settings.pop("seeds", None)
    V, start = vectorizer.vocabulary_size, time.process_time()
    if kind == "ngrams":
        bits = counted(lesson, ids[:characters].astype("int64"), V, held_out)
    else:
        recipe = {n: settings.pop(n, x) for n, x in lesson["RECIPES"][kind].items()}
        sizes = lesson["SIZES"][kind] | settings
        model = lesson["new_network"](kind, V, BASE["length"], sizes, seed)
        read = ids.astype("int32"), characters, BASE["length"]
        lesson["train_network"](model, *read, **recipe, seed=seed, looks=1)
    minutes = (time.process_time() - start) / 60
    if kind != "ngrams":
        found = [lesson["log_probabilities"](model, *part) for part in held_out]
        bits = [-f[p[1] > 0] / np.log(2) for f, p in zip(found, held_out, strict=True)]
    places = lesson["by_place"](bits[1], vectorizer, *held_out[1])
    figures = {"characters": characters, "processor_minutes": minutes}
    figures |= {"validation_bits": bits[0].mean(), "bits": bits[1].mean()}
    figures |= {f"place_{k}": value for k, value in enumerate(places, start=1)}
    return {f"language.{arm}.{name}": float(x) for name, x in figures.items()}


if __name__ == "__main__":
    evidence.main("language")

"""Guessing the next character: bits against the text that was read.

    python -m benchmarks.language [--variant gpt_8m_10 --seed 0]

N-grams, an LSTM and a mini GPT of lesson 10, scored on the same test reviews. Each
variant is a training of its own, with its own fall of the rate; rates, n and discounts
are chosen on the validation reviews, for each amount. N-grams count whole reviews from
the stream's beginning, but the variant ngrams_cut counts the windows that a network of
its seed reads, end to end. A network reads its text once; the variants again… read the
stream's beginning four times. The first run prepares the text and keeps it in build/.
Minutes are those of the processor, without any scoring: for training, or for counting
n-grams up to the longest.

A variant's name begins with the kind of model and ends with the rate in thousandths; a
variant with ``like`` takes the best rate of an amount. Run ``--seed 0`` first and look
whether a best rate stands at the edge of its grid; if so, add a rate to `RATES` in
`benchmarks.lessons.language`. Then run seeds 1 and 2.

Minutes on two cores: a GPT or an LSTM of 2 million characters takes about 2, of 8
million 5, of 32 million 18; counting all the text 5. In all: seed 0 about 80, seed 1
about 20, seed 2 about 42.
"""

import time

import numpy as np

import course_utils
from benchmarks import evidence
from benchmarks.imdb import stored
from benchmarks.lessons import language as lesson
from course_utils.datasets import character_windows
from course_utils.text import CharacterVectorizer

LENGTH = 256  # characters of a window
GIVEN = 64  # that are read again before those that are scored
ORDER = 9  # the longest n
MILLION = 1_000_000
SEEDS = (0, 1, 2)

# Small amounts get batches of fewer rows, or there would be a few dozen updates only.
AMOUNTS = {
    "125k": {"characters": 125_000},
    "500k": {"characters": 500_000},
    "2m": {"characters": 2 * MILLION},
    "8m": {"characters": 8 * MILLION},
}
ROWS = {"gpt": {"125k": 2, "500k": 4}, "lstm": {"125k": 4, "500k": 8}}


def at_rate(kind, amount, rate):
    """Return the settings of a network at a rate in thousandths, with seed 0."""
    settings = {**AMOUNTS[amount], "peak": rate / 1000, "seeds": [0]}
    if amount in ROWS[kind]:
        settings["rows"] = ROWS[kind][amount]
    return settings


def tuned_variants():
    """Return the variants that look for a rate, by name."""
    variants = {}
    for amount in ("2m", "8m", "500k", "125k"):
        for kind in ("gpt", "lstm"):
            for rate in lesson.RATES[kind][amount]:
                variants[f"{kind}_{amount}_{rate}"] = at_rate(kind, amount, rate)
    return variants


COUNTED = {
    "ngrams_125k": {"characters": 125_000},
    "ngrams_500k": {"characters": 500_000},
    "ngrams_2m": {"characters": 2 * MILLION},
    "ngrams_cut": {"characters": 2 * MILLION, "cut": True},
    "ngrams_8m": {"characters": 8 * MILLION},
    "ngrams_32m": {"characters": 32 * MILLION},
    "ngrams_all": {"characters": 1000 * MILLION},
}
TWO_MILLION = {"characters": 2 * MILLION}
EIGHT_MILLION = {"characters": 8 * MILLION}
ALL_BY_ADAM = {**TWO_MILLION, "exclude_layers": [""]}  # Adam moves these, not Muon
OUTPUT_BY_ADAM = {**TWO_MILLION, "exclude_layers": ["dense"]}
CONTROLS = {
    # As many updates as the GPT.
    "lstm_rows": {**TWO_MILLION, "rows": 8, "peak": 0.01},
    "lstm_output": {**OUTPUT_BY_ADAM, "peak": 0.01},
    "lstm_adam": {**ALL_BY_ADAM, "peak": 0.01},
    "lstm_adam_20": {**ALL_BY_ADAM, "peak": 0.02},
    "lstm_rows_20": {**TWO_MILLION, "rows": 8, "peak": 0.02},
    "lstm_rows_40": {**TWO_MILLION, "rows": 8, "peak": 0.04},
    "lstm_output_40": {**OUTPUT_BY_ADAM, "peak": 0.04},
    "lstm_adam_40": {**ALL_BY_ADAM, "peak": 0.04},
    "lstm_adam_80": {**ALL_BY_ADAM, "peak": 0.08},
    "lstm_adam_160": {**ALL_BY_ADAM, "peak": 0.16},
}
VARIANTS = {name: {**own, "seeds": [0]} for name, own in COUNTED.items()}
VARIANTS |= tuned_variants()
VARIANTS |= {name: {**own, "seeds": [0]} for name, own in CONTROLS.items()}
for _kind in ("gpt", "lstm"):
    VARIANTS |= {
        # ``text`` is read again and again.
        f"{_kind}_again500k": {
            **TWO_MILLION,
            "text": 500_000,
            "like": "2m",
            "seeds": [1],
        },
        f"{_kind}_again2m": {
            **EIGHT_MILLION,
            "text": 2 * MILLION,
            "like": "8m",
            "seeds": [1],
        },
        # The first seed of these stands above; 32 million have one seed, the last.
        f"{_kind}_2m": {**TWO_MILLION, "like": "2m", "seeds": [1, 2]},
        f"{_kind}_32m": {"characters": 32 * MILLION, "like": "8m", "seeds": [2]},
    }


def prepared(_=None):
    """Return vectorizer, stream (N,) and windows of both held-out parts."""
    validation, test, train = character_windows.imdb_parts()
    vectorizer = CharacterVectorizer.train(train)
    ids = character_windows.stream(vectorizer.encode(train)).astype("uint8")
    held_out = [
        lesson.scoring(vectorizer, part, LENGTH, GIVEN) for part in (validation, test)
    ]
    return vectorizer, ids, *held_out


def timed(tables, seconds):
    """Yield tables; note how long the making of each one takes."""
    start = time.process_time()
    for table in tables:
        seconds.append(time.process_time() - start)
        yield table
        start = time.process_time()


def count(ids, vocab_size, held_out, order=ORDER):
    """Return the bits of the validation and the test part, minutes, and figures.

    Smoothed by Kneser and Ney, with the n and the discount that are best for the first
    part; witten_bell_bits are those of the test part without one, with their own n.
    """
    seconds = []
    first = np.count_nonzero(held_out[0][1])  # scored characters of the first part
    both = [np.concatenate(arrays) for arrays in zip(*held_out, strict=True)]
    tables = timed(lesson.count(ids, vocab_size, order), seconds)
    discounts = (*lesson.DISCOUNTS, None)
    # (discounts, order, R)
    bits = lesson.ngram_bits(tables, vocab_size, order, both, discounts)
    row, n = lesson.best_of(bits[:-1, :, :first])
    _, plain = lesson.best_of(bits[-1:, :, :first])
    figures = {
        "characters": len(ids),
        "best_n": n + 1,
        "discount": discounts[row],
        "witten_bell_bits": bits[-1, plain, first:].mean(),
    }
    return np.split(bits[row, n], [first]), sum(seconds) / 60, figures


def count_variant(settings, vectorizer, ids, held_out, seed, length):
    """Count the n-grams of a variant; return bits, minutes and figures."""
    if settings.get("cut"):
        windows = character_windows.training_batches(ids, length, 1, seed)
        windows = windows.take(settings["characters"] // length)
        read = [window for window, _ in windows.as_numpy_iterator()]
        ids = np.concatenate(read, axis=None)
    read = ids[: settings["characters"]].astype("int64")
    return count(read, vectorizer.vocabulary_size, held_out)


def train_variant(kind, settings, vectorizer, ids, held_out, seed, length):
    """Train the network of a variant; return bits, minutes and figures."""
    options = {"rows", "peak", "adam_ratio", "exclude_layers"}
    given = {name: value for name, value in settings.items() if name in options}
    recipe = lesson.RECIPES[kind] | given
    if "like" in settings:
        rows = evidence.load("language")
        recipe["peak"] = lesson.chosen(rows, kind, settings["like"]) / 1000
    sizes = lesson.SIZES[kind]
    model = lesson.new_network(kind, vectorizer.vocabulary_size, length, sizes, seed)
    characters = min(settings["characters"], len(ids))
    text = ids[: settings.get("text", len(ids))].astype("int32")
    minutes, _ = evidence.timed(
        lesson.train_network,
        model,
        text,
        characters,
        length,
        **recipe,
        seed=seed,
        looks=1,
    )
    bits = []
    for inputs, targets in held_out:
        log_probabilities = lesson.log_probabilities(model, inputs, targets)
        bits.append(-log_probabilities[targets > 0] / np.log(2))
    figures = {
        "characters": characters,
        "peak": recipe["peak"],
        "updates": model.optimizer.iterations,
    }
    return bits, minutes, figures


def measure(variant, seed, material=None, length=LENGTH, **changes):
    """Count, or train a network; return the figures of a variant.

    Args:
        material: what `prepared` returns; None makes it once, and keeps it.
        length: characters of a window.
        changes: other settings.
    """
    course_utils.setup(seed)
    kind = variant.split("_")[0]
    settings = VARIANTS[variant] | changes
    material = material or stored("reviews", f"{LENGTH}_{GIVEN}", prepared)
    vectorizer, ids, *held_out = material
    about = settings, vectorizer, ids, held_out, seed, length
    if kind == "ngrams":
        bits, minutes, figures = count_variant(*about)
    else:
        bits, minutes, figures = train_variant(kind, *about)
    on_validation, on_test = bits
    if variant == "ngrams_all":  # the lesson compares it with the GPT by review
        for i, value in enumerate(lesson.by_review(on_test, *held_out[1])):
            figures[f"review_{i}"] = value
    places = lesson.by_place(on_test, vectorizer, *held_out[1])
    figures["processor_minutes"] = minutes
    figures["bits"] = on_test.mean()
    figures["validation_bits"] = on_validation.mean()
    for place, value in enumerate(places, start=1):
        figures[f"place_{place}"] = value
    return {name: float(value) for name, value in figures.items()}


if __name__ == "__main__":
    evidence.main("language")

"""Further sentence pairs, of which a translator writes one side.

A model that knows both directions reads the training pairs and writes each side anew.
English of its own for real Spanish is back-translation (Sennrich et al., 2016); Spanish
of its own for real English is what a student learns from its teacher (Kim and Rush,
2016). Nguyen et al. (2020) add both to the real pairs.
"""

import numpy as np

from course_utils.datasets.spa_eng import key
from course_utils.generation.fast_search import fast_sample_search
from course_utils.seq2seq.translator import length_before_end
from course_utils.text.text_model import batch_by_length

BATCH_SIZE = 256


def write_pairs(translator, splits, temperature, seed):
    """Return rows like those of the training part, of which one side is written.

    English is drawn, so that it varies; Spanish is the best of four beams. What is
    empty, stands in the training part already, or has the English of a validation or
    test sentence, is left out.

    Args:
        translator: a ``Translator`` from English to Spanish and back.
        splits: `Splits` of sentence pairs.
        temperature: of the drawn English, see ``sample_search``.
        seed: of what is drawn.
    Returns:
        A list of `(english, [spanish])`.
    """
    english = [source for source, _ in splits.train]
    spanish = [target for _, several in splits.train for target in several]
    drawn = draw_translations(translator, spanish, temperature, seed)
    beams = translator.translate(english, method="beam")
    written = [*zip(drawn, spanish, strict=True), *zip(english, beams, strict=True)]
    return [(source, [target]) for source, target in without_known(written, splits)]


def without_known(pairs, splits):
    """Return the pairs that are new, each once.

    Args:
        pairs: list of `(english, spanish)`.
        splits: `Splits`; the English of its validation and test part is left out.
    """
    held_out = {key(source) for source, _ in splits.validation + splits.test}
    known = {
        (key(source), target) for source, several in splits.train for target in several
    }
    found = []
    for source, target in pairs:
        pair = key(source), target
        if not all(pair) or pair in known or pair[0] in held_out:
            continue
        known.add(pair)
        found.append((source, target))
    return found


def draw_translations(translator, texts, temperature, seed):
    """Return a drawn translation of each text.

    Args:
        translator: a ``Translator``.
        texts: list of N strings.
        temperature: see ``sample_search``.
        seed: whole number; each batch has its own draws.
    """
    sources = translator.encode_texts(texts)
    longest = translator.transformer.sequence_length
    rng = np.random.default_rng(seed)
    found = [None] * len(texts)
    for indices, batch in batch_by_length(sources, BATCH_SIZE):
        limits = [min(longest, 2 * len(sources[i]) + 8) for i in indices]
        drawn = fast_sample_search(
            translator.transformer,
            batch,
            limits,
            temperature,
            seed=int(rng.integers(2**31)),
        )
        ids = [row[: length_before_end(row)].tolist() for row in drawn]
        for i, text in zip(indices, translator.vectorizer.decode(ids), strict=True):
            found[i] = text
    return found

"""Writes the pairs of `course_utils.datasets.phrasebook`, which says what they show."""

import random

from course_utils.datasets.phrasebook import SIZES
from course_utils.datasets.spa_eng import key
from tools.corpora import common
from tools.corpora.phrasebook_grammar import Grammar

HEADER = common.header(
    "split, English, Spanish, aligned words (English-Spanish, from 0)"
)


def generate(seed=common.SEED, sizes=None):
    """Generate the corpus; the same seed gives the same rows on every machine.

    Args:
        seed: an integer.
        sizes: a dict from "train", "validation" and "test" to numbers of pairs.

    Returns:
        A list of `(split, english, spanish, links)`, all strings.
    """
    rng = random.Random(seed)
    grammar = Grammar(rng)
    sizes = SIZES if sizes is None else sizes
    parts = {name: [] for name in sizes}
    seen = set()
    while any(len(parts[name]) < size for name, size in sizes.items()):
        sentence = grammar.sentence()
        split = "test" if sentence.held_out else "train"
        if split == "train" and rng.random() < 0.07:
            split = "validation"
        sides = {("english", key(sentence.english)), ("spanish", key(sentence.spanish))}
        if len(parts[split]) >= sizes[split] or sides & seen:
            continue
        seen |= sides
        links = " ".join(f"{i}-{j}" for i, j in sentence.links)
        parts[split].append((split, sentence.english, sentence.spanish, links))
    return [row for part in parts.values() for row in part]

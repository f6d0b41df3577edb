"""Writes the sentences of `course_utils.datasets.senses`, which says what they show."""

import random

from course_utils.datasets.senses import LINKS, SIZES
from tools.corpora import common

HEADER = common.header('split, word ("-" = none), its sense, a text')

# In training: sentences of each sense's neighbour, and of people.
NEIGHBOURS = 350
PEOPLE = 1_200
FRACTIONS = {"train": 0.7, "validation": 0.1, "test": 0.2}  # of all parts with the word
OWN = {"far_train": range(5), "far_validation": range(5, 6), "far_test": range(6, 8)}

WORDS = common.words("senses")
SENSES = WORDS["senses"]
NAMES = [name for pair in WORDS["pairs"] for name in pair[:2]]


def generate(seed=common.SEED, sizes=None):
    """Generate the corpus; the same seed gives the same rows on every machine.

    Args:
        seed: an integer.
        sizes: a dict from split to its number of sentences for each sense.

    Returns:
        A list of `(split, word, sense, text)`, all strings; all texts differ.
    """
    rng = random.Random(seed)
    sizes = SIZES if sizes is None else sizes
    seen, rows = set(), []
    for split, size in sizes.items():
        part = []
        for sense, (word, neighbour, *_) in SENSES.items():
            part += _several(rng, seen, split, size, sense, word)
            if split.endswith("train"):
                count = size * NEIGHBOURS // SIZES["train"]
                part += _several(rng, seen, split, count, sense, neighbour)
        if split == "train":
            count = size * PEOPLE // SIZES["train"]
            part += _new(seen, count, lambda n: ("train", "-", "-", people(rng)))
        rng.shuffle(part)
        rows += part
    return rows


def sentence(rng, sense, word, split, two_parts):
    """Write a sentence with a word in a sense, for one split.

    Args:
        rng: a `random.Random`.
        sense: "river", "money", "fruit" or "day".
        word: what stands in the place that the sense decides.
        split: the part with the word is one that stands in this split only.
        two_parts: whether a part about the other sense is added.
    """
    while True:
        frame = fill(rng, rng.choice(WORDS["patterns"][sense]))
        if split_of(frame) == split:
            break
    main = frame.replace("X", word)
    if two_parts:
        main = join(rng, main, SENSES[sense][2])
    return f"{main[0].upper()}{main[1:]}."


def far(rng, sense, word, split):
    """Write a sentence in which what the same owner has decides the sense of a word."""
    owner, other = rng.sample(range(len(NAMES)), 2)
    parts = [(owner, word)]
    for who, its_sense in (owner, sense), (other, SENSES[sense][2]):
        things = WORDS["things"][its_sense]
        parts.append((who, things[(who + rng.choice(OWN[split])) % len(things)]))
    one, two, three = (
        f"the {NAMES[who]}'s {thing} {rng.choice(WORDS['ends'])}"
        for who, thing in rng.sample(parts, 3)
    )
    return f"{one[0].upper()}{one[1:]}, {two}, and {three}."


def join(rng, main, sense):
    """Add a second part of a sense, before or after, without its word."""
    part = fill(rng, rng.choice(WORDS["patterns"][sense]))
    part = f"{rng.choice(LINKS)} {part.replace('X', SENSES[sense][3])}"
    return f"{main} {part}" if rng.random() < 0.5 else f"{part}, {main}"


def split_of(frame):
    """Return the split in which a part with the place X may stand.

    Example:
        >>> split_of("the king owed the X gold")
        'train'
    """
    return common.split_of(frame, FRACTIONS)


def fill(rng, template):
    """Put words into the slots of a pattern."""
    who = f"the {rng.choice(NAMES)}"
    words = {slot: rng.choice(choices) for slot, choices in WORDS["slots"].items()}
    return template.format(person=who, **words)


def people(rng):
    """Write a sentence about a man or a woman, with the pronouns that fit."""
    man, woman, thing, place = rng.choice(WORDS["pairs"])
    who, pronouns = rng.choice(tuple(zip((man, woman), WORDS["pronouns"], strict=True)))
    text = rng.choice(WORDS["about_people"]).format(
        who=who, thing=thing, place=place, **pronouns
    )
    if rng.random() < 0.7:
        text = join(rng, text, rng.choice(tuple(SENSES)))
    return f"{text[0].upper()}{text[1:]}."


def _several(rng, seen, split, count, sense, word):
    """Return `count` new rows of one sense."""

    def make(number):
        if split in OWN:
            return split, word, sense, far(rng, sense, word, split)
        return split, word, sense, sentence(rng, sense, word, split, number % 2 == 1)

    return _new(seen, count, make)


def _new(seen, count, make):
    """Call `make(number of rows so far)` until `count` rows have new texts."""
    rows, tries = [], 0
    while len(rows) < count:
        row, tries = make(len(rows)), tries + 1
        if tries > 1_000 * count:
            raise ValueError(f"There are fewer than {count} different rows like {row}.")
        if row[-1] not in seen:
            seen.add(row[-1])
            rows.append(row)
    return rows

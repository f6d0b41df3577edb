"""Writes the notes of `course_utils.datasets.notes`, which says what they show."""

import itertools
import random

from course_utils.datasets.notes import KINDS, SIZES
from tools.corpora import common

HEADER = common.header(
    "split, note, a tag for each token, two questions with the answer's two ends"
)
WORDS = common.words("notes")


def generate(seed=common.SEED, sizes=None):
    """Generate the corpus; the same seed gives the same rows on every machine.

    Args:
        seed: an integer.
        sizes: a dict from split to its number of notes.

    Returns:
        A list of `(split, note, tags, questions)`, all strings; all notes differ.
    """
    rng, seen, rows = random.Random(seed), set(), []
    for split, size in (SIZES if sizes is None else sizes).items():
        end = len(rows) + size
        while len(rows) < end:
            row = (split, *note(rng, split))
            if row[1] not in seen:
                seen.add(row[1])
                rows.append(row)
    return rows


def note(rng, split):
    """Write a note for one split: its text, its tags and its two questions."""
    people, others = rng.sample(WORDS["names"], 2), list(WORDS["names"])
    kinds, facts = rng.sample(KINDS[1:], 2), []  # the first one is asked about
    for kind, person in itertools.product(kinds, people):
        left = [name for name in others if name not in people]
        left = [x for x in left if split_of(f"{person} {x}") == split]
        if kind == kinds[0] and split != "train":
            paired = {x: [split_of(f"{one} {x}") for one in people] for x in left}
            left = [x for x in left if "train" not in paired[x]]
        if not left:
            return note(rng, split)
        facts.append({"kind": kind, "{p}": person, "{x}": rng.choice(left)})
        others.remove(facts[-1]["{x}"])
    # Every second name has a word before it, the same one in the whole note.
    called = {
        name: [rng.choice(WORDS["before"]), name][rng.randrange(2) :]
        for name in (*people, *(fact["{x}"] for fact in facts))
    }
    tokens, tags, places = [], [], {}
    for fact in rng.sample(facts, 4):
        for word in rng.choice(WORDS["patterns"][fact["kind"]]).split():
            own = called.get(fact.get(word), [word])
            if word in fact:
                kind = "person" if word == "{p}" else fact["kind"]
                tags += [f"B-{kind}", f"I-{kind}"][: len(own)]
                ends = f"{len(tokens)} {len(tokens) + len(own) - 1}"
                places[fact["kind"], fact[word]] = ends
            else:
                tags.append("O")
            tokens += own
    kind, side, asked = kinds[0], rng.randrange(2), []
    for fact in rng.sample([fact for fact in facts if fact["kind"] == kind], 2):
        words = {key: " ".join(called[fact[f"{{{key}}}"]]) for key in "px"}
        question = WORDS["questions"][kind][side].format(**words)
        answer = fact["{x}" if side == 0 else "{p}"]
        asked.append(f"{question} {places[kind, answer]}")
    return " ".join(tokens), " ".join(tags), " / ".join(asked)


def split_of(pair):
    """Return the split that may say that a person and a town or firm belong together.

    Example:
        >>> split_of("Jackson Charlotte")
        'train'
    """
    return common.split_of(pair, WORDS["fractions"])

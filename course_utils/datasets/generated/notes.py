"""Notes about two people, their towns and firms, with questions, answers and entities.

Each note has four sentences in a random order: two people, each with a town and a firm.
A name is a person, a town or a firm, and only its sentence tells: the words beside a
name are the same for towns and for firms. Each note has two questions, which differ in
one name only. So of what doesn't read the question, one answer in two is right at most;
what reads everything can have all.

No pair of a person and a town or a firm stands in two splits: in the test part every
fact is new. Outside of training, neither of the two towns (or firms) that are asked
about was ever paired in training with either person. So knowing which pairs are true
there tells nothing about which are true here. Positions count the tokens of a note from
0, and both ends belong to the answer.

Example:
    >>> from course_utils.datasets import notes
    >>> note = notes.load("test")[0]
    >>> len(note.tokens) == len(note.tags), len(note.questions)
    (True, 2)
"""

import collections
import itertools
import random

from course_utils.datasets import embedded

FILE = "notes.tsv"
SEED = 0
COLUMNS = "split, note, a tag for each token, two questions with the answer's two ends"
HEADER = embedded.header(SEED, COLUMNS)
SIZES = {"train": 2_500, "validation": 250, "test": 500}
KINDS = "person", "town", "firm"
TAGS = ["O", *(f"{place}-{kind}" for kind in KINDS for place in "BI")]

WORDS = embedded.words("notes")

Note = collections.namedtuple("Note", "tokens tags questions")
Question = collections.namedtuple("Question", "tokens first last")


def load(split):
    """Load the notes of one split, in a fixed shuffled order.

    Args:
        split: "train" (2,500 notes), "validation" (250) or "test" (500).

    Returns:
        A list of `Note(tokens, tags, questions)`: lists of strings, of the same length,
        and two `Question(tokens, first, last)`.

    Raises:
        ValueError: there is no such split.
    """
    embedded.check_split("notes.load", split, SIZES)
    notes = []
    for text, tags, both in embedded.rows(FILE, HEADER, generate, split):
        asked = [question.split() for question in both.split(" / ")]
        asked = [Question(words, int(a), int(b)) for *words, a, b in asked]
        notes.append(Note(text.split(), tags.split(), asked))
    return notes


def generate(seed=SEED, sizes=None):
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
    return embedded.split_of(pair, WORDS["fractions"])

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

from course_utils.datasets import bundled

SIZES = {"train": 2_500, "validation": 250, "test": 500}
KINDS = "person", "town", "firm"
TAGS = ["O", *(f"{place}-{kind}" for kind in KINDS for place in "BI")]

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
    bundled.check_split("notes.load", split, SIZES)
    notes = []
    for text, tags, both in bundled.rows("notes", split):
        asked = [question.split() for question in both.split(" / ")]
        asked = [Question(words, int(a), int(b)) for *words, a, b in asked]
        notes.append(Note(text.split(), tags.split(), asked))
    return notes

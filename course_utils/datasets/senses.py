"""Sentences in which *bank* and *date* have two senses each, with the sense known.

In the near sentences, the part of the sentence in which the word stands decides its
sense. Every second one has a second part, which speaks of the other sense about a
"place" or a "thing": "As the queen borrowed gold from the place, the king fished from
the bank." The same words can be put together the other way round, so what only counts
words is right on these about once in two times, and on about 75 % of all at best.
No part with the ambiguous word stands in two splits.

In the far sentences, the sense is that of the other thing of the same owner, wherever
it stands: "The queen's gold came first, the king's boat remained there, and the queen's
bank changed hands twice." Which of the things stands nearer to the word is chance. No
owner has the same thing in two splits, and in each split every owner has as many things
of one sense as of another.

Training also has sentences with a neighbour of each sense (*shore*, *lender*, *fig*,
*deadline*), and near sentences about people (*king*, *queen*), for analogies.

Example:
    >>> from course_utils.datasets import senses
    >>> rows = senses.load("test")
    >>> len(rows), sorted({(row.word, row.sense) for row in rows})[:2]
    (600, [('bank', 'money'), ('bank', 'river')])
"""

import collections

from course_utils.datasets import bundled

# Sentences of each sense in a split.
SIZES = {"train": 700, "validation": 100, "test": 150}
SIZES |= {f"far_{split}": size for split, size in SIZES.items()}
# The words that join the two parts of a near sentence.
LINKS = ("as", "while", "since", "because")

Occurrence = collections.namedtuple("Occurrence", "text word sense")


def load(split):
    """Load the sentences of one split, in a fixed shuffled order.

    Args:
        split: "train" (5,400 sentences), "validation" (400) or "test" (600) for near
            sentences, "far_train" (4,200), "far_validation" or "far_test" for far ones.

    Returns:
        A list of `Occurrence(text, word, sense)`; the word stands once in the text.
        In training the word can also be a neighbour such as "shore", or "-" with the
        sense "-" in a sentence about people.

    Raises:
        ValueError: there is no such split.
    """
    bundled.check_split("senses.load", split, SIZES)
    rows = bundled.rows("senses", split)
    return [Occurrence(text, word, sense) for word, sense, text in rows]

"""English–Spanish sentences from a grammar that writes both sides at once.

The grammar knows which words translate each other, so every pair comes with gold
word alignments. It covers what makes Spanish differ from English: agreement,
adjectives after nouns, clitic pronouns before the verb, dropped subjects, the personal
`a`, `al` and `del`, negation, ¿questions?, ser and estar, three tenses.

Some combinations of an adjective with a noun, and of a verb with its object, stand in
test sentences only: each test sentence holds at least one, each of its words is known.

Example:
    >>> from course_utils.datasets import phrasebook
    >>> corpus = phrasebook.load()
    >>> len(corpus.train), len(corpus.validation), len(corpus.test)
    (20000, 1500, 2500)
"""

import re

from course_utils.datasets import bundled
from course_utils.datasets.spa_eng import Splits

SIZES = {"train": 20_000, "validation": 1_500, "test": 2_500}
TOKEN = re.compile(r"\w+(?:'\w+)*|[^\w\s]")


def load():
    """Load the pairs. An English sentence has one reference, and the reverse.

    Returns:
        `Splits(train, validation, test)`, each a list of `(english, [spanish])`.
    """
    parts = {name: [] for name in SIZES}
    for split, english, spanish, _ in bundled.rows("phrasebook"):
        parts[split].append((english, [spanish]))
    return Splits(**parts)


def alignments(split):
    """Load the tokens of each pair and the gold links between them.

    Function words that the other language lacks, such as the personal `a`, have no
    link. A word may have several: "I will read" is one word in Spanish.

    Args:
        split: "train", "validation" or "test".

    Returns:
        A list of `(english_tokens, spanish_tokens, links)` in the order of `load()`;
        a link `(i, j)` joins `english_tokens[i]` and `spanish_tokens[j]`.

    Raises:
        ValueError: there is no such split.
    """
    bundled.check_split("phrasebook.alignments", split, SIZES)
    return [
        (tokenize(english), tokenize(spanish), _links(links))
        for english, spanish, links in bundled.rows("phrasebook", split)
    ]


def tokenize(text):
    """Split a sentence into words and punctuation signs.

    Example:
        >>> tokenize("I don't see it. ¿Por qué?")
        ['I', "don't", 'see', 'it', '.', '¿', 'Por', 'qué', '?']
    """
    return TOKEN.findall(text)


def _links(text):
    return [tuple(map(int, link.split("-"))) for link in text.split()]

"""Lines of written dates and their canonical form, generated in memory from a seed.

A line holds one to four dates as people write them. The task is to write each of them
as year, month and day:

    the third of May 1987; Sunday, 14 March 2004  ->  1987-05-03 2004-03-14

The year comes last on the left in most styles and first on the right, so a model has
to reorder; and a line of four dates has about four times the tokens of a line of one,
so a model that squeezes a line into one vector shows its limit. The generator knows
which token gives which, so each line comes with gold alignments.

Every date of the calendar belongs to one split only: no date of a test line stands in
a training line, in whatever style.

Example:
    >>> from course_utils.datasets import dates
    >>> dates.tokenize("the third of May 1987")
    ['▁the', '▁third', '▁of', '▁May', '▁19', '87']
    >>> dates.tokenize("1987-05-03")
    ['▁19', '87', '-05', '-03']
"""

import datetime
import functools
import random
import re
from typing import NamedTuple

from course_utils.datasets import bundled
from course_utils.datasets.spa_eng import Splits

SEED = 0
SIZES = {"train": 20_000, "validation": 1_000, "test": 2_000}
# Of the dates of the calendar.
FRACTIONS = {"train": 0.8, "validation": 0.1, "test": 0.1}
MOST_DATES = 4
FIRST = datetime.date(1900, 1, 1)
LAST = datetime.date(2049, 12, 31)

# A piece of a number (at most two digits), a word, or a sign; "▁" is a space before it.
PATTERN = r"▁?-?\d{1,2}|▁?-?[^\W\d_]+|▁?[^\w\s▁]"

WORDS = bundled.words("dates")
MONTHS = WORDS["months"]
ORDINALS = WORDS["ordinals"]
STYLES = WORDS["styles"]
# The positions among a canonical date's four tokens that each part gives.
POSITIONS = {"month": [2], "month_number": [2], "day": [3], "ordinal": [3]}


class Line(NamedTuple):
    """One example: both texts and the links (written token, canonical token)."""

    written: str
    canonical: str
    links: tuple


def load(sizes=None, seed=SEED):
    """Load the lines; a written line has one reference.

    Args:
        sizes: a dict from "train", "validation" and "test" to numbers of lines; None
            takes `SIZES`.
        seed: an integer.
    Returns:
        `Splits(train, validation, test)`, each a list of `(written, [canonical])`.
    Raises:
        ValueError: for an unknown split or a number of lines below 1.

    Example:
        >>> corpus = load({"train": 3, "validation": 1, "test": 1})
        >>> len(corpus.train)
        3
    """
    lines = _lines(seed, _checked(sizes))
    return Splits(
        **{
            split: [(line.written, [line.canonical]) for line in lines[split]]
            for split in SIZES
        }
    )


def alignments(split, sizes=None, seed=SEED):
    """Load the tokens of each line and the gold links between them.

    Args:
        split: "train", "validation" or "test".
        sizes, seed: as for `load`; the lines come in its order.
    Returns:
        A list of `(written_tokens, canonical_tokens, links)`; a link `(i, j)` says
        that the written token i gives the canonical token j. Weekdays, "the", "of"
        and signs have no link; "twenty-first" gives two links to one token.
    Raises:
        ValueError: there is no such split, or `sizes` is wrong.
    """
    bundled.check_split("dates.alignments", split, SIZES)
    return [
        (tokenize(line.written), tokenize(line.canonical), list(line.links))
        for line in _lines(seed, _checked(sizes))[split]
    ]


def tokenize(text):
    """Split a text into words, signs and pieces of numbers.

    A space belongs to the token after it and is written "▁", also at the start.

    Example:
        >>> tokenize("the twenty-first of May")
        ['▁the', '▁twenty', '-first', '▁of', '▁May']
        >>> tokenize("")
        []
    """
    words = text.split()
    return re.findall(PATTERN, "▁" + "▁".join(words)) if words else []


def write(date, style):
    """Write a date in one style, and say which token gives which.

    Args:
        date: a `datetime.date`.
        style: an index of `STYLES`.
    Returns:
        A `Line` of one date.

    Example:
        >>> write(datetime.date(1987, 5, 3), 1)
        Line(written='May 3, 1987', canonical='1987-05-03',
             links=((0, 2), (1, 3), (3, 0), (4, 1)))
    """
    parts = {
        "day": str(date.day),
        "ordinal": ordinal(date.day),
        "month": MONTHS[date.month - 1],
        "month_number": str(date.month),
        "year": str(date.year),
        "weekday": WORDS["weekdays"][date.weekday()],
    }
    text, links, count = "", [], 0
    for piece in STYLES[style]:
        field = piece.strip(" {}")
        piece = piece.format(**parts)
        text += piece
        new = len(tokenize(piece))
        if field == "year":
            links += [(count, 0), (count + 1, 1)]
        links += [(count + i, j) for j in POSITIONS.get(field, ()) for i in range(new)]
        count += new
    return Line(text, date.isoformat(), tuple(links))


def ordinal(number):
    """Write a number from 1 to 31 as an English ordinal.

    Example:
        >>> ordinal(3), ordinal(21), ordinal(30)
        ('third', 'twenty-first', 'thirtieth')
    """
    if number <= 20:
        return ORDINALS[number - 1]
    if number == 30:
        return "thirtieth"
    tens = "twenty" if number < 30 else "thirty"
    return f"{tens}-{ORDINALS[number % 10 - 1]}"


def _join(lines):
    """Join lines of one date each into one line."""
    written, links, left, right = "; ".join(line.written for line in lines), [], 0, 0
    for line in lines:
        links += [(i + left, j + right) for i, j in line.links]
        left += len(tokenize(line.written)) + 1  # the sign between two dates
        right += len(tokenize(line.canonical))
    return Line(written, " ".join(line.canonical for line in lines), tuple(links))


def _checked(sizes):
    """Return the sizes as a tuple of pairs, or raise a ValueError."""
    sizes = SIZES if sizes is None else sizes
    if set(sizes) != set(SIZES) or min(sizes.values()) < 1:
        raise ValueError(
            f"dates: sizes is {sizes}; it must give a number of lines, at least 1, for "
            f"each of {tuple(SIZES)}."
        )
    return tuple((split, int(sizes[split])) for split in SIZES)


@functools.lru_cache(maxsize=4)
def _lines(seed, sizes):
    """Generate all lines; the same seed gives the same lines on every machine."""
    rng = random.Random(seed)
    calendar = list(range(FIRST.toordinal(), LAST.toordinal() + 1))
    rng.shuffle(calendar)
    lines, seen, start = {}, set(), 0
    for split, size in sizes:
        end = start + int(FRACTIONS[split] * len(calendar))
        days, lines[split] = calendar[start:end], []
        while len(lines[split]) < size:
            number = rng.randint(1, MOST_DATES)
            line = _join([_random_date(rng, days) for _ in range(number)])
            if line.written not in seen:
                seen.add(line.written)
                lines[split].append(line)
        start = end
    return lines


def _random_date(rng, days):
    date = datetime.date.fromordinal(rng.choice(days))
    return write(date, rng.randrange(len(STYLES)))

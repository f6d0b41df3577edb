"""The glossary: a table in Markdown, to which the lessons' pages link.

    | Term | Symbol | Meaning | Lesson | Code |
    |---|---|---|---|---|
    | <a id="term-mask"></a>mask, masks | | True = attend | [04](x.ipynb) | [a.py](a) |

The first column holds the anchor and the forms of the term that a text may use.
"""

import re
import typing

_ANCHOR = re.compile(r'<a id="([^"]+)"></a>')


class Entry(typing.NamedTuple):
    """One row of the glossary."""

    anchor: str
    forms: tuple
    symbol: str
    meaning: str
    lesson: str
    code: str


def read(text):
    """Return the entries of the table in a text.

    Example:
        >>> row = '| <a id="term-mask"></a>mask, masks | | True = attend | [04](x) | |'
        >>> read(row)[0].anchor, read(row)[0].forms
        ('term-mask', ('mask', 'masks'))
    """
    entries = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip()[1:-1].split("|")]
        anchor = _ANCHOR.match(cells[0])
        if anchor is None or len(cells) != 5:
            continue
        forms = tuple(form.strip() for form in cells[0][anchor.end() :].split(","))
        entries.append(Entry(anchor[1], forms, *cells[1:]))
    return entries


def names(entries):
    """Return the entry of each form."""
    return {form: entry for entry in entries for form in entry.forms}


def first_mention(text, waiting):
    """Return (start, end, entry) of the first term in a text, or None.

    Where several begin at the same place, the longest counts.

    Args:
        text: plain text.
        waiting: dict from a form of a term to its entry.
    """
    if not waiting:
        return None
    longest_first = sorted(waiting, key=len, reverse=True)
    forms = "|".join(re.escape(form) for form in longest_first)
    found = re.search(rf"(?<![\w-])(?:{forms})(?![\w-])", text, re.IGNORECASE)
    if found is None:
        return None
    by_small = {form.lower(): entry for form, entry in waiting.items()}
    return found.start(), found.end(), by_small[found.group().lower()]

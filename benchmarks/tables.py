"""The tables of benchmarks/README.md, written from results.json."""

import itertools
import statistics
from operator import itemgetter
from pathlib import Path

from tools import texts

PAGE = Path(__file__).with_suffix(".jinja")  # the tables' forms
TABLES = "blocks", "decoding"
CASE = itemgetter("kind", "mode", "dtype", "length")


def middle(turns, digits=0):
    """Return the median of all turns with the smallest and the largest one."""
    low, high = (f"{value:,.{digits}f}" for value in (min(turns), max(turns)))
    return f"{statistics.median(turns):,.{digits}f} ({low}–{high})"


def ratio(turns, others):
    """Return the median of the ratios of turns that followed each other."""
    return statistics.median(a / b for a, b in zip(turns, others, strict=True))


def cases(rows):
    """Yield each case of the blocks: kind, mode, numbers and length, and its peers."""
    for case, found in itertools.groupby(rows, CASE):
        yield case, {row["peer"]: row for row in found}


def table(name, rows):
    """Return the table of one section in Markdown."""
    of_turns = dict(median=statistics.median, middle=middle, ratio=ratio)
    forms = texts.template(PAGE, **of_turns, cases=cases, shown=format).module
    return getattr(forms, name)(rows).strip()


def section(name, results):
    """Return the table of one section and the circumstances of its run."""
    found = results.get(name)
    if found is None:
        return "*Not measured yet.*"
    versions = ", ".join(f"{key} {value}" for key, value in found["versions"].items())
    return (
        f"{table(name, found['rows'])}\n\n"
        f"*{found['date']}, {found['hardware']}; {versions}; data: {found['data']}.*"
    )


def fill(text, results):
    """Return the README's text with every section's table between its marks."""
    for name in TABLES:
        text = texts.replace_between(text, name, section(name, results))
    return text

"""Sentence pairs of your own: a tab-separated file with two columns, in UTF-8.

Example:
    >>> import tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "pairs.tsv"
    >>> _ = file.write_text("Good morning.\\tGuten Morgen.\\n", encoding="utf-8")
    >>> read(file)
    [('Good morning.', 'Guten Morgen.')]
"""

import unicodedata
from pathlib import Path

from course_utils.datasets import spa_eng
from course_utils.kit.files import DataError

SHOWN = 3  # bad lines that the error names
HELD_OUT = 20  # one sentence in so many is held out, twice
MOST_HELD_OUT = 3_000
FEWEST = 30  # different sentences


def read(path):
    """Read the pairs of a file; lines with nothing on them are passed over.

    Text is brought to Unicode form NFC and stripped.

    Args:
        path: the file. Each line holds a sentence, a tab, and its translation.
    Returns:
        A list of `(source, target)`, one for each line.
    Raises:
        DataError: a line is something else; the first ones are named by number.
    """
    pairs, bad = [], []
    content = Path(path).read_bytes().removeprefix(b"\xef\xbb\xbf")
    for number, line in enumerate(content.splitlines(), 1):
        if not line.strip():
            continue
        pair, problem = _pair(line)
        if problem:
            bad.append(f"line {number} {problem}")
        pairs.append(pair)
        if len(bad) > SHOWN:
            bad[SHOWN:] = ["there are more"]
            break
    if bad:
        raise DataError(
            f"{path}: {', '.join(bad)}; each line must be a sentence, a tab and its "
            "translation, in UTF-8 (of more columns, `cut -f1,2` keeps the first two)."
        )
    return pairs


def _pair(line):
    """Return the two sides of a line, and what is wrong with it."""
    try:
        fields = line.decode("utf-8").split("\t")
    except UnicodeDecodeError:
        return None, "is not UTF-8"
    if len(fields) != 2:
        columns = "1 column" if len(fields) == 1 else f"{len(fields)} columns"
        return None, f"has {columns}"
    source = unicodedata.normalize("NFC", fields[0]).strip()
    target = unicodedata.normalize("NFC", fields[1]).strip()
    if not source:
        return None, "has an empty first column"
    if not target:
        return None, "has an empty second column"
    return (source, target), ""


def split(pairs):
    """Split pairs so that no source sentence stands in two parts.

    Sentences that differ only in case or spacing are one, and all their translations
    are its references. Which part a sentence goes to follows from a hash of it.

    Args:
        pairs: list of `(source, target)`.
    Returns:
        `Splits(train, validation, test)`, each a list of `(source, [target, ...])`.
    Raises:
        DataError: there are too few sentences to hold some out.
    """
    groups = spa_eng.group(pairs)
    if len(groups) < FEWEST:
        raise DataError(
            f"There are {len(groups)} different sentences; a translator needs "
            f"thousands, and at least {FEWEST}."
        )
    return spa_eng.split(groups, min(MOST_HELD_OUT, max(10, len(groups) // HELD_OUT)))

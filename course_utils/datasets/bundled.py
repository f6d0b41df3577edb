"""The corpora that come with the package: small files, read.

Their generators stand in `tools/corpora/`, and a test makes each file again byte for
byte; `data/README.md` says what is in them.
"""

import tomllib
from pathlib import Path

CORPORA = Path(__file__).with_name("corpora")
WORDS = Path(__file__).with_name("words")


def check_split(name, split, splits):
    """Raise a ValueError that names the splits, if there is no such one."""
    if split not in splits:
        raise ValueError(
            f"{name}: split must be one of {tuple(splits)}, got {split!r}."
        )


def rows(name, split=None):
    """Read a bundled corpus.

    Args:
        name: such as "reviews".
        split: only the rows that begin with it, without this column; None: all rows.

    Returns:
        A list of tuples of strings.
    """
    text = (CORPORA / f"{name}.tsv").read_text(encoding="utf-8")
    _, *lines = text.splitlines()  # the first is a comment
    every_row = [tuple(line.split("\t")) for line in lines]
    if split is None:
        return every_row
    return [row[1:] for row in every_row if row[0] == split]


def words(name):
    """Return the words and patterns of a corpus that is generated in memory.

    Args:
        name: of a file in `words/`, such as "dates".

    Returns:
        A dict with what the file holds, in its order.
    """
    return tomllib.loads((WORDS / f"{name}.toml").read_text(encoding="utf-8"))

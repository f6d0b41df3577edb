"""Where the generated corpora lie, and how they are read and written.

In a checkout they are files in `data/`. Where only the package is installed, the
generator writes the same bytes into the course's data directory on first use. The words
that the generators put together are data of the package, one TOML file a corpus.
"""

import contextlib
import tomllib
import zlib
from pathlib import Path

from course_utils.environment import data_dir
from course_utils.files import atomic_write

CHECKOUT = Path(__file__).parents[2] / "data"
WORDS = Path(__file__).parent / "generated" / "words"


def words(name):
    """Return the words and patterns of a generated corpus.

    Args:
        name: of a file in `generated/words/`, such as "reviews".

    Returns:
        A dict with what the file holds, in its order.
    """
    return tomllib.loads((WORDS / f"{name}.toml").read_text(encoding="utf-8"))


def check_split(name, split, splits):
    """Raise a ValueError that names the splits, if there is no such one."""
    if split not in splits:
        raise ValueError(
            f"{name}: split must be one of {tuple(splits)}, got {split!r}."
        )


def split_of(text, fractions):
    """Return the split in which a text may stand; every machine gives the same.

    Args:
        text: a string.
        fractions: a dict from split to its part of all texts; they add up to 1.
    """
    position = zlib.crc32(text.encode()) % 1000 / 1000
    for split, fraction in fractions.items():
        if position < fraction:
            return split
        position -= fraction
    raise AssertionError("the fractions of the splits add up to less than 1")


def render(header, rows):
    """Turn rows into the text of a file: a comment line, then tab-separated rows.

    Args:
        header: what the comment line says, without the leading `# `.
        rows: list of tuples of strings without tabs or line ends.

    Returns:
        The text, which ends with a line end.
    """
    lines = [f"# {header}", *("\t".join(row) for row in rows)]
    return "\n".join(lines) + "\n"


def rows(name, header, generate):
    """Read a generated corpus, making it first where it is missing.

    Args:
        name: file name, such as "reviews.tsv".
        header: its comment line; a file with another one is made again.
        generate: function that returns the rows.

    Returns:
        A list of tuples of strings.
    """
    for path in (CHECKOUT / name, data_dir() / name):
        if path.is_file():
            first, *lines = path.read_text(encoding="utf-8").splitlines()
            if first == f"# {header}":
                return [tuple(line.split("\t")) for line in lines]
    made = generate()
    with contextlib.suppress(OSError):  # a read-only place costs seconds, no more
        path = data_dir() / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as handle:
            handle.write(render(header, made))
    return made

"""Where the generated corpora lie, and how they are read and written.

In a checkout they are files in `data/`. Where only the package is installed, the
generator writes the same bytes into the course's data directory on first use.
"""

import contextlib
from pathlib import Path

from course_utils.environment import data_dir
from course_utils.files import atomic_write

CHECKOUT = Path(__file__).parents[2] / "data"


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

"""Write the generated corpora into `data/`: `python -m tools.generate_data`.

Each file is written whole or not at all. With `--check` nothing is written: the
command fails when a file differs from what the generators make now.
"""

import argparse
import sys

from course_utils.datasets import embedded
from course_utils.datasets.generated import (
    chinese,
    phrasebook,
    reviews,
    senses,
    shapes,
)
from course_utils.files import atomic_write

CORPORA = (reviews, phrasebook, senses, chinese, shapes)


def main(argv=None):
    """Generate or check; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare, don't write")
    check = parser.parse_args(argv).check
    stale = 0
    for corpus in CORPORA:
        path = embedded.CHECKOUT / corpus.FILE
        content = embedded.render(corpus.HEADER, corpus.generate()).encode()
        same = path.is_file() and path.read_bytes() == content
        if not check:
            path.parent.mkdir(exist_ok=True)
            with atomic_write(path, "wb") as handle:
                handle.write(content)
        stale += check and not same
        state = "unchanged" if same else "differs" if check else "written"
        print(f"data/{corpus.FILE}: {len(content):,} bytes, {state}")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())

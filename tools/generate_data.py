"""Write the generated corpora into `data/`: `python -m tools.generate_data`.

Each file is written whole or not at all. With `--check` nothing is written: the
command fails when a file differs from what the generators make now.
"""

import sys

from course_utils import datasets
from course_utils.datasets import embedded
from tools import texts

CORPORA = "reviews", "phrasebook", "senses", "chinese", "shapes", "notes"


def main(arguments):
    """Generate or check; return the exit status."""
    files = {}
    for corpus in (getattr(datasets, name) for name in CORPORA):
        text = embedded.render(corpus.HEADER, corpus.generate())
        files[embedded.CHECKOUT / corpus.FILE] = text
    check, root = "--check" in arguments, embedded.CHECKOUT.parent
    return texts.keep_in_step(files, root, check, "make data")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

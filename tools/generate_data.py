"""Write the bundled corpora of the package: `python -m tools.generate_data`.

Each file is written whole or not at all. With `--check` nothing is written: the
command fails when a file differs from what the generators make now.
"""

import sys
from pathlib import Path

from course_utils.datasets import bundled
from tools import texts
from tools.corpora import chinese, common, notes, phrasebook, reviews, senses, shapes

ROOT = Path(__file__).parents[1]
CORPORA = {
    "chinese": chinese,
    "notes": notes,
    "phrasebook": phrasebook,
    "reviews": reviews,
    "senses": senses,
    "shapes": shapes,
}


def main(arguments):
    """Generate or check; return the exit status."""
    files = {}
    for name, corpus in CORPORA.items():
        text = common.render(corpus.HEADER, corpus.generate())
        files[bundled.CORPORA / f"{name}.tsv"] = text
    check = "--check" in arguments
    return texts.sync_files(files, ROOT, check, "make data")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Score what half an hour of training gives: the translator of lesson 08.

    python -m tools.half_an_hour [--data full|sample] [--output DIRECTORY]

`models/en_es_lesson_08.keras` was trained for 25.2 minutes. It translates the test part
in the way that is best on the validation part. The BLEU goes to the figures beside the
shipped translator, as `thirty_minutes_bleu`, with that way of decoding.
"""

import json
import sys

from course_utils import datasets, models
from tools import model_card, texts
from tools.train_translator import scores

DATA = {"full": datasets.spa_eng, "sample": datasets.phrasebook}


def main(arguments=None):
    """Score, and write the figures; return the exit status."""
    options = model_card.options(__doc__, DATA, arguments)
    splits = options.recipe.load()
    figures = scores(models.load_lesson_translator(), splits)
    print(json.dumps(figures), flush=True)
    path = (options.output / models.NAME).with_suffix(".json")
    facts = json.loads(path.read_text(encoding="utf-8"))
    facts["thirty_minutes_bleu"] = figures["bleu"]
    facts["thirty_minutes_decoding"] = figures["decoding"]
    texts.write_json(path, facts)
    return 0


if __name__ == "__main__":
    sys.exit(main())

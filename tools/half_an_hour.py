"""Train a translator for half an hour, and score it once: what a short training gives.

    python -m tools.half_an_hour [--data full|sample] [--output DIRECTORY]

The settings are the table `half_an_hour` of `translator_recipe.toml`. The BLEU of the
test part goes to the figures beside the shipped translator, as `thirty_minutes_bleu`,
with the hours of both cores. The translator itself isn't kept; a training that was
interrupted goes on after its last epoch.
"""

import json
import sys

from course_utils import datasets
from course_utils.kit import environment
from course_utils.models import NAME
from tools import model_card, texts
from tools.train_translator import CORES, TINY, States, read_recipe, scores, train


def main(arguments=None):
    """Train, score, and write both figures; return the exit status."""
    environment.tune_malloc()
    recipes = {
        "full": read_recipe("half_an_hour"),
        "sample": read_recipe("half_an_hour", TINY),
    }
    options = model_card.options(__doc__, recipes, arguments)
    corpus = datasets.spa_eng if options.data == "full" else datasets.phrasebook
    splits = corpus.load()
    translator, progress = train(splits, options.recipe, options.output)
    figures = scores(translator, splits)
    print(json.dumps(figures), flush=True)
    path = (options.output / NAME).with_suffix(".json")
    facts = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    facts["thirty_minutes_bleu"] = figures["bleu"]
    facts["thirty_minutes_hours"] = round(
        progress["processor_seconds"] / 3600 / CORES, 2
    )
    texts.write_json(path, facts)
    states = States(options.output, splits, options.recipe)
    for state in (states.steady, states.last):
        state.unlink(missing_ok=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Train the English→Spanish translator that comes with the course, and score it once.

    python -m tools.train_translator [--data full|sample] [--output DIRECTORY]

The recipe is lesson 08's (`course_utils/seq2seq/train.py`). With `--data full` it takes
about as long as that lesson's training and writes to `models/`: `en_es.keras`, the
translator with its vectorizer, `en_es.json`, its figures, and the table in the model
card. Copy the new checksum into `course_utils/models.py`. With `--data sample` a tiny
one lands in `build/models`. An interrupted training goes on where its last epoch ended.
"""

import sys
import time

from course_utils import datasets, metrics
from course_utils.kit import environment
from course_utils.models import NAME
from course_utils.seq2seq import Translator, train
from tools import model_card

SEED = 0
TINY = {"vocab_size": 1500, "embed_dim": 32, "dense_dim": 64, "num_layers": 1}
RECIPES = {
    "full": train.RECIPE,
    "sample": train.RECIPE | TINY | {"dropout": 0.0, "epochs": 1},
}


def scores(translator, rows):
    """Return BLEU and chrF of both searches on held-out sentences."""
    english, references = zip(*rows, strict=True)
    beam = translator.translate(english, method="beam")
    greedy = translator.translate(english)
    return [
        ("BLEU, beam of 4, test split", metrics.bleu(beam, references)),
        ("BLEU, greedy, test split", metrics.bleu(greedy, references)),
        ("chrF, beam of 4, test split", metrics.chrf(beam, references)),
    ]


def main(arguments=None):
    """Train, save and score; return the exit status."""
    options = model_card.options(__doc__, RECIPES, arguments)
    recipe, output = options.recipe, options.output
    corpus = datasets.spa_eng if options.data == "full" else datasets.phrasebook
    splits = corpus.load()
    path = output / NAME
    state = train.state_path(path, splits, recipe, SEED)
    resumed, start = state.exists(), time.perf_counter()
    translator = train.train(splits, recipe, state, SEED)
    minutes = f"{(time.perf_counter() - start) / 60:.1f} minutes"
    minutes += " since an interruption" if resumed else ""
    model_card.save_model(translator, path)
    state.unlink()
    facts = [
        ("epochs, seed", f"{recipe['epochs']}, {SEED}"),
        ("training", f"{minutes}, {environment.hardware()}"),
    ]
    figures = scores(Translator.load(path), splits.test)
    card = output / "README.md"
    model_card.describe(path, translator, figures, facts, card, "model")
    return 0


if __name__ == "__main__":
    sys.exit(main())

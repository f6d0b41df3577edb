"""Quality after equal minutes: our recipes beside the classic ones and KerasHub's.

Each recipe trains in a process of its own. What a recipe learns before the training
(vocabulary, word vectors) is on the clock for ours, and not for the two others; nor is
the time of a score. Ours plans its learning rate for the minutes it gets, so it trains
anew for each number of minutes; the others have no plan and are scored on the way.
"""

import keras

from benchmarks import recipes
from benchmarks.peers import Peers
from course_utils import datasets, environment

MINUTES = (2, 5, 10)
RECIPES = {
    "IMDB accuracy": {
        "ours": "our_reviews",
        "classic": "classic_reviews",
        "KerasHub": "hub_reviews",
    },
    "translation BLEU": {
        "ours": "our_pairs",
        "classic": "classic_pairs",
        "KerasHub": "hub_pairs",
    },
}


class Trainer:
    """Runs recipes of one task.

    Args:
        task: a key of ``RECIPES``.
    """

    def __init__(self, task):
        full = environment.data_mode() == "full"
        if task == "IMDB accuracy":
            corpus = datasets.imdb if full else datasets.reviews
            names = ["train", "validation", "test"]
            self.splits = {name: corpus.load(name) for name in names}
            more = corpus.load("unsupervised") if full else ([], [])
            self.splits["unsupervised"] = more
        else:
            self.splits = (datasets.spa_eng if full else datasets.phrasebook).load()

    def scores(self, recipe, minutes):
        """Train; return {minutes: score}. ``minutes`` is one number for ours."""
        keras.utils.set_random_seed(0)
        return getattr(recipes, recipe)(self.splits, minutes)


def measure(task, minutes=MINUTES):
    """Return one row per recipe of a task and number of minutes."""
    rows = []
    for name, recipe in RECIPES[task].items():
        budgets = list(minutes) if name == "ours" else [list(minutes)]
        for budget in budgets:
            with Peers({name: Trainer}, task) as running:
                scores = running.ask(name, "scores", recipe, budget)
            for count, score in scores.items():
                rows.append(dict(peer=name, minutes=count, score=score))
                print(task, rows[-1], flush=True)
    return rows


def measure_reviews(repeats=None):
    """Return rows of test accuracy; a training isn't repeated."""
    return measure("IMDB accuracy")


def measure_pairs(repeats=None):
    """Return rows of BLEU on test sentences; a training isn't repeated."""
    return measure("translation BLEU")

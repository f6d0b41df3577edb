"""Which answers of a variant were right, text by text, to compare variants by them."""

import numpy as np

from benchmarks.imdb import ROOT
from course_utils.kit.files import atomic_write

HITS = ROOT / "build" / "minilm_hits"


def path_of(name, seed):
    return HITS / f"{name}_{seed}.npy"


def keep(name, seed, right):
    """Store which answers are right, (N,), and return them."""
    HITS.mkdir(parents=True, exist_ok=True)
    with atomic_write(path_of(name, seed), "wb") as file:
        np.save(file, np.asarray(right, "float32"))
    return right


def differences(pairs, seeds):
    """Return by how much variants are right more often than others, and the errors.

    Both of a pair have answered the same texts. The difference of a text is the mean
    over the seeds that both have; the error is the standard error of its mean over
    texts.
    """
    figures = {}
    for one, other in pairs:
        of_seeds = []
        for seed in seeds:
            left, right = path_of(one, seed), path_of(other, seed)
            if left.is_file() and right.is_file():
                of_seeds.append(np.load(left) - np.load(right))
        of_texts = np.mean(of_seeds, axis=0)
        _, short = other.split(".", 1)
        name = f"{one}.minus.{short}"
        figures[name] = of_texts.mean()
        figures[f"{name}.error"] = of_texts.std(ddof=1) / np.sqrt(len(of_texts))
    return figures

"""Which answers of a variant were right, text by text, to compare variants by them."""

import numpy as np

from benchmarks.imdb import ROOT
from course_utils.kit.files import atomic_write

HITS = ROOT / "build" / "minilm_hits"


def kept(name, seed, right):
    """Store which answers are right, (N,), and return them."""
    HITS.mkdir(parents=True, exist_ok=True)
    with atomic_write(HITS / f"{name}_{seed}.npy", "wb") as file:
        np.save(file, np.asarray(right, "float32"))
    return right


def differences(pairs, seeds):
    """Return by how much one variant is right more often than another, and the error.

    Both have answered the same texts. The difference of a text is the mean over the
    seeds that both have; the error is the standard error of its mean over texts.
    """
    figures = {}
    for one, other in pairs:
        apart = []
        for own in seeds:
            paths = [HITS / f"{name}_{own}.npy" for name in (one, other)]
            if all(path.is_file() for path in paths):
                apart.append(np.subtract(*map(np.load, paths)))
        each, name = np.mean(apart, axis=0), f"{one}.minus.{other.split('.', 1)[1]}"
        figures[name] = each.mean()
        figures[f"{name}.error"] = each.std(ddof=1) / np.sqrt(len(each))
    return figures

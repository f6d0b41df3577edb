"""Checks of the exercises of lesson 08."""

import math

import numpy as np

from course_utils.kit.checks.answers import lesson_08 as answers
from course_utils.kit.checks.compare import Case, compare


def open_cells(function):
    """Check exercise 1, by hand: the open cells of three masks, not told."""
    right = answers.open_cells

    def judged(counts):
        """Return what is said of each count."""
        apart = [int(np.sign(a - b)) for a, b in zip(counts, right(), strict=True)]
        return tuple(("right", "too large", "too small")[sign] for sign in apart)

    hint = "which keys are real, and which come later; padded queries count, too"
    cases = [Case((), "the counts, in their order")]
    return compare(function, right, cases, hint, judged)


def orthogonalised(function):
    """Check exercise 2, build: Muon's iteration on a matrix, and its products."""
    rng = np.random.default_rng(0)

    def watched(function):
        """Return the function, which then also says whether a product was too large."""

        def run(matrix, *steps):
            products = []

            class Watched(np.ndarray):
                def __matmul__(self, other):
                    found = np.asarray(self) @ np.asarray(other)
                    products.append(found.size)
                    return found.view(Watched)

            found = function(matrix.view(Watched), *steps)
            if found is None:
                return None
            large = max(products, default=0) > math.prod(matrix.shape)
            return np.asarray(found), f"a product larger than the matrix: {large}"

        return run

    cases = [
        Case((np.array([[3.0]]), 1), "the matrix [[3]], one repetition"),
        Case((rng.normal(size=(3, 5)),), "a wide matrix"),
        Case(
            (rng.normal(size=(5, 3)) * 9,),
            "a tall matrix",
            "when it is turned, and back",
        ),
    ]
    hint = "the division before the loop, and the three products in it"
    right = answers.orthogonalised
    return compare(watched(function), watched(right), cases, hint)


def mended_masks(function):
    """Check exercise 3, diagnose: the masks of the three attentions."""
    short = np.array([[5, 6, 0], [5, 6, 7]])
    long = np.array([[2, 8, 9, 0, 0]] * 2)
    cases = [
        Case((long[:, :3], long[:, :3]), "no padding", "which tokens are later"),
        Case((short, long), "a target that is longer", "whose padding hides the keys"),
        Case((long, short), "a source that is longer", "whose padding hides the keys"),
    ]
    hint = "each mask: who looks, and at whom?"
    return compare(function, answers.mended_masks, cases, hint)


def loss_by_position(function):
    """Check exercise 4, investigate: mean losses (T,) of (B, T, V) for (B, T)."""
    logits = np.random.default_rng(0).normal(size=(3, 4, 5))
    whole = np.array([[1, 2, 3, 4]] * 3)
    padded = np.array([[1, 2, 3, 4], [4, 3, 0, 0]])
    cases = [
        Case((logits, whole), "labels without padding", "the softmax, and its axis"),
        Case((logits[:2], padded), "labels with padding", "the tokens of the mean"),
        Case((logits + 1000, whole), "large logits", "the largest, to be subtracted"),
    ]
    with np.errstate(all="ignore"):
        return compare(function, answers.loss_by_position, cases, "the mean")

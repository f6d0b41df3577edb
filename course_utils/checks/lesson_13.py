"""Checks of the exercises of lesson 13."""

import numpy as np

from course_utils.checks.compare import Case, compare


def perplexity(function):
    """Check `perplexity(log_probs, scored)`: (N, T), (N, T) -> a number."""
    cases = []
    for name, probabilities, scored, expected, hint in (
        (
            "1/8 everywhere",
            [[0.125, 0.125]],
            [[1, 1]],
            8.0,
            "the sign, and the base: e",
        ),
        (
            "one target that isn't scored",
            [[0.5, 0.125, 0.9]],
            [[1, 1, 0]],
            4.0,
            "what you divide by: the number of targets that are scored",
        ),
        (
            "two rows, three scored targets and one",
            [[0.5, 0.5, 0.5], [0.03125, 0.7, 0.7]],
            [[1, 1, 1], [1, 0, 0]],
            4.0,
            "the order: one mean over all scored targets, not one for each row",
        ),
    ):
        arrays = (np.log(np.array(probabilities)), np.array(scored, dtype=bool))
        cases.append(Case(arrays, expected, name, hint))
    return compare(function, cases, "exp of the mean negative log-probability")


def witten_bell(function):
    """Check `witten_bell(counts, shorter)`: (V,), (V,) -> (V,)."""
    cases = []
    for counts, shorter, hint in (
        ([0, 0, 0], [0.5, 0.25, 0.25], "a history that never occurred: trust shorter"),
        ([4, 0, 0, 0], [0.25] * 4, "kinds: how many counts are above 0, here one"),
        ([3, 1, 0, 0], [0.25] * 4, "kinds: the different ids that followed, here two"),
        ([10, 5, 1, 0], [0.1, 0.2, 0.3, 0.4], None),
    ):
        counts, shorter = np.array(counts), np.array(shorter)
        kinds = (counts > 0).sum()
        expected = shorter
        if kinds:
            expected = (counts + kinds * shorter) / (counts.sum() + kinds)
        label = f"counts {counts.tolist()}, shorter {shorter.tolist()}"
        cases.append(Case((counts, shorter), expected, label, hint))
    return compare(function, cases, "the formula; the results sum to 1")


def repeated_share(function):
    """Check `repeated_share(words, n)`: a list of words -> a number."""
    cases = []
    for text, n, expected, hint in (
        ("a b c d", 1, 0.0, "a text without repetition: the share is 0"),
        (
            "so bad so bad so bad",
            2,
            0.6,
            "the first time (no repetition), and n-grams that overlap (they count)",
        ),
        ("very very very good", 2, 1 / 3, None),
        ("a b a b", 4, 0.0, "the number of n-grams: words − n + 1, here one"),
        ("a b", 4, 0.0, "a text with less than n words: the share is 0"),
    ):
        cases.append(Case((text.split(), n), expected, f"'{text}', n = {n}", hint))
    return compare(function, cases, "1 − different n-grams / all n-grams")

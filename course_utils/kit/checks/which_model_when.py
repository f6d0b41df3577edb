"""Checks of the exercises of the lesson "Which model, when?"."""

import numpy as np

from course_utils.kit.checks.compare import Case, by_rows, compare, rows, solution


def rule_by_hand(function):
    """Check exercise 1, by hand: what the rule of thumb says of three data sets."""
    hint = "the mean length: it is what the number of texts is divided by"
    return compare(
        function, solution("which_model_when", "rule_by_hand"), [Case(())], hint
    )


def distant_pairs(function):
    """Check exercise 2, build: `distant_pairs(text, farthest)`, a list of tuples."""
    return by_rows(
        function, "which_model_when", "distant_pairs", "the pairs of one word", sorted
    )


def honest_score(function):
    """Check exercise 3, diagnose: `honest_score(texts, labels)` of 80 texts."""
    right, cases = solution("which_model_when", "honest_score"), []
    for seed, coins, name in rows("which_model_when", "honest_score"):
        random = np.random.default_rng(seed)
        words = random.integers(40, size=(80, 8))
        labels = random.integers(2, size=80) if coins else (words == 7).any(axis=1)
        texts = [" ".join(f"word{n}" for n in text) for text in words]
        cases.append(Case((texts, labels.astype(int)), name))
    return compare(function, right, cases, "which part chooses features and strength")


def labels_needed(function):
    """Check exercise 4: `labels_needed(numbers, accuracies, wanted)`."""
    hint = "the last piece that rises to `wanted`"
    return by_rows(function, "which_model_when", "labels_needed", hint)

"""Checks of the exercises of lesson 03."""

import numpy as np

from course_utils.checks.compare import Case, compare


def cosine_scores(function):
    """Check `cosine_scores(query, keys)`: (T, D), (S, D) -> (T, S)."""
    rng = np.random.default_rng(3)
    query, keys = rng.normal(size=(2, 4)), rng.normal(size=(3, 4))
    right = np.array([[1.0, 0.0], [0.0, 2.0]])
    cases = [
        Case((right, right), np.eye(2), "vectors at right angles"),
        Case((query, keys), _cosine(query, keys), "two queries, three keys"),
        Case((5 * query, keys), _cosine(query, keys), "queries five times as long"),
    ]
    hint = "the lengths: divide by the length of the query and by that of the key"
    return compare(function, cases, hint)


def _cosine(query, keys):
    lengths = np.linalg.norm(query, axis=1)[:, None] * np.linalg.norm(keys, axis=1)
    return query @ keys.T / lengths


def monotonic_window(function):
    """Check `monotonic_window(target_length, source_length, half_width)`: (T, S)."""
    cases = []
    for sizes in ((3, 3, 1), (2, 5, 1), (5, 3, 1), (4, 6, 2)):
        target_length, source_length, half_width = sizes
        places = np.minimum(np.arange(target_length), source_length - 1)
        distance = np.abs(np.arange(source_length)[None] - places[:, None])
        cases.append(Case(sizes, distance <= half_width, f"T, S, half_width = {sizes}"))
    hint = "both sides of the window, its edges, and queries past the last key"
    return compare(function, cases, hint)


def predictive_weights(function):
    """Check `predictive_weights(scores, place, half_width)`: (S,) -> (S,)."""
    scores = np.random.default_rng(4).normal(size=6)
    cases = []
    for place, half_width in ((2.0, 10), (2.0, 2), (4.3, 2), (0.4, 1)):
        distance = np.arange(6) - place
        nearer = scores - distance**2 / (2 * (half_width / 2) ** 2)
        powers = np.where(np.abs(distance) <= half_width, np.exp(nearer), 0.0)
        label = f"place {place}, half_width {half_width}"
        case = Case((scores, place, half_width), powers / powers.sum(), label)
        cases.append(case)
    hint = "σ, which is half_width / 2, and the sum of the weights, which is 1"
    return compare(function, cases, hint)

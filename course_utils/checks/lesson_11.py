"""Checks of the exercises of lesson 11."""

import numpy as np

from course_utils.checks.compare import Case, compare, rows, solution


def penalised(function):
    """Check `penalised(log_prob, length, alpha)`, a number."""
    cases = [
        Case(tuple(case), "log-probability {}, length {}, α {}".format(*case), hint)
        for *case, hint in rows("11", "penalised")
    ]
    return compare(function, solution("11", "penalised_score"), cases, "the formula")


def nucleus(function):
    """Check `nucleus(probabilities, p)`: (V,) -> (V,)."""
    cases = [
        Case((np.array(probs), p), f"probabilities {probs}, p {p}", hint)
        for probs, p, hint in rows("11", "nucleus")
    ]
    hint = "the token with which the sum reaches p (it stays), and the new sum (1)"
    return compare(function, solution("11", "nucleus"), cases, hint)


def beam_step(function):
    """Check `beam_step(scores, log_probs, k)`: (K,), (K, V) -> three times (k,)."""
    one = np.array([0.0]), np.log([[0.1, 0.2, 0.15, 0.55]])
    # The likeliest next token of all continues the beam that is far behind.
    behind = np.array([-0.5, -4.0]), np.log([[0.5, 0.3, 0.2], [0.05, 0.9, 0.05]])
    probs = [[0.3, 0.4, 0.25, 0.05], [0.1, 0.1, 0.2, 0.6], [0.7, 0.1, 0.1, 0.1]]
    three = np.array([-1.0, -1.5, -3.0]), np.log(probs)
    flat = "the order of the results, and V: index n of a flat list is in row n // V"
    old = "the old scores (added first) and the choice (k of all K · V, best first)"
    cases = [
        Case((*one, 1), "one beam, k = 1", flat),
        Case((*behind, 2), "a beam far behind, k = 2", old),
        Case((*three, 4), "three beams, k = 4"),
    ]
    hint = "the choice: k of all K · V extensions, best first"
    return compare(function, solution("11", "beam_step"), cases, hint)

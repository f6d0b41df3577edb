"""Checks of the exercises of lesson 11."""

import numpy as np

from course_utils.checks.compare import Case, compare


def penalised(function):
    """Check `penalised(log_prob, length, alpha)`, a number."""
    cases = []
    for log_prob, length, alpha, hint in (
        (-2.0, 4, 0.0, "what α = 0 does: x ** 0 is 1, so the score stays"),
        (-2.0, 1, 1.0, "the penalty at length 1: it is 1 there, for every α"),
        (-3.0, 7, 1.0, "what you divide by: a sixth of 5 + length, to the power of α"),
        (-3.0, 7, 0.6, "what α is the exponent of: the whole quotient"),
    ):
        expected = log_prob / ((5 + length) / 6) ** alpha
        label = f"log-probability {log_prob}, length {length}, α {alpha}"
        cases.append(Case((log_prob, length, alpha), expected, label, hint))
    return compare(function, cases, "the formula")


def nucleus(function):
    """Check `nucleus(probabilities, p)`: (V,) -> (V,)."""
    cases = []
    for probabilities, p, kept, hint in (
        ([0.5, 0.25, 0.15, 0.1], 0.6, [0, 1], None),
        ([0.1, 0.2, 0.4, 0.3], 0.8, [1, 2, 3], "the order: the input's, not sorted"),
        # These sums are exact in binary, so it is clear when they reach p.
        ([0.125, 0.5, 0.125, 0.25], 0.75, [1, 3], "a sum equal to p: it has reached p"),
        ([0.25, 0.625, 0.125], 1.0, [0, 1, 2], "p = 1: every token stays"),
        ([0.25, 0.625, 0.125], 0.2, [1], "the first token: it always stays"),
    ):
        probabilities = np.array(probabilities)
        expected = np.zeros_like(probabilities)
        expected[kept] = probabilities[kept] / probabilities[kept].sum()
        label = f"probabilities {probabilities.tolist()}, p {p}"
        cases.append(Case((probabilities, p), expected, label, hint))
    hint = "the token with which the sum reaches p (it stays), and the new sum (1)"
    return compare(function, cases, hint)


def beam_step(function):
    """Check `beam_step(scores, log_probs, k)`: (K,), (K, V) -> three times (k,)."""
    one = (np.array([0.0]), np.log([[0.1, 0.2, 0.15, 0.55]]))
    # The likeliest next token of all continues the beam that is far behind.
    behind = (np.array([-0.5, -4.0]), np.log([[0.5, 0.3, 0.2], [0.05, 0.9, 0.05]]))
    three = (
        np.array([-1.0, -1.5, -3.0]),
        np.log([[0.3, 0.4, 0.25, 0.05], [0.1, 0.1, 0.2, 0.6], [0.7, 0.1, 0.1, 0.1]]),
    )
    cases = [
        _beams_case(
            "one beam",
            one,
            [(0, 3)],
            "the order of the results, and V: place n of a flat list is in row n // V",
        ),
        _beams_case(
            "a beam far behind",
            behind,
            [(0, 0), (0, 1)],
            "the old scores (added first) and the choice (k of all K · V, best first)",
        ),
        _beams_case("three beams", three, [(0, 1), (1, 3), (0, 0), (0, 2)]),
    ]
    return compare(function, cases, "the choice: k of all K · V extensions, best first")


def _beams_case(name, beams, best, hint=None):
    """Return the case whose right extensions are ``best``, (parent, token) pairs."""
    scores, log_probs = beams
    parents, tokens = np.array(best).T
    expected = (parents, tokens, scores[parents] + log_probs[parents, tokens])
    label = f"{name}, k = {len(best)}"
    return Case((scores, log_probs, len(best)), expected, label, hint)

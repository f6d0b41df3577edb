"""Checks of the exercises of lesson 09."""

import numpy as np

from course_utils.checks.compare import Case, compare, solution
from course_utils.text.vectorizers import END, START


def decoder_mask(function):
    """Check a function from target ids (B, T) to the causal padding mask (B, T, T)."""
    cases = [
        Case((np.array(ids),), f"target ids {ids}")
        for ids in ([[2, 5, 6]], [[2, 5, 0, 0], [2, 7, 8, 9]])
    ]
    hint = "row t, column s: is s at most t, and is token s no padding?"
    right = solution("09", "decoder_mask")
    return compare(function, right, cases, hint, lambda mask: np.asarray(mask) > 0)


def smoothed_loss(function):
    """Check the label-smoothed loss of one position, a number in nats."""
    cases = [
        Case((np.array(logits), label, ε), f"logits {logits}, label {label}, ε {ε}")
        for logits, label, ε in (
            ([2.0, 0.0, -1.0], 0, 0.0),
            ([2.0, 0.0, -1.0], 0, 0.1),
            ([0.5, 1.5, 3.0, -2.0], 1, 0.3),
        )
    ]
    hint = "the target: it must sum to 1, with ε / V on the right token too"
    return compare(function, solution("09", "smoothed_loss"), cases, hint)


def greedy_tokens(function):
    """Check a greedy search over a table of scores."""
    # What follows which token: START -> 5 -> 4 -> END, and 6 for ever after 6.
    best_after = {5: 4, 4: END, 6: 6}

    def table(first):
        def next_scores(tokens):
            if END in tokens:
                raise ValueError("asked for a token after END")
            if tokens[0] != START:
                raise ValueError("the list of tokens doesn't begin with START")
            scores = np.linspace(-1.0, -2.0, 8)
            scores[(best_after | {START: first})[tokens[-1]]] = 1.0
            return scores

        return next_scores

    cases = [
        Case((table(5), 10), "a sentence of two tokens"),
        Case((table(6), 4), "a sentence without END, limit 4"),
        Case((table(END), 4), "END at once"),
        Case((table(5), 1), "a sentence of two tokens, limit 1"),
    ]
    hint = "when the loop ends, and whether START and END are left out"
    return compare(function, solution("09", "greedy_tokens"), cases, hint)

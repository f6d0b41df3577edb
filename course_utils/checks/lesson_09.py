"""Checks of the exercises of lesson 09."""

import numpy as np

from course_utils.checks.compare import Case, compare
from course_utils.text.vectorizers import END, START


def decoder_mask(function):
    """Check a function from target ids (B, T) to the causal padding mask (B, T, T)."""
    cases = []
    for ids in ([[2, 5, 6]], [[2, 5, 0, 0], [2, 7, 8, 9]]):
        target = np.array(ids)
        causal = np.tril(np.ones((target.shape[1],) * 2, dtype=bool))
        expected = causal[None] & (target != 0)[:, None, :]
        cases.append(Case((target,), expected, label=f"target ids {ids}"))
    hint = "row t, column s: is s at most t, and is token s no padding?"
    return compare(lambda target: np.asarray(function(target)) > 0, cases, hint)


def smoothed_loss(function):
    """Check the label-smoothed loss of one position, a number in nats."""
    cases = []
    for logits, label, epsilon in (
        ([2.0, 0.0, -1.0], 0, 0.0),
        ([2.0, 0.0, -1.0], 0, 0.1),
        ([0.5, 1.5, 3.0, -2.0], 1, 0.3),
    ):
        logits = np.array(logits)
        log_probs = logits - np.log(np.exp(logits).sum())
        expected = -(1 - epsilon) * log_probs[label] - epsilon * log_probs.mean()
        name = f"logits {logits.tolist()}, label {label}, ε {epsilon}"
        cases.append(Case((logits, label, epsilon), expected, label=name))
    hint = "the target: it must sum to 1, with ε / V on the right token too"
    return compare(function, cases, hint)


def greedy_tokens(function):
    """Check a greedy search over a table of scores."""
    # What follows which token: START -> 5 -> 4 -> END, and 6 for ever after 6.
    best_after = {START: 5, 5: 4, 4: END, 6: 6}

    def table(first):
        def next_scores(tokens):
            if END in tokens:
                raise ValueError("asked for a token after END")
            if tokens[0] != START:
                raise ValueError("the list of tokens doesn't begin with START")
            scores = np.linspace(-1.0, -2.0, 8)
            last = tokens[-1]
            scores[first if last == START else best_after[last]] = 1.0
            return scores

        return next_scores

    cases = [
        Case((table(5), 10), [5, 4], label="a sentence of two tokens"),
        Case((table(6), 4), [6, 6, 6, 6], label="a sentence without END, limit 4"),
        Case((table(END), 4), [], label="END at once"),
        Case((table(5), 1), [5], label="a sentence of two tokens, limit 1"),
    ]
    hint = "when the loop ends, and whether START and END are left out"

    def as_list(next_scores, max_length):
        return [int(token) for token in function(next_scores, max_length)]

    return compare(as_list, cases, hint)

"""Checks of the exercises of lesson 08."""

import numpy as np

from course_utils.checks.compare import Case, compare


def steps_to_half(function):
    """Check after how many steps a state that begins with 1 is below 0.5."""
    cases = [Case((0.4,), 1), Case((0.5,), 2), Case((0.75,), 3), Case((0.99,), 69)]
    hint = "zⁿ, and the word 'below': 0.5 itself is not below 0.5"
    return compare(function, cases, hint)


def last_states(function):
    """Check the start of a decoder from the states of both directions."""
    rng = np.random.default_rng(8)
    forward, backward = rng.normal(size=(2, 3, 4, 2))  # (B, T, U) twice
    cases = []
    for lengths in ((4, 4, 4), (4, 2, 1)):
        mask = np.arange(4) < np.array(lengths)[:, None]
        rows = [
            np.concatenate([forward[b, length - 1], backward[b, 0]])
            for b, length in enumerate(lengths)
        ]
        label = f"sentences of {', '.join(map(str, lengths))} real tokens"
        cases.append(Case((forward, backward, mask), np.stack(rows), label))
    hint = "which token each direction reads last, and which half comes first"
    return compare(function, cases, hint)


def brevity_penalty(function):
    """Check BLEU's factor for short translations."""
    cases = [
        Case((10, 10), 1.0),
        Case((12, 10), 1.0, hint="translations that are longer than the references"),
        Case((5, 10), np.exp(-1)),
        Case((9, 10), np.exp(1 - 10 / 9)),
        Case((0, 10), 0.0, hint="empty translations: don't divide by 0"),
    ]
    return compare(function, cases, "exp(1 − r / c): which of the two is divided")

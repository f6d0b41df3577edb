"""Checks of the exercises of lesson 08."""

import numpy as np

from course_utils.checks.compare import Case, compare, rows, solution


def steps_to_half(function):
    """Check after how many steps a state that begins with 1 is below 0.5."""
    cases = [Case((z,)) for z in (0.4, 0.5, 0.75, 0.99)]
    hint = "zⁿ, and the word 'below': 0.5 itself is not below 0.5"
    return compare(function, solution("08", "steps_to_half"), cases, hint)


def last_states(function):
    """Check the start of a decoder from the states of both directions."""
    forward, backward = np.random.default_rng(8).normal(size=(2, 3, 4, 2))  # (B, T, U)
    cases = []
    for lengths in ((4, 4, 4), (4, 2, 1)):
        mask = np.arange(4) < np.array(lengths)[:, None]
        label = f"sentences of {', '.join(map(str, lengths))} real tokens"
        cases.append(Case((forward, backward, mask), label))
    hint = "which token each direction reads last, and which half comes first"
    return compare(function, solution("08", "last_states"), cases, hint)


def brevity_penalty(function):
    """Check BLEU's factor for short translations."""
    cases = [
        Case(tuple(sizes), hint=hint) for *sizes, hint in rows("08", "brevity_penalty")
    ]
    hint = "exp(1 − r / c): which of the two is divided"
    return compare(function, solution("08", "brevity_penalty"), cases, hint)

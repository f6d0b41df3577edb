"""Checks of the exercises of lesson 13."""

import numpy as np

from course_utils.checks.compare import Case, compare, rows, solution


def perplexity(function):
    """Check `perplexity(log_probs, scored)`: (N, T), (N, T) -> a number."""
    eighths = np.log([[0.125, 0.125]]), np.array([[True, True]])
    unscored = np.log([[0.5, 0.125, 0.9]]), np.array([[True, True, False]])
    rows = np.log([[0.5, 0.5, 0.5], [0.03125, 0.7, 0.7]])
    number = "what you divide by: the number of targets that are scored"
    order = "the order: one mean over all scored targets, not one for each row"
    three_and_one = np.arange(3) < [[3], [1]]
    cases = [
        Case(eighths, "1/8 everywhere", "the sign, and the base: e"),
        Case(unscored, "one target that isn't scored", number),
        Case((rows, three_and_one), "two rows, three scored targets and one", order),
    ]
    hint = "exp of the mean negative log-probability"
    return compare(function, solution("13", "perplexity"), cases, hint)


def witten_bell(function):
    """Check `witten_bell(counts, shorter)`: (V,), (V,) -> (V,)."""
    cases = [
        Case((np.array(n), np.array(shorter)), f"counts {n}, shorter {shorter}", hint)
        for n, shorter, hint in rows("13", "witten_bell")
    ]
    hint = "the formula; the results sum to 1"
    return compare(function, solution("13", "witten_bell"), cases, hint)


def repetition_rate(function):
    """Check `repetition_rate(words, n)`: a list of words -> a number."""
    cases = [
        Case((text.split(), n), f"'{text}', n = {n}", hint)
        for text, n, hint in rows("13", "repetition_rate")
    ]
    hint = "1 − different n-grams / all n-grams"
    return compare(function, solution("13", "repetition_rate"), cases, hint)

"""What every exercise owes: a check that takes right answers and knows mistakes."""

import copy

import numpy as np

from course_utils.kit.checks.compare import describe_difference


def accepts(check, answer):
    """Assert that a check takes an answer for right."""
    assert check(answer) == "correct"


def rejects(check, wrong, says=""):
    """Assert that a check rejects an answer, with a hint, and says some words."""
    with np.errstate(all="ignore"):  # an overflow may be the mistake
        verdict = check(wrong)
    assert verdict.startswith("wrong: ")
    assert "; look at " in verdict
    assert says in verdict


def agrees(answer, arguments, value):
    """Assert that an answer gives a value that was worked out by hand."""
    result = answer(*copy.deepcopy(arguments))
    assert describe_difference(result, value) is None

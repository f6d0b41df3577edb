"""Answers to the exercises: "not attempted", "wrong: …, look at …" or "correct".

A check runs the learner's function on small cases and compares each result with that
of the right answer, which stands in `answers/`, copied from the solution notebook. A
check never raises, so that a notebook runs to its end with its exercises untouched.

Example:
    >>> from course_utils.kit.checks.compare import Case, compare
    >>> cases = [Case((2,)), Case((3,))]
    >>> _ = compare(lambda x: x * x, lambda x: x**2, cases, hint="the formula")
    correct
    >>> _ = compare(lambda x: x + x, lambda x: x**2, cases, hint="the formula")
    wrong: max difference 3 for input (3,): expected 9, got 6; look at the formula
"""

import copy
import dataclasses

import numpy as np

CORRECT = "correct"
NOT_ATTEMPTED = "not attempted"
TOLERANCE = 1e-5


@dataclasses.dataclass
class Case:
    """One call of the learner's function.

    Attributes:
        arguments: tuple of positional arguments.
        label: how to name the case in an answer; None shows the arguments.
        hint: where to look when this case is wrong; None takes the common hint.
    """

    arguments: tuple
    label: str | None = None
    hint: str | None = None


def compare(function, right, cases, hint, view=None):
    """Call the function on every case and print how it did.

    Args:
        function: the learner's function; a stub raises NotImplementedError.
        right: a function that is known to be right.
        cases: list of `Case`.
        hint: where to look when a case is wrong.
        view: what to compare of a result: a function of it, None for itself.

    Returns:
        The answer as text: "correct", "not attempted" or "wrong: …".
    """
    for case in cases:
        expected = _call(right, case, view)
        try:
            result = _call(function, case, view)
        except NotImplementedError:
            return _answer(NOT_ATTEMPTED)
        except Exception as error:  # whatever the learner's code raises is an answer
            text = f"{_name(case)} raises {type(error).__name__}: {error}"
            return _answer(f"wrong: {text}; look at {case.hint or hint}")
        if difference := describe_difference(result, expected):
            kind, detail = difference
            text = f"{kind} for {_name(case)}: {detail}"
            return _answer(f"wrong: {text}; look at {case.hint or hint}")
    return _answer(CORRECT)


def _call(function, case, view):
    """Call a function with arguments of its own: it may change them in place."""
    result = function(*copy.deepcopy(case.arguments))
    return result if view is None or result is None else view(result)


def _answer(text):
    """Print an answer and return it."""
    print(text)
    return text


def describe_difference(result, expected):
    """Say how a result differs from what was expected.

    Returns:
        None when they are equal, or a short name of the difference and its detail.
    """
    if result is None:
        return "nothing returned", "the function ends without a return"
    if isinstance(expected, tuple):
        if getattr(result, "ndim", 0):  # an array of them is as good
            result = tuple(result)
        if not isinstance(result, (tuple, list)) or len(result) != len(expected):
            return "wrong kind of result", f"expected {len(expected)} values"
        for one_result, one_expected in zip(result, expected, strict=True):
            if difference := describe_difference(one_result, one_expected):
                return difference
        return None
    try:
        result = np.asarray(result)
        expected = np.asarray(expected)
    except (TypeError, ValueError):
        return "wrong kind of result", f"got {type(result).__name__}"
    if result.dtype.kind == "O" and expected.dtype.kind != "O":  # such as a set
        detail = f"expected {_short(expected.tolist())}, got {_short(result)}"
        return "wrong kind of result", detail
    if result.shape != expected.shape:
        return "wrong shape", f"expected {expected.shape}, got {result.shape}"
    if expected.dtype.kind in "biuf" and result.dtype.kind in "biuf":
        return _number_difference(result, expected)
    if result.dtype.kind != expected.dtype.kind:
        return "wrong kind of result", f"got {_short(result)}"
    for got, right in zip(result.flat, expected.flat, strict=True):
        if got != right:
            return "another result", f"expected {_short(right)}, got {_short(got)}"
    return None


def _number_difference(result, expected):
    """Compare numbers; NaN is always wrong."""
    result = result.astype("float64")
    expected = expected.astype("float64")
    with np.errstate(invalid="ignore"):  # infinity minus infinity
        differences = np.abs(result - expected)
    differences = np.where(np.isfinite(differences), differences, np.inf)
    differences = np.where(result == expected, 0.0, differences)  # equal infinities
    if not differences.size or differences.max() <= TOLERANCE:
        return None
    index = np.unravel_index(differences.argmax(), differences.shape)
    where = f" at {tuple(int(i) for i in index)}" if index else ""
    detail = f"expected {expected[index]:.6g}, got {result[index]:.6g}{where}"
    return f"max difference {differences.max():.3g}", detail


def _name(case):
    return case.label or f"input {_short(case.arguments)}"


def _short(value, longest=60):
    """Return a value's text on one line, cut when it is long."""
    if hasattr(value, "item") and np.ndim(value) == 0:
        value = value.item()
    text = " ".join(repr(value).split())
    return text if len(text) <= longest else f"{text[: longest - 1]}…"

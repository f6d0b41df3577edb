"""Answers to the exercises: "not attempted", "wrong: …, look at …" or "correct".

A check runs the learner's function on small cases and compares each result with that
of the right answer, which stands in the solution notebook and comes into the package
by `tools/extract_answers.py`. A check never raises, so that a notebook runs to its end
with its exercises untouched.

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
import functools
import tomllib
from pathlib import Path

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


@functools.cache
def _tables():
    return tomllib.loads(Path(__file__).with_name("cases.toml").read_text("utf-8"))


def rows(lesson, check):
    """Return rows of cases.toml: inputs of a check, and where to look for each."""
    return _tables()[lesson][check]


def by_rows(function, lesson, check, hint, view=None):
    """Check a function on the rows of cases.toml: arguments, a label, where to look."""
    cases = [Case(tuple(x), name, where) for *x, name, where in rows(lesson, check)]
    return compare(function, solution(lesson, check), cases, hint, view)


def by_arrays(function, lesson, check, hint):
    """Check as `by_rows` does, with arrays in the places of lists of numbers."""
    cases = [
        Case(tuple(np.array(a) if isinstance(a, list) else a for a in x), name, where)
        for *x, name, where in rows(lesson, check)
    ]
    return compare(function, solution(lesson, check), cases, hint)


def table_check(lesson, name, hint):
    """Return the check of an exercise whose cases are rows of cases.toml.

    Args:
        lesson, name: those of the exercise; a row has its arguments and a hint.
        hint: where to look when a case without a hint is wrong.
    """

    def check(function):
        cases = [
            Case(tuple(np.array(x) if isinstance(x, list) else x for x in row), None, h)
            for *row, h in rows(lesson, name)
        ]
        return compare(function, solution(lesson, name), cases, hint)

    check.__module__ = f"{__package__}.{_module(lesson)}"
    return check


def solution(lesson, name):
    """Return the function `name` of a lesson's solution notebook.

    Args:
        lesson: its number, such as "05", or the name of a further lesson.
        name: that of the function, which is the check's, too.
    """
    return _solutions(lesson)[name]


def _module(lesson):
    """Return the name of the module with a lesson's checks."""
    return f"lesson_{lesson}" if lesson.isdigit() else lesson


@functools.cache
def _solutions(lesson):
    path = Path(__file__).with_name("answers") / f"{_module(lesson)}.txt"
    names = {}
    exec(compile(path.read_text(encoding="utf-8"), path.name, "exec"), names)
    return names


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
        expected = _result(right, case, view)
        try:
            result = _result(function, case, view)
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


def _result(function, case, view):
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
        differences = map(describe_difference, result, expected)
        return next(filter(None, differences), None)
    try:
        result, expected = np.asarray(result), np.asarray(expected)
    except (TypeError, ValueError):
        return "wrong kind of result", f"got {type(result).__name__}"
    if result.dtype.kind == "O" and expected.dtype.kind != "O":  # such as a set
        wanted = _short(expected.tolist())
        return "wrong kind of result", f"expected {wanted}, got {_short(result)}"
    if result.shape != expected.shape:
        return "wrong shape", f"expected {expected.shape}, got {result.shape}"
    if expected.dtype.kind in "biuf" and result.dtype.kind in "biuf":
        return _number_difference(result, expected)
    if result.dtype.kind != expected.dtype.kind:
        return "wrong kind of result", f"got {_short(result)}"
    for got, wanted in zip(result.flat, expected.flat, strict=True):
        if got != wanted:
            return "another result", f"expected {_short(wanted)}, got {_short(got)}"
    return None


def _number_difference(result, expected):
    """Compare numbers; NaN is always wrong."""
    result, expected = result.astype("float64"), expected.astype("float64")
    with np.errstate(invalid="ignore"):  # infinity minus infinity
        apart = np.abs(result - expected)
    apart = np.where(np.isfinite(apart), apart, np.inf)
    apart = np.where(result == expected, 0.0, apart)  # equal infinities
    if not apart.size or apart.max() <= TOLERANCE:
        return None
    index = np.unravel_index(apart.argmax(), apart.shape)
    where = f" at {tuple(int(i) for i in index)}" if index else ""
    detail = f"expected {expected[index]:.6g}, got {result[index]:.6g}{where}"
    return f"max difference {apart.max():.3g}", detail


def _name(case):
    return case.label or f"input {_short(case.arguments)}"


def _short(value, longest=60):
    """Return a value's text on one line, cut when it is long."""
    if hasattr(value, "item") and np.ndim(value) == 0:
        value = value.item()
    text = " ".join(repr(value).split())
    return text if len(text) <= longest else f"{text[: longest - 1]}…"

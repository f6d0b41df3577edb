"""Answers to the exercises: "not attempted", "wrong: …, look at …" or "correct".

A check runs the learner's function on small cases and compares each result with the
one expected. It never raises, so that a notebook runs to its end with its exercises
untouched.

Example:
    >>> from course_utils.checks.compare import Case, compare
    >>> cases = [Case((2,), 4), Case((3,), 9)]
    >>> _ = compare(lambda x: x * x, cases, hint="the formula")
    correct
    >>> _ = compare(lambda x: x + x, cases, hint="the formula")
    wrong: max difference 3 for input (3,): expected 9, got 6; look at the formula
"""

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
        expected: what the call must return: a number, an array, a text, a tuple.
        label: how to name the case in an answer; None shows the arguments.
        hint: where to look when this case is wrong; None takes the common hint.
    """

    arguments: tuple
    expected: object
    label: str | None = None
    hint: str | None = None


def compare(function, cases, hint, tolerance=TOLERANCE):
    """Call the function on every case and print how it did.

    Args:
        function: the learner's function; a stub raises NotImplementedError.
        cases: list of `Case`.
        hint: where to look when a case is wrong.
        tolerance: largest difference of numbers that counts as equal.

    Returns:
        The answer as text: "correct", "not attempted" or "wrong: …".
    """
    for case in cases:
        try:
            result = function(*map(_own, case.arguments))
        except NotImplementedError:
            return answer(NOT_ATTEMPTED)
        except Exception as error:  # whatever the learner's code raises is an answer
            reason = f"{type(error).__name__}: {error}"
            return wrong(f"{_place(case)} raises {reason}", case.hint or hint)
        difference = describe_difference(result, case.expected, tolerance)
        if difference:
            number, _, rest = difference.partition(" ; ")
            text = f"{number} for {_place(case)}: {rest}"
            return wrong(text, case.hint or hint)
    return answer(CORRECT)


def _own(argument):
    """Return a copy of an array: an answer may work in place, cases share arrays."""
    return argument.copy() if isinstance(argument, np.ndarray) else argument


def wrong(text, hint):
    """Print and return "wrong: <text>; look at <hint>"."""
    return answer(f"wrong: {text}; look at {hint}")


def answer(text):
    """Print an answer and return it."""
    print(text)
    return text


def describe_difference(result, expected, tolerance=TOLERANCE):
    """Say how a result differs from what was expected, "" when it doesn't.

    The part before " ; " is a short name of the difference.
    """
    if result is None:
        return "nothing returned ; the function ends without a return"
    if isinstance(expected, tuple):
        if not isinstance(result, (tuple, list)) or len(result) != len(expected):
            return f"wrong kind of result ; expected {len(expected)} values"
        for one, other in zip(result, expected, strict=True):
            if difference := describe_difference(one, other, tolerance):
                return difference
        return ""
    try:
        result, expected = _array(result), _array(expected)
    except (TypeError, ValueError):
        return f"wrong kind of result ; got {type(result).__name__}"
    if result.shape != expected.shape:
        return f"wrong shape ; expected {expected.shape}, got {result.shape}"
    if expected.dtype.kind in "biufc" and result.dtype.kind in "biufc":
        return _number_difference(result, expected, tolerance)
    for place in np.ndindex(expected.shape):
        if result[place] != expected[place]:
            got, wanted = result[place], expected[place]
            return f"another result ; expected {_short(wanted)}, got {_short(got)}"
    return ""


def _number_difference(result, expected, tolerance):
    """Compare numbers; NaN is always wrong."""
    result, expected = result.astype("float64"), expected.astype("float64")
    apart = np.abs(result - expected)
    apart = np.where(np.isfinite(apart), apart, np.inf)
    apart = np.where(result == expected, 0.0, apart)  # equal infinities
    if not apart.size or apart.max() <= tolerance:
        return ""
    place = np.unravel_index(apart.argmax(), apart.shape)
    where = f" at {tuple(int(i) for i in place)}" if place else ""
    return (
        f"max difference {apart.max():.3g} ; expected {expected[place]:.6g}, "
        f"got {result[place]:.6g}{where}"
    )


def _array(value):
    """Return numbers, texts or tensors as a NumPy array."""
    if hasattr(value, "detach"):
        value = value.detach().cpu()
    return np.asarray(value)


def _place(case):
    return case.label or f"input {_short(case.arguments)}"


def _short(value, longest=60):
    """Return a value's text on one line, cut when it is long."""
    text = " ".join(
        repr(
            value.item() if np.ndim(value) == 0 and hasattr(value, "item") else value
        ).split()
    )
    return text if len(text) <= longest else f"{text[: longest - 1]}…"

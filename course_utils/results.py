"""Figures that a lesson reports: printed, and stored where programs can read them.

A recorded figure is an output of the cell under the MIME type `MIME_TYPE`. The report,
the README's table and the website read the stored outputs, so a number is written
down once.
"""

import math
import numbers
import re

from course_utils import environment

MIME_TYPE = "application/vnd.course-result+json"

_NAME = re.compile(r"[a-z][a-z0-9_]*(\.[a-z0-9_]+)+")


def record(name, value, unit=""):
    """Show a figure and store it in the cell's output.

    Args:
        name: dotted lower-case name, such as "imdb.positions.test_accuracy".
        value: a finite number; NumPy and Keras scalars are fine.
        unit: what the number counts, such as "minutes"; "" for a plain number.

    Raises:
        ValueError: the name isn't dotted lower-case, or the value isn't finite.

    Example:
        >>> record("demo.test_accuracy", 0.891234)
        demo.test_accuracy = 0.8912
    """
    _show({"name": name, "value": _checked(name, value), "unit": unit})


def expect(name, value, at_least=None, at_most=None, unit=""):
    """Record a figure and say whether it reached its bounds.

    In the course's tests (``COURSE_STRICT=1``) a missed bound is an error. A learner's
    run goes on: another machine may be slower, and its rounding differs.

    Args:
        name: dotted lower-case name.
        value: a finite number.
        at_least: the lower bound: a number, or one for each data mode, such as
            `{"sample": 0.95, "full": 0.89}`. A mode that is missing has no bound.
        at_most: the upper bound, in the same form.
        unit: what the number counts.

    Raises:
        AssertionError: the value is outside the bounds, and COURSE_STRICT is 1.
        ValueError: wrong name, value or bounds.

    Example:
        >>> expect("demo.test_accuracy", 0.891, at_least=0.88)
        demo.test_accuracy = 0.891 (at least 0.88: reached)
    """
    value = _checked(name, value)
    if at_least is None and at_most is None:
        raise ValueError(f"expect({name!r}) needs at_least or at_most.")
    wanted = {"at_least": _bound(at_least), "at_most": _bound(at_most)}
    wanted = {key: bound for key, bound in wanted.items() if bound is not None}
    payload = {"name": name, "value": value, "unit": unit, **wanted}
    _show(payload)
    if passed(payload) is False and environment.strict():
        raise AssertionError(
            f"{missed(payload)} with the data mode {environment.data_mode()!r}."
        )


def passed(payload):
    """Tell whether a stored result keeps its bounds; None when it has none.

    Example:
        >>> passed({"name": "demo.bleu", "value": 45.0, "at_least": 44})
        True
    """
    if "at_least" not in payload and "at_most" not in payload:
        return None
    low = payload.get("at_least", -math.inf)
    high = payload.get("at_most", math.inf)
    return low <= payload["value"] <= high


def missed(payload):
    """Say what a stored result should have been.

    Example:
        >>> missed({"name": "demo.bleu", "value": 43.0, "unit": "", "at_least": 44})
        'demo.bleu is 43, but it should be at least 44'
    """
    value = _with_unit(payload["value"], payload["unit"])
    return f"{payload['name']} is {value}, but it should be {bounds(payload, ' and ')}"


def bounds(payload, between=", "):
    """Write the bounds of a stored result; an empty string when it has none.

    Example:
        >>> bounds({"name": "demo.bleu", "value": 43.0, "unit": "", "at_least": 44})
        'at least 44'
    """
    keys = [key for key in ("at_least", "at_most") if key in payload]
    return between.join(
        f"{key.replace('_', ' ')} {format_value(payload[key])}" for key in keys
    )


def collect(notebook):
    """Return the results stored in a notebook, in order.

    Args:
        notebook: a notebook as a dictionary (JSON or nbformat).

    Returns:
        A list of `{"name", "value", "unit", ...}`; a name that is recorded twice
        keeps its place and its last value.
    """
    found = {}
    for cell in notebook["cells"]:
        for output in cell.get("outputs", []):
            payload = output.get("data", {}).get(MIME_TYPE)
            if payload is not None:
                found[payload["name"]] = dict(payload)
    return list(found.values())


def format_value(value):
    """Write a number for people: whole ones in full, others with four digits.

    Example:
        >>> format_value(118964), format_value(0.89123), format_value(44.0512)
        ('118,964', '0.8912', '44.05')
    """
    if isinstance(value, int):
        return f"{value:,}"
    if value and abs(value) < 1e-4:
        return f"{value:.2e}"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{float(f'{value:.4g}'):g}"


def _checked(name, value):
    """Return `value` as a Python number, or explain what is wrong with either."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(
            f"A result's name is dotted lower-case, such as "
            f"'imdb.positions.test_accuracy', but this one is {name!r}."
        )
    if isinstance(value, numbers.Integral):
        return int(value)
    try:
        number = float(value)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: {value!r} is not a number.") from error
    if not math.isfinite(number):
        raise ValueError(f"{name} is {number}, but a result must be a finite number.")
    return number


def _bound(bound):
    """Return the bound that holds in this data mode, or None."""
    if isinstance(bound, dict):
        if unknown := set(bound) - set(environment.DATA_MODES):
            raise ValueError(
                f"Unknown data mode {min(unknown)!r} in a bound; the modes are "
                "'sample' and 'full'."
            )
        bound = bound.get(environment.data_mode())
    if bound is None or isinstance(bound, int):
        return bound
    return float(bound)


def _with_unit(value, unit):
    return f"{format_value(value)} {unit}".strip()


def _text(payload):
    """Return the line that a reader sees for a payload."""
    line = f"{payload['name']} = {_with_unit(payload['value'], payload['unit'])}"
    verdict = passed(payload)
    if verdict is None:
        return line
    return f"{line} ({bounds(payload)}: {'reached' if verdict else 'not reached'})"


def _show(payload):
    """Display the payload in a notebook, or print its line elsewhere."""
    text = _text(payload)
    try:
        from IPython import get_ipython
    except ImportError:
        shell = None
    else:
        shell = get_ipython()
    if shell is None or not hasattr(shell, "kernel"):
        print(text)
        return
    from IPython.display import display

    display({MIME_TYPE: payload, "text/plain": text}, raw=True)

"""Figures that a lesson reports: printed, and stored where programs can read them.

A recorded figure is an output of the cell under the MIME type `MIME_TYPE`. The report,
the README's table and the website read the stored outputs, so a number is written
down once.
"""

import math
import numbers
import re

from course_utils.kit import environment

MIME_TYPE = "application/vnd.course-result+json"

_NAME = re.compile(r"[a-z][a-z0-9_]*(\.[a-z0-9_]+)+")
_TIME_UNIT = re.compile(
    r"(^|\s)(s|ms|milliseconds|seconds|minutes|hours)$|/(s|min|h)$|^m?s/|per (sec|min)"
)
_TIME_WORDS = {"time", "elapsed", "latency", "speed", "speedup", "throughput"}
_TIME_WORDS |= {"second", "seconds", "milliseconds", "minutes", "hours"}


def record(name, value, unit="", noise=None):
    """Show a figure and store it in the cell's output.

    Args:
        name: dotted lower-case name, such as "imdb.positions.test_accuracy".
        value: a finite number; NumPy and Keras scalars are fine.
        unit: what the number counts, such as "minutes"; "" for a plain number.
        noise: by how much the figure may differ in another run without a reason, such
            as the standard deviation over seeds. A sentence that mentions the figure
            has to be read again after a larger change.

    Raises:
        ValueError: the name isn't dotted lower-case, or a number isn't finite.

    Example:
        >>> record("demo.test_accuracy", 0.891234)
        demo.test_accuracy = 0.8912
    """
    payload = {"name": name, "value": _checked(name, value), "unit": unit}
    _show(payload | _noise(name, noise))


def expect(name, value, at_least=None, at_most=None, unit="", clock=False, noise=None):
    """Record a figure and say whether it reached its bounds.

    In the course's tests (``COURSE_STRICT=1``) a missed bound is an error. A learner's
    run goes on, for another machine's rounding differs.

    What depends on a clock says so: a time, a speed, the ratio of two times, or what
    was learned in a given time. Its bounds are asked of the stored run, on the machine
    that the stored lesson names. Anywhere else they are a comparison, never an error.

    Args:
        name: dotted lower-case name.
        value: a finite number.
        at_least: the lower bound: a number, or one for each data mode, such as
            `{"sample": 0.95, "full": 0.89}`. A mode that is missing has no bound.
        at_most: the upper bound, in the same form.
        unit: what the number counts.
        clock: whether the figure depends on a clock.
        noise: as in `record`.

    Raises:
        AssertionError: the value is outside the bounds, COURSE_STRICT is 1, and the
            figure doesn't depend on a clock.
        ValueError: wrong name, value or bounds, or a time without ``clock=True``.

    Example:
        >>> expect("demo.test_accuracy", 0.891, at_least=0.88)
        demo.test_accuracy = 0.891 (at least 0.88: reached)
        >>> expect("demo.minutes", 6.4, at_most=6, unit="minutes", clock=True)
        demo.minutes = 6.4 minutes (at most 6: not reached; machines differ in speed)
    """
    value = _checked(name, value)
    if at_least is None and at_most is None:
        raise ValueError(f"expect({name!r}) needs at_least or at_most.")
    if says_time(name, unit) and not clock:
        raise ValueError(f"{name} is a time, so its bounds need clock=True.")
    wanted = {"at_least": _bound(at_least), "at_most": _bound(at_most)}
    wanted = {key: bound for key, bound in wanted.items() if bound is not None}
    payload = {"name": name, "value": value, "unit": unit, **wanted}
    payload |= _noise(name, noise)
    if clock:
        payload["clock"] = True
    _show(payload)
    if failed(payload) and environment.strict():
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


def failed(payload):
    """Tell whether a stored result missed a bound that every machine has to keep.

    Example:
        >>> failed({"name": "demo.seconds", "value": 45.0, "unit": "s", "at_most": 44})
        False
    """
    return passed(payload) is False and not depends_on_clock(payload)


def depends_on_clock(payload):
    """Tell whether a stored result was marked with ``clock=True``, or is a time."""
    return payload.get("clock", False) or says_time(payload["name"], payload["unit"])


def says_time(name, unit):
    """Tell whether a figure's unit or name says that it is a time or a speed.

    Example:
        >>> says_time("demo.train", "minutes"), says_time("demo.greedy", "sentences/s")
        (True, True)
        >>> says_time("demo.greedy.speedup", ""), says_time("demo.bleu", "points")
        (True, False)
    """
    words = set(re.split(r"[._]", name))
    return bool(_TIME_UNIT.search(unit) or words & _TIME_WORDS)


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


def _noise(name, noise):
    """Return the part of a payload that states its noise, if it does."""
    return {} if noise is None else {"noise": _checked(name, noise)}


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
    reached = passed(payload)
    if reached is None:
        return line
    outcome = "reached" if reached else "not reached"
    if not reached and depends_on_clock(payload):
        outcome += "; machines differ in speed"
    return f"{line} ({bounds(payload)}: {outcome})"


def _show(payload):
    """Display the payload in a notebook, or print its line elsewhere."""
    if not environment.in_notebook():
        print(_text(payload))
        return
    from IPython.display import display

    display({MIME_TYPE: payload, "text/plain": _text(payload)}, raw=True)

"""Figures that a lesson reports: shown, and stored where programs can read them.

A recorded figure is an output of the cell under the MIME type `MIME_TYPE`. The report,
the README's table and the website read the stored outputs, so a number is written
down once.

A lesson records all its figures in one cell at its end, with one call of
``record_all``. The lessons of the second edition call ``record`` and ``expect`` once
for each figure, wherever they stand.
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


def record_all(figures):
    """Show all figures of a lesson as a list, and store them in the cell's output.

    Args:
        figures: dotted lower-case name to a finite number, or to a ``figure`` where
            the number has a unit, noise, or bounds.

    Raises:
        AssertionError: a figure is outside its bounds and COURSE_STRICT is 1, as in
            the course's tests; times never are.
        ValueError: a name isn't dotted lower-case, or a number isn't finite.

    Example:
        >>> record_all({"demo.bleu": 47.25, "demo.loss": figure(1.5, at_most=2)})
        demo.bleu = 47.25
        demo.loss = 1.5 (at most 2: reached)
    """
    payloads = []
    for name, value in figures.items():
        entry = value if isinstance(value, dict) else figure(value)
        payload = {"name": name, **entry, "value": _checked(name, entry["value"])}
        if "noise" in entry:
            payload["noise"] = _checked(name, entry["noise"])
        payloads.append(payload)
    _show(payloads)
    _fail_for_missed_bounds(payloads)


def figure(value, unit="", at_least=None, at_most=None, timing=False, noise=None):
    """Return a number with what is to be known of it, for ``record_all``.

    Args:
        value: a finite number; NumPy and Keras scalars are fine.
        unit: what the number counts, such as "minutes".
        at_least, at_most: bounds that were written down before the run: a number, or
            one for each data mode, such as `{"sample": 0.95, "full": 0.89}`. A mode
            that is missing has no bound.
        timing: whether the figure depends on a clock, such as a ratio of two times. Its
            bounds are asked of the stored run only. Units of time say so themselves.
        noise: by how much the figure may differ in another run without a reason, such
            as the standard deviation over seeds.
    """
    entry = {"value": value, "unit": unit}
    low = _bound(at_least)
    high = _bound(at_most)
    if low is not None:
        entry["at_least"] = low
    if high is not None:
        entry["at_most"] = high
    if timing:
        entry["clock"] = True
    if noise is not None:
        entry["noise"] = noise
    return entry


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
    record_all({name: figure(value, unit, noise=noise)})


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
    if at_least is None and at_most is None:
        raise ValueError(f"expect({name!r}) needs at_least or at_most.")
    if says_time(unit) and not clock:
        raise ValueError(f"{name} is a time, so its bounds need clock=True.")
    record_all({name: figure(value, unit, at_least, at_most, clock, noise)})


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
    """Tell whether a stored result was marked as one, or its unit is a time's."""
    return payload.get("clock", False) or says_time(payload["unit"])


def says_time(unit):
    """Tell whether a figure's unit says that it is a time or a speed.

    Example:
        >>> says_time("minutes"), says_time("sentences/s"), says_time("points")
        (True, True, False)
    """
    return bool(_TIME_UNIT.search(unit))


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
            stored = output.get("data", {}).get(MIME_TYPE, [])
            payloads = stored if isinstance(stored, list) else [stored]
            for payload in payloads:
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


def _fail_for_missed_bounds(payloads):
    """Raise an error for figures outside their bounds, in the course's tests only."""
    if not environment.strict():
        return
    sentences = [missed(payload) for payload in payloads if failed(payload)]
    if sentences:
        raise AssertionError(
            f"{'; '.join(sentences)} with the data mode {environment.data_mode()!r}."
        )


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


def _show(payloads):
    """Display the payloads in a notebook, or print their lines elsewhere."""
    text = "\n".join(_text(payload) for payload in payloads)
    if not environment.in_notebook():
        print(text)
        return
    from IPython.display import display

    display({MIME_TYPE: payloads, "text/plain": text}, raw=True)

"""Text alternatives, written from the numbers that a figure draws.

A reader who can't see a figure gets what is shown, the axes, and what a reader who sees
it would look at: where a map is strongest, where a line begins and ends.
"""

import numpy as np

MOST_ROWS = 8  # of a map that are described one by one
MOST_NAMES = 16  # of bars, dots or lines that are described one by one


def of_map(weights, rows, columns, title, xlabel="", ylabel="", marked=()):
    """Describe one map of weights.

    Args:
        weights: (T, S) numbers.
        rows, columns: labels.
        title, xlabel, ylabel: as the map shows them.
        marked: (row, column) of the cells with a frame.
    Returns:
        A text.

    Example:
        >>> weights = [[0.9, 0.1], [0.3, 0.7]]
        >>> of_map(weights, ["la", "casa"], ["the", "house"], "Weights")
        'Weights. A map of 2 rows (la, casa) and 2 columns (the, house).
        Largest in each row: la: the 0.90; casa: house 0.70.'
    """
    weights = np.asarray(weights, dtype="float64")
    row_axis = f"{_count(len(rows), 'row')}{_named(rows, ylabel)}"
    column_axis = f"{_count(len(columns), 'column')}{_named(columns, xlabel)}"
    parts = [f"{_sentence(title)} A map of {row_axis} and {column_axis}."]
    largest = _largest_in_rows(weights, rows, columns)
    if largest:
        parts.append(f"Largest in each row: {'; '.join(largest)}.")
    return " ".join(parts + _frames(rows, columns, marked))


def of_heads(weights, rows, columns, title, names, marked=()):
    """Describe the maps of several heads.

    Args:
        weights: (H, T, S) numbers.
        rows, columns: labels.
        title: above all maps.
        names: H texts above the maps.
        marked: (row, column) of the cells with a frame in every map.
    Returns:
        A text.
    """
    weights = np.asarray(weights, dtype="float64")
    row_axis = f"{_count(len(rows), 'row')}{_named(rows)}"
    column_axis = f"{_count(len(columns), 'column')}{_named(columns)}"
    maps = _count(len(names), "map")
    parts = [f"{_sentence(title)} {maps} of {row_axis} and {column_axis}."]
    few = len(names) * len(rows) <= 2 * MOST_ROWS
    for name, head in zip(names, weights, strict=True):
        if few:
            largest = "; ".join(_largest_in_rows(head, rows, columns))
            parts.append(f"{name}, largest in each row: {largest}.")
        elif np.isfinite(head).any():
            row, column = np.unravel_index(np.nanargmax(head), head.shape)
            place = f"{rows[row]} – {columns[column]} {_number(head[row, column])}"
            parts.append(f"{name}: largest at {place}.")
    return " ".join(parts + _frames(rows, columns, marked))


def of_lines(lines, positions, title, xlabel, ylabel, references=None):
    """Describe lines: where each begins and ends, and its lowest and highest points.

    Args:
        lines: dict from name to numbers, one for each of the first positions.
        positions: of the points on the x axis.
        title, xlabel, ylabel: as the figure shows them.
        references: dict from name to the height of a line to compare with.
    Returns:
        A text.

    Example:
        >>> of_lines({"training": [0.6, 0.4, 0.5]}, [1, 2, 3], "Loss", "epoch", "loss")
        'Loss. Lines of loss (vertical) by epoch (horizontal).
        training: from 0.6 at 1 to 0.5 at 3, lowest 0.4 at 2.'
    """
    axes = f"Lines of {ylabel} (vertical) by {xlabel} (horizontal)."
    parts = [f"{_sentence(title)} {axes}"]
    for name, values in list(lines.items())[:MOST_NAMES]:
        parts.append(f"{name}: {_course(np.asarray(values), positions)}.")
    if len(lines) > MOST_NAMES:
        parts.append(f"And {len(lines) - MOST_NAMES} more lines.")
    return " ".join(parts + _references(references))


def of_values(values, title, ylabel, spreads=None, references=None):
    """Describe one number for each name: bars, or the means of dots.

    Args:
        values: dict from name to number.
        title, ylabel: as the figure shows them.
        spreads: dict from name to a text behind the number, such as "± 0.1".
        references: dict from name to the height of a line to compare with.
    Returns:
        A text.

    Example:
        >>> of_values({"words": 0.8, "pairs": 0.9}, "Accuracy", "share")
        'Accuracy. share: words 0.8, pairs 0.9. Highest: pairs; lowest: words.'
    """
    spreads = spreads or {}
    texts = []
    for name, value in values.items():
        spread = f" {spreads[name]}" if name in spreads else ""
        texts.append(f"{name} {_number(value)}{spread}")
    parts = [f"{_sentence(title)} {ylabel}: {_first(texts, MOST_NAMES)}."]
    numbers = {name: value for name, value in values.items() if np.isfinite(value)}
    if len(set(numbers.values())) > 1:
        highest = max(numbers, key=numbers.get)
        lowest = min(numbers, key=numbers.get)
        parts.append(f"Highest: {highest}; lowest: {lowest}.")
    return " ".join(parts + _references(references))


def of_intervals(values, title, xlabel, references=None):
    """Describe numbers with their intervals.

    Args:
        values: dict from name to (value, low, high).
        title, xlabel: as the figure shows them.
        references: dict from name to the place of a line to compare with.
    Returns:
        A text.
    """
    texts = []
    for name, (value, low, high) in values.items():
        interval = f" ({low:.3f} to {high:.3f})" if low < high else ""
        texts.append(f"{name} {value:.3f}{interval}")
    parts = [f"{_sentence(title)} {xlabel}: {', '.join(texts)}."]
    return " ".join(parts + _references(references))


def _frames(rows, columns, marked):
    """Return a sentence on the cells with a frame, in a list; none without frames."""
    cells = [f"{rows[row]} – {columns[column]}" for row, column in marked]
    return [f"Framed: {_first(cells, MOST_NAMES)}."] if cells else []


def _largest_in_rows(weights, rows, columns):
    """Return for each of the first rows a text with its largest column."""
    largest = []
    for name, row in zip(rows, weights, strict=True):
        if np.isfinite(row).any():
            column = np.nanargmax(row)
            largest.append(f"{name}: {columns[column]} {row[column]:.2f}")
    if len(largest) > MOST_ROWS:
        rest = len(largest) - MOST_ROWS
        return [*largest[:MOST_ROWS], f"and {rest} more rows"]
    return largest


def _course(values, positions):
    """Return how a line runs: "from 0.6 at 1 to 0.5 at 3, lowest 0.4 at 2"."""
    real = np.flatnonzero(np.isfinite(values))
    if len(real) == 0:
        return "no numbers"

    def point(index):
        return f"{_number(values[index])} at {_number(positions[index])}"

    first = real[0]
    last = real[-1]
    if first == last:
        return point(first)
    text = f"from {point(first)} to {point(last)}"
    lowest = real[np.argmin(values[real])]
    highest = real[np.argmax(values[real])]
    if lowest not in (first, last):
        text += f", lowest {point(lowest)}"
    if highest not in (first, last):
        text += f", highest {point(highest)}"
    return text


def _references(lines):
    """Return a list with one sentence about the lines to compare with, or none."""
    if not lines:
        return []
    texts = []
    for name, place in dict(lines).items():
        places = np.atleast_1d(place)
        ends = {_number(places[0]): None, _number(places[-1]): None}
        texts.append(f"{name} at {' to '.join(ends)}")
    return [f"To compare with: {', '.join(texts)}."]


def _sentence(title):
    """Return a title that ends like a sentence."""
    return title if str(title).endswith((".", "?", "!")) else f"{title}."


def _count(number, noun):
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _named(labels, axis=""):
    """Return an axis's name and its labels in brackets."""
    labels = [str(label) for label in labels]
    listed = ", ".join(labels) if len(labels) <= MOST_NAMES else ""
    said = ": ".join(part for part in (axis, listed) if part)
    return f" ({said})" if said else ""


def _first(texts, most):
    """Join the first texts, and say how many more there are."""
    if len(texts) <= most:
        return ", ".join(texts)
    return f"{', '.join(texts[:most])}, and {len(texts) - most} more"


def _number(value):
    """Return a number with about three digits, and whole ones whole."""
    value = float(value)
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}"

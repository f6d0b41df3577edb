"""Lines and bars, with the runs behind them, in the form that misleads least.

Colours are Okabe and Ito's, which stay apart for colour-blind readers; lines differ by
marker and dashes as well. What was measured with several seeds is drawn as their mean
with each run beside it. Axes carry real units: for powers ask for a logarithmic axis,
and don't pass logarithms.

Example:
    >>> from course_utils.kit import plots
    >>> figure = plots.curves(
    ...     {"training": [0.6, 0.4]}, "epoch", "loss", "Loss", alt="The loss falls."
    ... )
    Figure: The loss falls.
    >>> figure = plots.bars({"words": 0.8, "pairs": 0.9}, "accuracy", "On IMDB")
    Figure: On IMDB. accuracy: words 0.8, pairs 0.9. Highest: pairs; lowest: words.
"""

import itertools
import textwrap

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from course_utils.kit.plots import descriptions
from course_utils.kit.plots.figures import as_table, show

# Okabe and Ito's palette without the yellow, which is too pale on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", "--", "-.", ":")
GROUND = "#E9ECEF"  # of a part of a figure that has a name
LINE_PIXELS = 14  # of a line of small text
REFERENCE_DASHES = ("--", "-.", ":", (0, (2, 6)))  # never a whole line


def curves(
    series,
    xlabel,
    ylabel,
    title,
    alt="",
    x=None,
    ylim=None,
    log="",
    lines=None,
    caption="",
    each_run=False,
    spans=None,
):
    """Draw one line per name, for example a loss by epoch.

    Of lines that lie on each other all are seen: the first one is the widest.

    Args:
        series: dict from name to a list of numbers, or to a list of such lists, one
            for each seed; then the line is their mean, and each run a pale one.
        xlabel, ylabel: names of the axes, with units.
        title: text above the figure: what is shown.
        alt: what the figure shows, for readers who can't see it; "" writes it from the
            numbers.
        x: the positions of the points; None counts 1, 2, 3, …
        ylim: (lowest, highest) of the vertical axis.
        log: "x", "y" or "xy": the logarithmic axes. Their ticks stay real numbers.
        lines: dict from name to the height of a line to compare with, such as chance,
            a baseline, a floor or a ceiling; or to its heights. All lines have their
            names at their ends.
        caption: what to see in the figure, printed below it.
        each_run: draw the runs of a line alike, and not their mean.
        spans: dict from name to (first, last) place on the x axis: a part of the figure
            with a grey ground and its name in the middle.
    Returns:
        The matplotlib figure.
    Raises:
        ValueError: a line is longer than ``x``, the seeds of a line differ in length,
            or a logarithmic axis has a value of 0 or less.
    """
    runs = {name: _runs(name, values) for name, values in series.items()}
    longest = max(values.shape[1] for values in runs.values())
    positions = np.arange(1, longest + 1) if x is None else np.asarray(list(x))
    if len(positions) < longest:
        raise ValueError(
            f"curves: there are {len(positions)} positions on the x axis, but a line "
            f"has {longest} points; pass one position for each point."
        )
    figure, axes = plt.subplots(figsize=(8.0, 3.6), layout="constrained")
    for name, (first, last) in dict(spans or {}).items():
        axes.axvspan(first, last, color=GROUND, zorder=0)
        middle = ((first + last) / 2, 0.5)
        style = {"ha": "center", "va": "center", "color": "#555555", "fontsize": 9}
        axes.text(*middle, name, transform=axes.get_xaxis_transform(), **style)
    ends = []
    for number, (name, values) in enumerate(runs.items()):
        here = positions[: values.shape[1]]
        mean = values.mean(axis=0)
        style = {"color": COLOURS[number % len(COLOURS)]}
        last = np.median(values[:, -1]) if each_run else mean[-1]
        ends.append((name, last, style["color"]))
        style["linestyle"] = DASHES[number % len(DASHES)]
        if each_run:
            axes.plot(here, values.T, **style)
            continue
        if len(values) > 1:
            axes.plot(here, values.T, alpha=0.35, linewidth=0.8, color=style["color"])
        style["linewidth"] = 1.5 + 0.8 * (len(runs) - 1 - number)
        style["marker"] = MARKERS[number % len(MARKERS)] if longest <= 40 else None
        axes.plot(here, mean, **style)
    if x is None and longest <= 20:
        axes.set_xticks(positions)
    flat = {}
    for number, (name, height) in enumerate(dict(lines or {}).items()):
        if np.ndim(height) == 0:
            flat[name] = height
            height = [height]
        else:
            style = REFERENCE_DASHES[number % len(REFERENCE_DASHES)]
            axes.plot(positions, height, color="black", linestyle=style)
        ends.append((name, height[-1], "black"))
    _reference_lines(axes.axhline, flat)
    for name in log:
        _logarithmic(axes, name)
    if "x" in log and longest <= 10:
        axes.set_xticks(positions)  # a decade's tick alone says little
    axes.set(title=title, xlabel=xlabel, ylabel=ylabel, ylim=ylim)
    axes.grid(alpha=0.3)
    _name_ends(axes, ends)
    if not alt:
        means = {name: values.mean(axis=0) for name, values in runs.items()}
        alt = descriptions.of_lines(means, positions, title, xlabel, ylabel, lines)
        for name, (first, last) in dict(spans or {}).items():
            alt += f" Grey ground from {first} to {last}: {name}."
    return show(figure, alt, caption, _lines_as_table(xlabel, positions, runs))


def bars(
    values, ylabel, title, alt="", errors=None, line=None, line_label="", ylim=None
):
    """Draw one labelled bar per name, for example the accuracy of each model.

    A bar's length says how large its number is, so its axis begins at 0. Draw small
    differences far from 0 with `dots`.

    Args:
        values: dict from name to number.
        ylabel: name of the vertical axis.
        title: text above the figure: what is shown.
        alt: what the figure shows, for readers who can't see it; "" writes it from the
            numbers.
        errors: dict from name to the spread of its number; names may be missing.
        line: height of a dashed line to compare with, such as chance.
        line_label: what the line stands for.
        ylim: (lowest, highest) of the vertical axis.
    Returns:
        The matplotlib figure.
    Raises:
        ValueError: an error bar has no bar, or the axis begins above 0.
    """
    errors = errors or {}
    if ylim and ylim[0] > 0:
        raise ValueError(f"bars: they begin at 0, not at {ylim[0]}; pass them to dots.")
    if unknown := sorted(set(errors) - set(values)):
        raise ValueError(f"bars: there is a spread for {unknown[0]!r}, but no value.")
    figure, axes = _named_columns(values, 1.5, legend=line_label != "")
    heights = [float(value) for value in values.values()]
    drawn = axes.bar(
        range(len(values)),
        heights,
        yerr=[float(errors.get(name, 0)) for name in values] if errors else None,
        capsize=4,
        color=_colours(values),
        edgecolor="black",
    )
    labels = [f"{h:,.0f}" if abs(h) >= 1000 else f"{h:.3g}" for h in heights]
    axes.bar_label(drawn, labels, padding=3)
    if line is not None:
        axes.axhline(line, color="black", linestyle="--", label=line_label or None)
        if line_label:
            figure.legend(loc="outside right upper")  # not on a bar's number
    axes.set(title=title, ylabel=ylabel, ylim=ylim)
    rows = [[n, h, errors.get(n)] for n, h in zip(values, heights, strict=True)]
    if not alt:
        spreads = {name: f"± {float(error):.3g}" for name, error in errors.items()}
        references = {} if line is None else {line_label or "a dashed line": line}
        heights_by_name = dict(zip(values, heights, strict=True))
        alt = descriptions.of_values(
            heights_by_name, title, ylabel, spreads, references
        )
    return show(figure, alt, table=as_table(["", ylabel, "±"], rows))


def dots(values, ylabel, title, alt="", lines=(), caption=""):
    """Draw a dot for each seed and a stroke for their mean; the axis needs no 0.

    Args:
        values: dict from name to a list of numbers, one for each seed.
        ylabel, title, alt: as in `bars`.
        lines, caption: as in `curves`.
    Returns:
        The matplotlib figure.
    """
    figure, axes = _named_columns(values, 1.2, legend=len(lines) > 0)
    for position, runs in enumerate(values.values()):
        spread = np.arange(len(runs)) - (len(runs) - 1) / 2  # so equal ones are seen
        # However many there are, they stay in their own column.
        step = min(0.12, 0.6 / max(1, len(runs) - 1))
        axes.plot(
            position + step * spread, runs, "o", color="white", markeredgecolor="black"
        )
    positions = np.arange(len(values))
    means = [float(np.mean(runs)) for runs in values.values()]
    axes.hlines(
        means, positions - 0.3, positions + 0.3, colors=_colours(values), linewidth=2
    )
    _reference_lines(axes.axhline, lines)
    axes.set(title=title, ylabel=ylabel)
    axes.grid(axis="y", alpha=0.3)
    if lines:
        figure.legend(loc="outside right upper")
    rows = [[name, np.mean(runs), *runs] for name, runs in values.items()]
    columns = ["", ylabel, *[f"run {n}" for n in range(1, max(map(len, rows)) - 1)]]
    if not alt:
        spreads = {
            name: f"({min(runs):.3g} to {max(runs):.3g})"
            for name, runs in values.items()
            if len(runs) > 1
        }
        means_by_name = dict(zip(values, means, strict=True))
        alt = descriptions.of_values(means_by_name, title, ylabel, spreads, lines)
    return show(figure, alt, caption, as_table(columns, rows))


def intervals(values, xlabel, title, lines=(), caption=""):
    """Draw rates or scores with their intervals, from top to bottom.

    The text alternative is written from the numbers.

    Args:
        values: dict from name to (value, low, high).
        xlabel, title: as in `bars`.
        lines, caption: as in `curves`, but the lines are upright.
    Returns:
        The matplotlib figure.
    """
    height = 1.4 + 0.3 * len(values)
    figure, axes = plt.subplots(figsize=(8, height), layout="constrained")
    middle, low, high = np.transpose(list(values.values()))  # each (N,)
    rows = -np.arange(len(values))
    lengths = np.maximum([middle - low, high - middle], 0)  # (2, N)
    axes.errorbar(middle, rows, xerr=lengths, fmt="o", color=COLOURS[0])
    axes.set_yticks(rows, values)
    axes.margins(y=0.2)
    marks = _reference_lines(axes.axvline, lines)
    if marks:
        figure.legend(handles=marks, loc="outside right upper")
    axes.set(xlabel=xlabel, title=title)
    axes.grid(axis="x", alpha=0.3)
    alt = descriptions.of_intervals(values, title, xlabel, lines)
    table = as_table(
        ["", xlabel, "low", "high"], [[name, *ends] for name, ends in values.items()]
    )
    return show(figure, alt, caption, table)


def _named_columns(names, width, legend):
    """Return a figure with one column per name, and room for a legend beside it.

    Long names get several lines, so that neighbours don't run into each other.
    """
    wide = max(4.0, width * len(names))
    if legend:
        wide += 2.4
    figure, axes = plt.subplots(figsize=(min(12, wide), 3.6), layout="constrained")
    longest = 13 if len(names) < 10 else 9  # letters of a line, so that none collide
    labels = [textwrap.fill(name, longest, break_long_words=False) for name in names]
    axes.set_xticks(range(len(names)), labels)
    axes.margins(y=0.12)
    return figure, axes


def _colours(names):
    """Return a colour for each name, and one for all where there are too few."""
    return COLOURS[: len(names)] if len(names) <= len(COLOURS) else COLOURS[0]


def _runs(name, values):
    """Return a line's numbers as (seeds, points)."""
    try:
        return np.atleast_2d(np.asarray(values, dtype="float64"))
    except ValueError as error:
        raise ValueError(
            f"curves: the seeds of {name!r} have different numbers of points."
        ) from error


def _lines_as_table(xlabel, positions, runs):
    """Return the numbers of all lines: the mean, and each run where there are more."""
    columns = {}
    for name, values in runs.items():
        columns[name] = values.mean(axis=0)
        if len(values) > 1:
            for number, run in enumerate(values, 1):
                columns[f"{name}, run {number}"] = run
    rows = list(itertools.zip_longest(positions, *columns.values()))
    return as_table([xlabel, *columns], rows)


def _name_ends(axes, ends):
    """Write the names of lines beside their right ends, none upon another.

    Args:
        axes: with all its lines, its scales and limits.
        ends: (name, height, colour) of each line.
    """
    lowest_shown, highest_shown = axes.get_ylim()  # fixes the limits, too
    to_pixels = axes.transData.transform
    names = [textwrap.fill(name, 24) for name, _, _ in ends]
    heights = [
        to_pixels((1, np.clip(height, lowest_shown, highest_shown)))[1]
        for _, height, _ in ends
    ]
    order = np.argsort(heights)
    places = {}
    lowest = -np.inf
    for number in order:
        lines_of_text = names[number].count("\n") + 1
        half = 0.5 * lines_of_text * LINE_PIXELS
        places[number] = max(heights[number], lowest + half)
        lowest = places[number] + half
    highest = to_pixels((1, highest_shown))[1]
    for number in order[::-1]:
        half = 0.5 * (names[number].count("\n") + 1) * LINE_PIXELS
        places[number] = min(places[number], highest - half)
        highest = places[number] - half
    for number, (_, _, colour) in enumerate(ends):
        height = axes.transAxes.inverted().transform((0, places[number]))[1]
        axes.text(
            1.015,
            height,
            names[number],
            transform=axes.transAxes,
            color=colour,
            va="center",
            fontsize=9,
        )


def _reference_lines(draw, lines):
    """Draw lines to compare with, by `axhline` or `axvline`; return them."""
    return [
        draw(
            place,
            color="black",
            linestyle=REFERENCE_DASHES[number % len(REFERENCE_DASHES)],
            label=name,
        )
        for number, (name, place) in enumerate(dict(lines or {}).items())
    ]


def _logarithmic(axes, name):
    """Make an axis, "x" or "y", logarithmic, with real numbers at its ticks."""
    axis = {"x": axes.xaxis, "y": axes.yaxis}[name]
    low, high = axis.get_data_interval()
    if low <= 0:
        raise ValueError(
            f"curves: a logarithmic axis can't show {low:g}; leave it out."
        )
    axes.set(**{f"{name}scale": "log"})
    if high < 100 * low:  # with 1, 10, … alone hardly a tick would be seen
        axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axis.set_minor_formatter(NullFormatter())

"""Lines and bars, with the runs behind them, in the form that misleads least.

Colours are Okabe and Ito's, which stay apart for colour-blind readers; lines differ by
marker and dashes as well. A value that was measured with several seeds is drawn as
their mean with a dot for each. Axes carry real units: for powers ask for a logarithmic
axis, and don't pass logarithms.

Example:
    >>> from course_utils import plots
    >>> figure = plots.curves(
    ...     {"training": [0.6, 0.4]}, "epoch", "loss", "Loss", alt="The loss falls."
    ... )
    Figure: The loss falls.
"""

import textwrap

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import FuncFormatter, NullFormatter

from course_utils.plots.figures import show

# Okabe and Ito's palette without the yellow, which is too pale on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
DASHES = ("-", "--", "-.", ":")


def curves(
    series,
    xlabel,
    ylabel,
    title,
    alt,
    x=None,
    ylim=None,
    logx=False,
    logy=False,
    lines=None,
    caption="",
):
    """Draw one line per name, for example a loss by epoch.

    Args:
        series: dict from name to a list of numbers, or to a list of such lists, one
            for each seed; then the line is their mean, and each run a pale one.
        xlabel, ylabel: names of the axes, with units.
        title: text above the figure: what is shown.
        alt: what the figure shows, for readers who can't see it.
        x: the positions of the points; None counts 1, 2, 3, …
        ylim: (lowest, highest) of the vertical axis.
        logx, logy: whether an axis is logarithmic; its ticks stay real numbers.
        lines: dict from name to the height of a line to compare with, such as chance,
            a baseline, a floor or a ceiling.
        caption: what to see in the figure, printed below it.
    Returns:
        The matplotlib figure.
    Raises:
        ValueError: a line is longer than ``x``, the seeds of a line differ in length, a
            logarithmic axis has values of 0 or less, or there is no text alternative.
    """
    figure, axes = plt.subplots(figsize=(8.0, 3.6), layout="constrained")
    runs = {name: _runs("curves", name, values) for name, values in series.items()}
    longest = max(values.shape[1] for values in runs.values())
    positions = np.arange(1, longest + 1) if x is None else np.asarray(list(x))
    if len(positions) < longest:
        raise ValueError(
            f"curves: there are {len(positions)} positions on the x axis, but a line "
            f"has {longest} points; pass one position for each point."
        )
    for number, (name, values) in enumerate(runs.items()):
        colour = COLOURS[number % len(COLOURS)]
        here = positions[: values.shape[1]]
        if len(values) > 1:
            axes.plot(here, values.T, color=colour, alpha=0.35, linewidth=0.8)
        axes.plot(
            here,
            values.mean(axis=0),
            label=name,
            color=colour,
            linestyle=DASHES[number % len(DASHES)],
            marker=MARKERS[number % len(MARKERS)] if longest <= 40 else None,
        )
    if x is None and longest <= 20:
        axes.set_xticks(positions)
    axes.set(title=title, xlabel=xlabel, ylabel=ylabel, ylim=ylim)
    _reference_lines(axes, lines)
    for axis, wanted in ((axes.xaxis, logx), (axes.yaxis, logy)):
        if wanted:
            _logarithmic(axes, axis)
    axes.grid(alpha=0.3)
    figure.legend(loc="outside right upper")  # beside the lines, never on them
    return show(figure, alt, caption)


def bars(
    values,
    ylabel,
    title,
    alt,
    errors=None,
    line=None,
    line_label="",
    ylim=None,
    caption="",
):
    """Draw one labelled bar per name, for example the accuracy of each model.

    Args:
        values: dict from name to a number, or to a list of numbers, one for each seed;
            then the bar is their mean, with a dot for each.
        ylabel: name of the vertical axis.
        title: text above the figure: what is shown.
        alt: what the figure shows, for readers who can't see it.
        errors: dict from name to the spread of its number; names may be missing.
        line: height of a dashed line to compare with, such as chance.
        line_label: what the line stands for.
        ylim: (lowest, highest) of the vertical axis, with 0 between: a bar's length
            says how large its number is. For small differences far from 0 draw `dots`.
        caption: what to see in the figure, printed below it.
    Returns:
        The matplotlib figure.
    Raises:
        ValueError: an error bar has no bar, the axis has no 0, or there is no text
            alternative.
    """
    errors = errors or {}
    if unknown := sorted(set(errors) - set(values)):
        raise ValueError(f"bars: there is a spread for {unknown[0]!r}, but no value.")
    names = list(values)
    runs = [np.atleast_1d(np.asarray(v, "float64")) for v in values.values()]
    heights = [float(run.mean()) for run in runs]
    width = max(4.0, 1.5 * len(names))
    figure, axes = plt.subplots(figsize=(min(12, width), 3.6), layout="constrained")
    spread = [float(errors.get(name, 0)) for name in names]
    drawn = axes.bar(
        names,
        heights,
        yerr=spread if errors else None,
        capsize=4,
        color=[COLOURS[i % len(COLOURS)] for i in range(len(names))],
        edgecolor="black",
    )
    labels = [f"{h:,.0f}" if abs(h) >= 1000 else f"{h:.3g}" for h in heights]
    axes.bar_label(drawn, labels, padding=3)
    _dots(axes, [run if len(run) > 1 else [] for run in runs])
    # Long names get several lines, so that neighbours don't run into each other.
    axes.set_xticks(range(len(names)), [textwrap.fill(name, 13) for name in names])
    if line is not None:
        axes.axhline(line, color="black", linestyle="--", label=line_label or None)
        if line_label:
            figure.legend(loc="outside right upper")  # not on a bar's number
    axes.margins(y=0.12)
    axes.set(title=title, ylabel=ylabel, ylim=ylim)
    return show(figure, alt, caption)


def dots(values, ylabel, title, alt, lines=None, ylim=None, caption=""):
    """Draw a dot for each seed and a stroke for their mean, on an axis without a 0.

    Args:
        values: dict from name to a list of numbers, one for each seed.
        ylabel, title, alt, caption: as in `bars`.
        lines: dict from name to the height of a line to compare with.
        ylim: (lowest, highest) of the vertical axis.
    Returns:
        The matplotlib figure.
    Raises:
        ValueError: there is no text alternative.
    """
    runs = [np.atleast_1d(np.asarray(v, "float64")) for v in values.values()]
    width = min(12, max(4.0, 1.2 * len(runs) + 1))
    figure, axes = plt.subplots(figsize=(width, 3.6), layout="constrained")
    means = [run.mean() for run in runs]
    edges = np.arange(len(runs)) - 0.28, np.arange(len(runs)) + 0.28
    axes.hlines(
        means, *edges, colors=[COLOURS[i % len(COLOURS)] for i in range(len(runs))]
    )
    _dots(axes, runs)
    _reference_lines(axes, lines)
    axes.set_xticks(range(len(runs)), [textwrap.fill(name, 13) for name in values])
    axes.grid(axis="y", alpha=0.3)
    axes.margins(y=0.12)
    axes.set(title=title, ylabel=ylabel, ylim=ylim)
    if lines:
        figure.legend(loc="outside right upper")
    return show(figure, alt, caption)


def _runs(function, name, values):
    """Return values as (seeds, points)."""
    try:
        return np.atleast_2d(np.asarray(values, dtype="float64"))
    except ValueError as error:
        raise ValueError(
            f"{function}: the seeds of {name!r} have different numbers of points."
        ) from error


def _dots(axes, runs):
    """Draw each run beside its neighbours, so that equal ones stay visible."""
    for position, run in enumerate(runs):
        beside = position + np.linspace(-0.12, 0.12, len(run)) if len(run) else []
        axes.plot(
            beside, run, "o", color="white", markeredgecolor="black", markersize=5
        )


def _reference_lines(axes, lines):
    for number, (name, height) in enumerate((lines or {}).items()):
        style = DASHES[1 + number % 3]
        axes.axhline(height, color="black", linestyle=style, linewidth=1, label=name)


def _logarithmic(axes, axis):
    """Make an axis logarithmic, with real numbers at its ticks."""
    low, _ = axis.get_data_interval()
    if low <= 0:
        raise ValueError(
            f"curves: a logarithmic axis needs positive values, but the smallest is "
            f"{low:g}."
        )
    (axes.set_xscale if axis is axes.xaxis else axes.set_yscale)("log")
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axis.set_minor_formatter(NullFormatter())

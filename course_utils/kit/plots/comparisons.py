"""Variants beside each other: one row each, or several measures in small panels.

Every row and line is named where it stands, and one colour has one meaning in a figure.
The text alternatives are written from the numbers.

Example:
    >>> from course_utils.kit import plots
    >>> runs = {"counted": [0.6], "whole model": [0.91, 0.93]}
    >>> figure = plots.ranked(runs, "accuracy", "Reviews")
    Figure: Reviews. accuracy: counted 0.6, whole model 0.92 (0.91 to 0.93).
    Highest: whole model; lowest: counted.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import MaxNLocator

from course_utils.kit.plots import descriptions
from course_utils.kit.plots.charts import COLOURS, DASHES, MARKERS
from course_utils.kit.plots.figures import as_table, show

GREY = "#5F6670"
LEAST_GAP = 0.075  # between the names of two lines, as a share of a panel's height


def ranked(values, xlabel, title, kinds=None, lines=None, caption=""):
    """Draw a row for each name, from top to bottom: each run, the mean, its number.

    Args:
        values: dict from name to a list of numbers, one for each seed.
        xlabel, title: name of the horizontal axis, and what is shown.
        kinds: dict from a kind, such as "counted", to the names of that kind; each kind
            has a colour and a marker of its own, named below the rows. Names without a
            kind are grey.
        lines: dict from name to the place of an upright line to compare with, such as
            chance or a ceiling.
        caption: what to see in the figure, printed below it.
    Returns:
        The matplotlib figure.
    """
    kinds = kinds or {}
    lines = lines or {}
    figure, axes = plt.subplots(
        figsize=(8, 1.5 + 0.36 * len(values)), layout="constrained"
    )
    of_name = {}
    for number, names in enumerate(kinds.values()):
        for name in names:
            of_name[name] = (COLOURS[number], MARKERS[number])
    for row, (name, runs) in enumerate(values.items()):
        colour, marker = of_name.get(name, (GREY, "o"))
        mean = float(np.mean(runs))
        axes.plot([mean, mean], [row - 0.32, row + 0.32], color=colour, linewidth=3)
        axes.plot(runs, [row] * len(runs), marker, color="white", mec=colour, ms=6)
        axes.annotate(
            f"{mean:.3f}",
            (max(runs), row),
            (9, 0),
            textcoords="offset points",
            va="center",
            color=colour,
            fontweight="bold",
        )
    axes.set_yticks(range(len(values)), list(values))
    for label, name in zip(axes.get_yticklabels(), values, strict=True):
        label.set_color(of_name.get(name, (GREY, "o"))[0])
    axes.set_ylim(len(values) - 0.4, -0.6 - 0.6 * bool(lines))
    low, high = axes.get_xlim()
    axes.set_xlim(low, high + 0.08 * (high - low))  # room for the last number
    for name, place in lines.items():
        axes.axvline(place, color=GREY, linestyle="--", linewidth=1.2, zorder=0.5)
        axes.annotate(
            name,
            (place, -0.95),
            (4, 0),
            textcoords="offset points",
            va="center",
            color=GREY,
        )
    axes.set(title=title, xlabel=xlabel)
    axes.grid(axis="x", alpha=0.3)
    for number, kind in enumerate(kinds):
        style = {"color": COLOURS[number], "marker": MARKERS[number], "mfc": "white"}
        axes.plot([], [], linestyle="none", label=kind, **style)
    if kinds:
        figure.legend(loc="outside lower center", ncols=len(kinds), frameon=False)
    spreads = {
        name: f"({min(runs):.3g} to {max(runs):.3g})"
        for name, runs in values.items()
        if len(runs) > 1
    }
    means = {name: float(np.mean(runs)) for name, runs in values.items()}
    alt = descriptions.of_values(means, title, xlabel, spreads, lines)
    most = max(len(runs) for runs in values.values())
    columns = ["", xlabel, *[f"run {number}" for number in range(1, most + 1)]]
    rows = [[name, means[name], *runs] for name, runs in values.items()]
    return show(figure, alt, caption, as_table(columns, rows))


def panels(
    measures, xlabel, title, x=None, log=(), lines=None, backwards=(), caption=""
):
    """Draw several measures of the same variants, each in a panel of its own.

    A variant has one colour in all panels, and its name at the end of its line.

    Args:
        measures: dict from a panel's title to its lines: dict from a variant's name to
            a list of numbers, or to a list of such lists, one for each seed; then the
            line is their mean (the geometric one on a logarithmic axis), and each run
            a pale one. The first panel has all variants; in another one some may be
            missing.
        xlabel, title: name of the horizontal axis, and what is shown.
        x: the positions of the points; None counts 0, 1, 2, … A shorter line takes the
            last ones.
        log: titles of the panels with a logarithmic axis.
        lines: dict from a panel's title to (name, height) of a line to compare with.
        backwards: titles of the panels whose horizontal axis runs from right to left.
        caption: what to see in the figure, printed below it.
    Returns:
        The matplotlib figure.
    """
    lines = lines or {}
    rows = (len(measures) + 1) // 2
    figure, grid = plt.subplots(
        rows, 2, figsize=(11.5, 3.3 * rows), layout="constrained", squeeze=False
    )
    texts = []
    table = []
    names = list(next(iter(measures.values())))
    for axes, (panel, variants) in zip(grid.flat, measures.items(), strict=False):
        means = {}
        for number, name in enumerate(names):
            if name not in variants:
                continue
            runs = np.atleast_2d(np.asarray(variants[name], "float64"))
            length = runs.shape[1]
            positions = np.arange(length) if x is None else np.asarray(x)[-length:]
            colour = COLOURS[number]
            if len(runs) > 1:
                axes.plot(positions, runs.T, color=colour, alpha=0.3, linewidth=0.8)
            if panel in log:  # half-way on the axis: the geometric mean
                means[name] = np.exp(np.log(runs).mean(axis=0))
            else:
                means[name] = runs.mean(axis=0)
            style = {"marker": MARKERS[number], "linestyle": DASHES[number]}
            axes.plot(positions, means[name], color=colour, markersize=4, **style)
            table.append([panel, name, *means[name]])
        if panel in log:
            axes.set_yscale("log")
        if panel in lines:
            name, height = lines[panel]
            axes.axhline(height, color=GREY, linestyle=":")
            axes.annotate(
                name,
                (0.98, height),
                (0, -3),
                xycoords=("axes fraction", "data"),
                textcoords="offset points",
                ha="right",
                va="top",
                color=GREY,
                fontsize=9,
            )
        axes.set(title=panel, xlabel=xlabel)
        axes.grid(alpha=0.3)
        axes.margins(y=0.14)
        axes.xaxis.set_major_locator(MaxNLocator(7, integer=True))
        if panel in backwards:
            axes.invert_xaxis()
            drawn = {name: line[::-1] for name, line in means.items()}
        else:
            drawn = means
        _name_the_ends(axes, drawn, names)
        reference = dict([lines[panel]]) if panel in lines else None
        texts.append(
            descriptions.of_lines(means, positions, panel, xlabel, panel, reference)
        )
    for axes in list(grid.flat)[len(measures) :]:
        axes.axis("off")
    figure.suptitle(title)
    return show(figure, f"{title}. " + " ".join(texts), caption, _as_columns(table))


def _as_columns(rows):
    """Return the table of all panels, a line's name and its numbers in each row."""
    longest = max(len(row) for row in rows) - 2
    columns = ["panel", "", *[f"point {number}" for number in range(1, longest + 1)]]
    return as_table(columns, rows)


def _name_the_ends(axes, lines, names):
    """Write each line's name behind its end, or before its start if they differ more.

    Names stand apart from each other.
    """
    to_axes = axes.transData + axes.transAxes.inverted()
    heights = {}  # of a line's start and end, as shares of the panel's height
    for name, line in lines.items():
        points = [(0, line[0]), (0, line[-1])]
        heights[name] = to_axes.transform(points)[:, 1]
    starts, ends = np.transpose(list(heights.values()))
    side = int(np.ptp(ends) >= np.ptp(starts))
    if side == 0:
        axes.yaxis.tick_right()  # its numbers make room for the names
    previous = -1.0
    for name in sorted(heights, key=lambda name: heights[name][side]):
        height = max(heights[name][side], previous + LEAST_GAP)
        previous = height
        axes.annotate(
            name,
            ((-0.02, 1.02)[side], height),
            xycoords="axes fraction",
            ha=("right", "left")[side],
            va="center",
            color=COLOURS[names.index(name)],
            annotation_clip=False,
        )

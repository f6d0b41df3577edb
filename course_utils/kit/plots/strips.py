"""Many numbers of a few kinds, each as a point in its kind's row."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patheffects import withStroke

from course_utils.kit.plots.charts import COLOURS
from course_utils.kit.plots.figures import as_table, show

DARK = "#222222"
PALE = "#B5B5B5"
HEIGHT = 0.36  # of the cloud of points above and below a row's middle


def strips(values, xlabel, title, pale=None, named=(), star=None, caption=""):
    """Draw a row of points for each kind, and an upright line at 0.

    The text alternative is written from the numbers.

    Args:
        values: dict from a kind's name to its numbers; the first kind is drawn on top.
        xlabel, title: what the numbers are, and what is shown.
        pale: dict from a kind's name to further numbers of it, drawn in grey.
        named: (kind, number, text) of points that are named.
        star: (text, number) of one more point, in a row of its own above the others.
        caption: what to see in the figure, printed below it.
    Returns:
        The matplotlib figure.
    """
    pale = pale or {}
    figure, axes = plt.subplots(
        figsize=(8.5, 1.6 + 1.5 * len(values)), layout="constrained"
    )
    rng = np.random.default_rng(0)
    axes.axvline(0, color=DARK, linewidth=1)
    texts = []
    rows = []
    places = {name: -number for number, name in enumerate(values)}
    for number, (name, numbers) in enumerate(values.items()):
        for some, colour in ((pale.get(name, ()), PALE), (numbers, COLOURS[number])):
            up = places[name] + rng.uniform(-HEIGHT, HEIGHT, len(some))
            axes.scatter(some, up, s=22, alpha=0.6, linewidths=0, color=colour)
        right = float(np.mean(np.asarray(numbers) > 0))
        texts.append(
            f"{name}: {len(numbers)} points, {100 * right:.0f} % of them right of 0, "
            f"on average {np.mean(numbers):.2f}; {len(pale.get(name, ()))} grey ones."
        )
        rows.append([name, len(numbers), np.mean(numbers), right])
    for name, number, text in named:
        up = places[name] + 0.43
        axes.plot([number, number], [places[name], up], color=DARK, linewidth=0.8)
        axes.plot(number, places[name], "o", color=DARK, markersize=5)
        _write(axes, text, (number, up), fontsize=8.5)
        texts.append(f"{text} at {number:.2f}.")
    if star:
        axes.plot(star[1], 0.9, "*", color=DARK, markersize=16)
        _write(axes, star[0], (star[1], 1.02), fontweight="bold")
        texts.append(f"{star[0]} at {star[1]:.2f}.")
    axes.set_yticks(list(places.values()), list(places))
    axes.set_ylim(0.6 - len(values) - 0.2, 1.35 if star else 0.8)
    axes.set(title=title, xlabel=xlabel)
    axes.grid(axis="x", alpha=0.3)
    table = as_table(["", "points", "mean", "share right of 0"], rows)
    return show(figure, f"{title}. {' '.join(texts)}", caption, table)


def _write(axes, text, place, **style):
    """Write a text above a place, with a white rim so that it can be read."""
    written = axes.annotate(
        text,
        place,
        (0, 2),
        textcoords="offset points",
        ha="center",
        va="bottom",
        color=DARK,
        **style,
    )
    written.set_path_effects([withStroke(linewidth=3, foreground="white")])

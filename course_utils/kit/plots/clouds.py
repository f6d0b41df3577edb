"""Many points in one plane, a colour for each kind, and a few named ones."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patheffects import withStroke

from course_utils.kit.plots.charts import COLOURS, MARKERS
from course_utils.kit.plots.figures import as_table, show

DARK = "#222222"
NEAR = 0.05  # places with less between them would have names on each other


def clouds(points, marks, names, xlabel, ylabel, title, caption=""):
    """Draw a cloud of points for each kind, named places, and the diagonal.

    The text alternative is written from the numbers.

    Args:
        points: dict from a kind's name to (N, 2) numbers.
        marks: dict from a name to the (x, y) of a star.
        names: dict from a name to the (x, y) beside which it is written, unless that
            is too near to a star or to another name.
        xlabel, ylabel, title: names of the axes, and what is shown.
        caption: what to see in the figure, printed below it.
    Returns:
        The matplotlib figure.
    Raises:
        ValueError: a kind's points haven't two numbers each.
    """
    figure, axes = plt.subplots(figsize=(6.4, 5.2), layout="constrained")
    axes.axline((0, 0), slope=1, color="#999999", linestyle="--", linewidth=1)
    texts = []
    rows = []
    for number, (name, values) in enumerate(points.items()):
        values = np.asarray(values, dtype="float64")
        if values.ndim != 2 or values.shape[1] != 2:
            raise ValueError(
                f"clouds: {name!r} has the shape {values.shape}; expected (N, 2)."
            )
        style = {"marker": MARKERS[number], "color": COLOURS[number]}
        axes.scatter(*values.T, s=26, alpha=0.55, linewidths=0, label=name, **style)
        x, y = values.mean(axis=0)
        below = float(np.mean(values[:, 1] < values[:, 0]))
        texts.append(
            f"{name}: {len(values)} points, on average at ({x:.2f}, {y:.2f}), "
            f"{100 * below:.0f} % of them below the diagonal."
        )
        rows.append([name, len(values), x, y])
    taken = []
    for name, place in marks.items():
        taken.append(place)
        axes.plot(*place, "*", color="white", markersize=19, markeredgecolor=DARK)
        _write(axes, name, place, (12, -4), fontweight="bold")
    for name, place in names.items():
        if all(np.linalg.norm(np.subtract(place, other)) > NEAR for other in taken):
            taken.append(place)
            _write(axes, name, place, (9, 6))
    for name, (x, y) in (marks | names).items():
        texts.append(f"{name} at ({x:.2f}, {y:.2f}).")
        rows.append([name, 1, x, y])
    axes.margins(0.1)
    axes.set(title=title, xlabel=xlabel, ylabel=ylabel)
    axes.legend(loc="lower left")
    axes.grid(alpha=0.3)
    table = as_table(["", "points", xlabel, ylabel], rows)
    return show(figure, f"{title}. {' '.join(texts)}", caption, table)


def _write(axes, name, place, offset, **style):
    """Write a name beside a place, with a white rim so that it can be read."""
    text = axes.annotate(
        name, place, offset, textcoords="offset points", color=DARK, **style
    )
    text.set_path_effects([withStroke(linewidth=3, foreground="white")])

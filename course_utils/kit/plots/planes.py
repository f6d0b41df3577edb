"""Vectors of two numbers, drawn as what they are: arrows and points in a plane."""

import matplotlib.pyplot as plt
import numpy as np

from course_utils.kit.plots.figures import as_table, show

# One colour for one meaning, on every page of the course.
ROLES = {
    "query": "#0072B2",
    "key": "#E69F00",
    "value": "#009E73",
    "mixture": "#CC79A7",
    "word": "#555555",
}
MARGIN = 0.25  # of the picture's width and height, for the names at the tips


def planes(panels, alt=""):
    """Draw planes side by side, each with its named vectors.

    Args:
        panels: a list of dicts, one for each plane, with "title", "xlabel", "ylabel"
            and "vectors": a list of (name, (x, y), role). The role, such as "query",
            gives the colour: see ROLES. A vector of zeros is a point. A panel with
            "points": True draws points only, for vectors that are mixed. With "move",
            a (from, to) of two vectors, a dashed arrow leads from one to the other.
            With "limits", as ((left, right), (low, high)), both axes have one scale.
        alt: what the figure shows; "" writes it from the numbers.
    Returns:
        The matplotlib figure.
    Raises:
        ValueError: a vector hasn't two numbers, or its role is unknown.
    """
    width = 4.3 * len(panels)
    figure, grid = plt.subplots(
        1, len(panels), figsize=(width, 3.7), squeeze=False, layout="constrained"
    )
    rows = []
    texts = []
    for axes, panel in zip(grid.flat, panels, strict=True):
        vectors = [_checked(*vector) for vector in panel["vectors"]]
        _draw_plane(axes, panel, vectors)
        named = [f"{_line(name)} ({x:.2g}, {y:.2g})" for name, (x, y), _ in vectors]
        texts.append(f"{panel['title']}: {', '.join(named)}.")
        if "move" in panel:
            (x0, y0), (x1, y1) = panel["move"]
            texts.append(f"An arrow from ({x0:.2g}, {y0:.2g}) to ({x1:.2g}, {y1:.2g}).")
        rows += [[panel["title"], _line(name), x, y] for name, (x, y), _ in vectors]
    columns = ["plane", "vector", "x", "y"]
    return show(figure, alt or " ".join(texts), table=as_table(columns, rows))


def _line(name):
    """Return a name of two lines as one."""
    return " ".join(name.split())


def _checked(name, vector, role):
    vector = np.asarray(vector, dtype="float64")
    if vector.shape != (2,):
        raise ValueError(
            f"planes: {name!r} has the shape {vector.shape}; a plane shows two numbers."
        )
    if role not in ROLES:
        raise ValueError(
            f"planes: {name!r} has the role {role!r}; known are {', '.join(ROLES)}."
        )
    return name, vector, role


def _draw_plane(axes, panel, vectors):
    """Draw one plane; its limits leave room for the names."""
    tips = np.array([vector for _, vector, _ in vectors] + [np.zeros(2)])
    low = tips.min(axis=0)
    high = tips.max(axis=0)
    room = MARGIN * np.maximum(high - low, 0.5)
    axes.set_xlim(low[0] - room[0], high[0] + room[0])
    axes.set_ylim(low[1] - room[1], high[1] + room[1])
    if "limits" in panel:
        axes.set(xlim=panel["limits"][0], ylim=panel["limits"][1], aspect="equal")
    axes.axhline(0, color="#BBBBBB", linewidth=1)
    axes.axvline(0, color="#BBBBBB", linewidth=1)
    as_points = panel.get("points", False)
    near = 0.25 * (high - low).max()
    for number, (name, vector, role) in enumerate(vectors):
        earlier = [other for _, other, _ in vectors[:number]]
        beside = any(np.linalg.norm(vector - other) < near for other in earlier)
        along = not as_points and any(_same_way(vector, other) for other in earlier)
        below = beside or along or not vector.any()
        colour = ROLES[role]
        _draw_vector(axes, vector, colour, role, as_points)
        if "limits" in panel:
            _name_beside(axes, name, vector, colour)
            continue
        left_half = vector[0] < (low[0] + high[0]) / 2
        axes.annotate(
            name,
            vector,
            (0, -10 if below else 9),
            textcoords="offset points",
            color=colour,
            ha="left" if left_half else "right",
            va="top" if below else "bottom",
        )
    if "move" in panel:
        _draw_move(axes, *panel["move"])
    axes.set(title=panel["title"])
    axes.set_xlabel(panel["xlabel"])
    axes.set_ylabel(panel["ylabel"])


def _same_way(vector, other):
    """Tell whether two arrows lie on each other."""
    crossed = vector[0] * other[1] - vector[1] * other[0]
    return bool(np.isclose(crossed, 0) and vector @ other > 0)


def _draw_vector(axes, vector, colour, role, as_point):
    """Draw a point, an arrow, or a query's wide pale bar, which doesn't hide a key."""
    if as_point or not vector.any():
        axes.plot(*vector, "o", color=colour, markersize=9)
        return
    if role == "query":
        ends = zip((0, 0), vector, strict=True)
        axes.plot(*ends, color=colour, linewidth=9, alpha=0.4, solid_capstyle="butt")
        return
    arrow = {"arrowstyle": "-|>", "color": colour, "linewidth": 2, "shrinkA": 0}
    axes.annotate("", vector, (0, 0), arrowprops={**arrow, "shrinkB": 0})


def _name_beside(axes, name, vector, colour):
    """Write a name to the right of a tip; of one on the level axis, below it."""
    style = {"textcoords": "offset points", "color": colour}
    if vector[1] == 0:
        axes.annotate(name, vector, (0, -8), ha="center", va="top", **style)
    elif vector[0] == 0:
        axes.annotate(name, vector, (8, 0), ha="left", va="center", **style)
    else:
        axes.annotate(name, vector, (6, 3), ha="left", va="bottom", **style)


def _draw_move(axes, start, end):
    """Draw the way of a vector's tip: where it was, and where it is now."""
    arrow = {"arrowstyle": "-|>", "color": ROLES["mixture"], "linewidth": 2}
    arrow |= {"linestyle": (0, (2, 2)), "shrinkA": 6, "shrinkB": 6}
    axes.annotate("", end, start, arrowprops=arrow)

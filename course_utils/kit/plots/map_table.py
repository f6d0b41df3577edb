"""Square maps in rows and columns, to be compared at one look.

Each map has its own scale, from white for its smallest number to dark blue for its
largest, because what is compared is the pattern and not the size.

Example:
    >>> import numpy as np
    >>> from course_utils.kit import plots
    >>> maps = {"alone": {"table": np.eye(2), "waves": np.ones((2, 2))}}
    >>> figure = plots.map_table(maps, "Two maps", "key at", "query at")
    Figure: Two maps. Maps of 2 rows (query at) and 2 columns (key at), from white,
    their smallest number, to dark, their largest. alone, table: 0 to 1. alone,
    waves: 1 to 1.
"""

import matplotlib.pyplot as plt
import numpy as np

from course_utils.kit.plots.figures import FRAME, WEIGHTS, as_table, show


def map_table(maps, title, xlabel, ylabel, notes=None, alt="", marked=()):
    """Draw maps of the same places, a row of the figure for each group.

    Args:
        maps: dict from a row's name to a dict from a column's name to numbers (T, S);
            a single row may have the name "".
        title: text above all maps.
        xlabel, ylabel: names of the axes of every map.
        notes: dict from (row's name, column's name) to a text below that map.
        alt: what the figure shows; "" writes it from the numbers and the notes.
        marked: (row, column) of the cells with a thin frame in every map.
    Returns:
        The matplotlib figure.
    Raises:
        ValueError: a row has other columns than the first one.
    """
    notes = notes or {}
    columns = list(next(iter(maps.values())))
    for name, group in maps.items():
        if list(group) != columns:
            raise ValueError(
                f"map_table: {name!r} has the columns {list(group)}, but the first row "
                f"has {columns}."
            )
    size = (2.9 * len(columns) + 0.4, 3.1 * len(maps) + 0.6)
    figure, grid = plt.subplots(
        len(maps), len(columns), figsize=size, squeeze=False, layout="constrained"
    )
    texts = []
    for row, (row_name, group) in enumerate(maps.items()):
        for column, (column_name, numbers) in enumerate(group.items()):
            axes = grid[row, column]
            numbers = np.asarray(numbers, dtype="float64")
            axes.imshow(numbers, cmap=WEIGHTS)
            for y, x in marked:
                style = {"edgecolor": FRAME, "linewidth": 0.9, "fill": False}
                axes.add_patch(plt.Rectangle((x - 0.5, y - 0.5), 1, 1, **style))
            note = notes.get((row_name, column_name), "")
            axes.set_xlabel(f"{xlabel}\n{note}" if note else xlabel)
            if row == 0:
                axes.set_title(column_name)
            if column == 0:
                axes.set_ylabel(f"{row_name}\n\n{ylabel}" if row_name else ylabel)
            place = f"{row_name}, {column_name}" if row_name else column_name
            ends = f"{numbers.min():.3g} to {numbers.max():.3g}"
            texts.append(f"{place}: {ends}{', ' + note if note else ''}.")
    figure.get_layout_engine().set(h_pad=0.08)  # between the title and the maps' names
    figure.suptitle(title)
    height, width = numbers.shape
    if not alt:
        size = f"{height} rows ({ylabel}) and {width} columns ({xlabel})"
        scale = "from white, their smallest number, to dark, their largest"
        alt = f"{title}. Maps of {size}, {scale}. {' '.join(texts)}"
    return show(figure, alt, table=_as_table(maps, notes))


def _as_table(maps, notes):
    """Return each map's ends, and its note, as a row."""
    rows = []
    for row_name, group in maps.items():
        for column_name, numbers in group.items():
            note = notes.get((row_name, column_name), "")
            rows.append([row_name, column_name, np.min(numbers), np.max(numbers), note])
    return as_table(["row", "column", "smallest", "largest", "note"], rows)

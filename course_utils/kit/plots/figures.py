"""Maps of weights, each with a text alternative that stands folded below it.

Nothing here computes what a model says: the functions draw the numbers they get. One
hue from white to dark blue stays apart for colour-blind readers and in grey.
"""

import html

import matplotlib.pyplot as plt
import numpy as np

from course_utils.kit.environment import in_notebook
from course_utils.kit.plots import descriptions, viewer

WEIGHTS = "Blues"
FRAME = "#D55E00"
PER_ROW = 4  # maps of heads that stand beside each other
MOST_VALUES = 10  # a map with more rows or columns shows no numbers in its cells
LEAST_WRITTEN = 0.05  # a larger map writes no weights below it into its cells
MOST_ROWS = 100  # of a figure's table of numbers


def heatmap(
    weights,
    rows,
    columns,
    title,
    alt="",
    values=None,
    xlabel="",
    ylabel="",
    marked=(),
):
    """Draw one map of weights, such as what each token attends to.

    Args:
        weights: (T, S) numbers.
        rows: T labels, such as the tokens that attend; tokens may repeat.
        columns: S labels, such as the tokens that are attended to.
        title: text above the map.
        alt: what the figure shows, for readers who can't see it; "" writes it from the
            numbers.
        values: whether to write the numbers into the cells; None writes them into
            small maps.
        xlabel, ylabel: names of the axes.
        marked: (row, column) of the cells with a frame, such as the right ones.
    Returns:
        The matplotlib figure.
    Raises:
        ValueError: the labels don't fit the weights.
    """
    weights = _matrix(weights, rows, columns)
    height, width = weights.shape
    size = np.clip((1.8 + 0.42 * width, 1.4 + 0.36 * height), (4.4, 3.2), 12)
    figure, axes = plt.subplots(figsize=size, layout="constrained")
    image = _draw_map(axes, weights, rows, columns, *_colour_range(weights))
    axes.set(title=title, xlabel=xlabel, ylabel=ylabel)
    _frame(axes, marked)
    figure.colorbar(image, ax=axes, fraction=0.05)
    if values is None:
        values = max(weights.shape) <= MOST_VALUES
    if values:
        _write_values(axes, weights)
    if not alt:
        alt = descriptions.of_map(weights, rows, columns, title, xlabel, ylabel, marked)
    return show(figure, alt, table=as_table(["", *columns], _named(rows, weights)))


def head_grid(weights, rows, columns, title, alt="", names=None, marked=()):
    """Draw the maps of several heads, or models, side by side on one colour scale.

    The scale goes from 0, or from the smallest number of all maps if that is negative,
    to 1 for weights, and otherwise to the largest number of all maps.

    Args:
        weights: (H, T, S) numbers, one map per head.
        rows: T labels.
        columns: S labels.
        title: text above all maps.
        alt: as in `heatmap`.
        names: H texts above the maps; None counts the heads.
        marked: (row, column) of the cells with a frame in every map.
    Returns:
        The matplotlib figure.
    Raises:
        ValueError: the labels don't fit the weights.
    """
    weights = np.asarray(weights, dtype="float64")
    if weights.ndim != 3:
        raise ValueError(
            f"head_grid: the weights have the shape {weights.shape}; expected "
            "(H, T, S), one map per head. For one map use heatmap."
        )
    maps = [_matrix(head, rows, columns) for head in weights]
    names = names or [f"head {number + 1}" for number in range(len(maps))]
    across = min(PER_ROW, len(maps))
    down = -(-len(maps) // across)
    size = (
        min(14, across * (1.2 + 0.3 * len(columns))),
        min(14, down * (1.2 + 0.3 * len(rows))),
    )
    figure, grid = plt.subplots(
        down, across, figsize=size, squeeze=False, layout="constrained"
    )
    low, top = _colour_range(weights)
    for number, axes in enumerate(grid.flat):
        if number >= len(maps):
            axes.set_axis_off()
            continue
        image = _draw_map(axes, maps[number], rows, columns, low, top)
        _frame(axes, marked)
        axes.set_title(names[number])
        if number % across:
            axes.set_yticklabels([])
    figure.suptitle(title)
    figure.colorbar(image, ax=grid, fraction=0.05)
    labels = [f"{name}: {row}" for name in names for row in rows]
    numbers = _named(labels, weights.reshape(len(labels), -1))
    if not alt:
        alt = descriptions.of_heads(weights, rows, columns, title, names, marked)
    return show(figure, alt, table=as_table(["", *columns], numbers))


def attention_viewer(
    source_tokens, target_tokens, weights, title, alt="", layer=-1, head=None
):
    """Show the maps of all layers and heads to explore, and one of them as a figure.

    In a notebook, a small page answers to pointer and keyboard. The figure below it
    stays where a site shows no pages inside notebooks, as GitHub does.

    Args:
        source_tokens: S tokens that are attended to; tokens may repeat.
        target_tokens: T tokens that attend.
        weights: (L, H, T, S) attention weights of all layers and heads.
        title: text above the page and the map.
        alt: as in `heatmap`.
        layer: index of the layer that the page shows first and the figure always.
        head: index of the head, likewise; None takes the mean of all heads.
    Returns:
        The matplotlib figure.
    Raises:
        ValueError: the weights aren't (L, H, T, S), don't fit the tokens, or are
            negative or not finite; or there is no such layer or head.
    """
    page_alt = alt or f"{title}: choose a layer, a head and a token."
    document = viewer.page(
        source_tokens, target_tokens, weights, title, page_alt, layer, head
    )
    layer = range(len(weights))[layer]  # from here on counted from the front
    maps = np.asarray(weights[layer], dtype="float64")  # (H, T, S)
    if in_notebook():
        from IPython.display import display

        lines = sum(-(-len(tokens) // 10) for tokens in (source_tokens, target_tokens))
        element = viewer.iframe(document, min(900, 360 + 80 * lines), title)
        # Not as HTML(…): IPython warns of an iframe in it.
        plain = f"Attention viewer: {title}"
        display({"text/html": element, "text/plain": plain}, raw=True)
    if head is None:
        chosen, name = maps.mean(axis=0), f"mean of {len(maps)} heads"
    else:
        chosen, name = maps[head], f"head {range(len(maps))[head] + 1}"
    title = f"{title} (layer {layer + 1}, {name})"
    axes = {"xlabel": "… looks at this token", "ylabel": "this token …"}
    return heatmap(chosen, target_tokens, source_tokens, title, alt, **axes)


def _matrix(weights, rows, columns):
    """Return the weights as an array, or say which labels don't fit."""
    weights = np.asarray(weights, dtype="float64")
    if weights.shape != (len(rows), len(columns)):
        raise ValueError(
            f"The weights have the shape {weights.shape}, but there are {len(rows)} "
            f"row labels and {len(columns)} column labels; cut off the padding, or "
            "pass one label for each row and column."
        )
    return weights


def _colour_range(weights):
    """Return the ends of the colour scale: 0 is on it, and of weights always 1."""
    low = min(0.0, weights.min(initial=0.0))
    top = max(1e-9, weights.max(initial=0.0))
    if low == 0 and top <= 1:
        top = 1.0
    return low, top


def _draw_map(axes, weights, rows, columns, low, top):
    """Draw one map with its labels; the colours go from `low` to `top`."""
    image = axes.imshow(weights, cmap=WEIGHTS, vmin=low, vmax=top, aspect="auto")
    axes.set_xticks(range(len(columns)), [str(c) for c in columns], rotation=90)
    axes.set_yticks(range(len(rows)), [str(row) for row in rows])
    return image


def _frame(axes, marked):
    """Frame the cells (row, column) of a map."""
    style = {"edgecolor": FRAME, "linewidth": 2.5, "fill": False}
    for row, column in marked:
        axes.add_patch(plt.Rectangle((column - 0.5, row - 0.5), 1, 1, **style))


def _write_values(axes, weights):
    """Write the numbers into their cells, light on dark and dark on light."""
    low, top = _colour_range(weights)
    middle = (low + top) / 2
    least = LEAST_WRITTEN if max(weights.shape) > 4 and low == 0 and top == 1 else 0
    style = {"ha": "center", "va": "center", "fontsize": 9}
    for (row, column), value in np.ndenumerate(weights):
        if abs(value) < least:
            continue
        color = "white" if value > middle else "black"
        axes.text(column, row, f"{value:.2f}", color=color, **style)


def as_table(columns, rows):
    """Return a figure's numbers as a table that is stored with it, for the site.

    Args:
        columns: a name for each column.
        rows: lists of texts and numbers; None is an empty cell. Of more than 100 rows
            every second, third, … stays.
    Returns:
        A dict with the columns and the rows, numbers with four digits.
    """
    step = max(1, -(-len(rows) // MOST_ROWS))  # rounded up
    cells = [[_cell(value) for value in row] for row in rows[::step]]
    return {"columns": [str(name) for name in columns], "rows": cells}


def _named(names, numbers):
    return [[name, *row] for name, row in zip(names, numbers, strict=True)]


def _cell(value):
    if value is None or isinstance(value, str):
        return value or ""
    return float(f"{value:.4g}") if np.isfinite(value) else ""


def text_forms(alt):
    """Return a text alternative in the forms that a notebook stores: folded, and plain.

    The site and the tests find the plain one by its beginning, "Figure: ".
    """
    line = f"Figure: {' '.join(str(alt).split())}"
    summary = "<summary>The figure in words</summary>"
    folded = f"<details>{summary}<p>{html.escape(line)}</p></details>"
    return {"text/html": folded, "text/plain": line}


def show_text(alt):
    """Show a text alternative: folded in a notebook, printed elsewhere."""
    forms = text_forms(alt)
    if in_notebook():
        from IPython.display import display

        display(forms, raw=True)
    else:
        print(forms["text/plain"])


def show(figure, alt, caption="", table=None):
    """Show the figure once, inline where there is a notebook, and its text below it.

    Args:
        figure: a matplotlib figure.
        alt: what it shows, for readers who can't see it.
        caption: what to see in it, for everybody.
        table: its numbers, from `as_table`; they are stored with the picture.
    Returns:
        The figure, None in a notebook.
    Raises:
        ValueError: there is no text alternative.
    """
    if not str(alt).strip():
        plt.close(figure)
        raise ValueError("The figure needs a text alternative: pass alt='…'.")
    if in_notebook():
        from IPython.display import display

        display(figure, metadata={"table": table} if table else None)
    plt.close(figure)
    if caption:
        print(caption)
    show_text(alt)
    return None if in_notebook() else figure

"""The visual language of the course: what a query, a mask or a residual path looks like.

A canvas is measured in tenths of an inch, from its lower left corner. Every part has a
colour *and* a form or a letter, so that grey print and colour-blind readers lose
nothing; colours are Okabe and Ito's, lighter on the dark ground.
"""

import dataclasses

from matplotlib import patches
from matplotlib.figure import Figure

THEMES = {
    "light": {
        "ground": "#FFFFFF",
        "ink": "#1A1A1A",
        "quiet": "#5F6670",
        "box": "#F3F4F6",
        "token": "#E8EEF4",
        "query": "#0072B2",
        "key": "#C05000",
        "value": "#00785A",
        "position": "#A8548A",
        "residual": "#5F6670",
        "mask": "#C9CDD3",
        "good": "#00785A",
        "head 1": "#0072B2",
        "head 2": "#C05000",
        "head 3": "#00785A",
        "head 4": "#A8548A",
    },
    "dark": {
        "ground": "#14181F",
        "ink": "#E8EAED",
        "quiet": "#A3ABB8",
        "box": "#232A35",
        "token": "#2A3645",
        "query": "#6CBBEA",
        "key": "#F2A35E",
        "value": "#5CD0A9",
        "position": "#E29AC9",
        "residual": "#A3ABB8",
        "mask": "#465060",
        "good": "#5CD0A9",
        "head 1": "#6CBBEA",
        "head 2": "#F2A35E",
        "head 3": "#5CD0A9",
        "head 4": "#E29AC9",
    },
}
TEXT, SMALL = 10, 8.5  # points


@dataclasses.dataclass(frozen=True)
class Box:
    """A part's place: its lower left corner and its size; arrows join its sides."""

    x: float
    y: float
    width: float
    height: float

    @property
    def centre(self):
        return self.x + self.width / 2, self.y + self.height / 2

    @property
    def top(self):
        return self.x + self.width / 2, self.y + self.height

    @property
    def bottom(self):
        return self.x + self.width / 2, self.y

    @property
    def left(self):
        return self.x, self.y + self.height / 2

    @property
    def right(self):
        return self.x + self.width, self.y + self.height / 2


class Canvas:
    """A figure with one method for each part of the language."""

    def __init__(self, width, height, theme):
        self.colours = THEMES[theme]
        self.figure = Figure((width / 10, height / 10), facecolor=self["ground"])
        self.axes = self.figure.add_axes((0, 0, 1, 1))
        self.axes.set(xlim=(0, width), ylim=(0, height))
        self.axes.axis("off")

    def __getitem__(self, role):
        return self.colours[role]

    def text(self, x, y, text, role="ink", size=TEXT, ha="center", weight="normal"):
        """Write words, centred at a point."""
        style = {"color": self[role], "fontsize": size, "fontweight": weight}
        self.axes.text(x, y, text, ha=ha, va="center", linespacing=1.25, **style)

    def box(self, x, y, width, height, text="", role="ink", ground="box", size=TEXT):
        """Draw a layer: a rounded box with its name."""
        shape = patches.FancyBboxPatch(
            (x, y),
            width,
            height,
            boxstyle="round,pad=0,rounding_size=0.5",
            facecolor=self[ground],
            edgecolor=self[role],
            linewidth=1.2,
        )
        self.axes.add_patch(shape)
        self.text(x + width / 2, y + height / 2, text, role, size)
        return Box(x, y, width, height)

    def token(self, x, y, text, width=6.0, role="ink", size=TEXT):
        """Draw a word or a piece of one: a flat box on the tokens' ground."""
        return self.box(x, y, width, 2.6, text, role, "token", size)

    def cells(self, x, y, rows, columns, role, texts=(), side=1.6, size=SMALL):
        """Draw a vector (one row or one column) or a matrix of square cells.

        Args:
            texts: (row, column) to what stands in the cell.
        """
        for row in range(rows):
            for column in range(columns):
                self.cell(x + column * side, y + (rows - 1 - row) * side, side, role)
        for (row, column), text in dict(texts).items():
            middle = x + (column + 0.5) * side, y + (rows - 0.5 - row) * side
            self.text(*middle, text, role, size)
        return Box(x, y, columns * side, rows * side)

    def cell(self, x, y, side, role, fill=0.16, hatch=None):
        """Draw one cell; `fill` is how much of the colour it takes."""
        style = {"linewidth": 0.9, "edgecolor": self[role]}
        square = patches.Rectangle((x, y), side, side, facecolor=self["ground"])
        self.axes.add_patch(square)
        square = patches.Rectangle((x, y), side, side, facecolor=self[role], alpha=fill)
        self.axes.add_patch(square)
        square = patches.Rectangle((x, y), side, side, fill=False, hatch=hatch, **style)
        self.axes.add_patch(square)

    def weights(self, x, y, weights, role="query", side=2.6, shown=None):
        """Draw a matrix of weights from 0 to 1; None is masked and gets a cross."""
        rows, columns = len(weights), len(weights[0])
        for i, row in enumerate(weights):
            for j, weight in enumerate(row):
                corner = x + j * side, y + (rows - 1 - i) * side
                if weight is None:
                    self.masked(*corner, side)
                    continue
                self.cell(*corner, side, role, 0.08 + 0.62 * weight)
                if shown:
                    middle = corner[0] + side / 2, corner[1] + side / 2
                    self.text(*middle, shown.format(weight), size=SMALL)
        return Box(x, y, columns * side, rows * side)

    def masked(self, x, y, side):
        """Draw a cell that no weight may go to: grey with a cross."""
        self.cell(x, y, side, "mask", 0.55)
        edges = (x + 0.3 * side, x + 0.7 * side), (y + 0.3 * side, y + 0.7 * side)
        for ends in (edges[1], edges[1][::-1]):
            self.axes.plot(edges[0], ends, color=self["quiet"], linewidth=1.1)

    def arrow(self, start, end, role="ink", bend=0.0, width=1.2, dashed=False):
        """Draw where numbers flow."""
        self.axes.add_patch(
            patches.FancyArrowPatch(
                start,
                end,
                arrowstyle="-|>",
                mutation_scale=8,
                shrinkA=0,
                shrinkB=0,
                linewidth=width,
                linestyle=(0, (3, 2)) if dashed else "-",
                connectionstyle=f"arc3,rad={bend}",
                color=self[role],
            )
        )

    def line(self, *points, role="ink", width=1.2, dashed=False, arrow=False):
        """Draw a path of straight lines, with an arrow's head at its end if asked."""
        *before, last = points
        drawn = before if arrow else points
        self.axes.plot(
            *zip(*drawn, strict=True),
            color=self[role],
            linewidth=width,
            linestyle=(0, (3, 2)) if dashed else "-",
            solid_joinstyle="round",
        )
        if arrow:
            self.arrow(before[-1], last, role, width=width, dashed=dashed)

    def residual(self, start, end, offset):
        """Draw a residual path: a thick line that goes around what stands between."""
        side = start[0] + offset
        corners = (start, (side, start[1]), (side, end[1]), end)
        self.line(*corners, role="residual", width=2.4, arrow=True)

    def plus(self, x, y, radius=1.0):
        """Draw a sum; return where arrows may end."""
        style = {"facecolor": self["ground"], "edgecolor": self["ink"]}
        self.axes.add_patch(patches.Circle((x, y), radius, linewidth=1.2, **style))
        arm = 0.55 * radius
        self.line((x - arm, y), (x + arm, y))
        self.line((x, y - arm), (x, y + arm))
        return Box(x - radius, y - radius, 2 * radius, 2 * radius)

    def frame(self, x, y, width, height, text, role="quiet"):
        """Draw a dashed frame with a name at its upper left corner."""
        shape = patches.FancyBboxPatch(
            (x, y),
            width,
            height,
            boxstyle="round,pad=0,rounding_size=0.8",
            fill=False,
            edgecolor=self[role],
            linestyle=(0, (4, 3)),
            linewidth=1.1,
        )
        self.axes.add_patch(shape)
        self.text(x + 0.8, y + height - 1.4, text, role, SMALL, ha="left")
        return Box(x, y, width, height)

    def shape(self, x, y, text, ha="left"):
        """Write a tensor's shape."""
        self.text(x, y, text, "quiet", SMALL, ha)

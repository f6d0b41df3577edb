"""The visual language: what a query, a mask or a residual path looks like.

A canvas is measured in tenths of an inch, from its lower left corner. Every part has a
colour *and* a form or a letter, so that grey print and colour-blind readers lose
nothing; colours are Okabe and Ito's, darker on white.
A calculation is read from top to bottom, as code is; layers are stacked upwards, as in
"deep"; time runs to the right.
"""

import dataclasses

import numpy as np
from matplotlib import colors, patches
from matplotlib.figure import Figure

WIDTH = 52  # tenths of an inch: the words stay readable on a telephone
STRONGEST = 0.7  # how much colour a weight of 1 takes
COLOURS = {
    "ground": "#FFFFFF",
    "ink": "#1A1A1A",
    "quiet": "#5F6670",
    "box": "#F3F4F6",
    "token": "#E8EEF4",
    "encoder": "#E3EEF8",
    "decoder": "#FBEBDD",
    "query": "#006BA8",
    "key": "#AD4600",
    "value": "#00785A",
    "added": "#A04A80",
    "mask": "#7F8792",
    "head 1": "#5B4FB0",
    "head 2": "#7A6200",
    "head 3": "#17717A",
    "head 4": "#A33B4E",
}
HATCHES = {"head 1": None, "head 2": "////", "head 3": "----", "head 4": "||||"}
PADDING = "//////"
POINTS = 7.2  # in a tenth of an inch
TEXT = 10  # points
SMALL = 8.5
FORMULA = 12.5  # its raised and lowered letters have 0.7 of this
DASHES = (0, (3, 2))


def signed(number, form="{:.2f}"):
    """Return a number as a text, with a true minus.

    Example:
        >>> signed(-0.5)
        '−0.50'
    """
    return form.format(number).replace("-", "−")


@dataclasses.dataclass(frozen=True)
class Box:
    """A part's place: its lower left corner and its size; arrows join its sides."""

    x: float
    y: float
    width: float
    height: float

    def point(self, across, up):
        """Return the point at a share of the width and a share of the height."""
        return self.x + across * self.width, self.y + up * self.height

    @property
    def centre(self):
        return self.point(0.5, 0.5)

    @property
    def top(self):
        """The middle of the upper side."""
        return self.point(0.5, 1)

    @property
    def bottom(self):
        """The middle of the lower side."""
        return self.point(0.5, 0)

    @property
    def left(self):
        """The middle of the left side."""
        return self.point(0, 0.5)

    @property
    def right(self):
        """The middle of the right side."""
        return self.point(1, 0.5)


class Canvas:
    """A figure with one method for each part of the language.

    Args:
        height: in tenths of an inch.
        width: in tenths of an inch.
    """

    def __init__(self, height, width=WIDTH):
        self.description = ""
        self.figure = Figure((width / 10, height / 10), facecolor=self["ground"])
        self.axes = self.figure.add_axes((0, 0, 1, 1))
        self.axes.set(xlim=(0, width), ylim=(0, height))
        self.axes.axis("off")

    def __getitem__(self, role):
        return COLOURS[role]

    def tint(self, role, share):
        """Return a colour laid thinly over the ground; a share of 1 is all colour."""
        front = np.array(colors.to_rgb(self[role]))
        ground = np.array(colors.to_rgb(self["ground"]))
        return tuple(share * front + (1 - share) * ground)

    def text(self, x, y, text, role="ink", size=TEXT, ha="center", weight="normal"):
        """Write words: their middle, or with `ha` their left or right end, at a point.

        Lines are parted by a newline. All letters stand on one line, with or without a
        tail; a formula stands in its middle.
        """
        style = {"color": self[role], "fontsize": size, "fontweight": weight, "ha": ha}
        lines = text.split("\n")
        step = 1.35 * size / POINTS
        for number, line in enumerate(lines):
            middle = y + step * ((len(lines) - 1) / 2 - number)
            if "$" in line:
                self.axes.text(x, middle, line, va="center", **style)
            else:
                below = 0.36 * size / POINTS  # half of a capital letter
                self.axes.text(x, middle - below, line, va="baseline", **style)

    def shape(self, x, y, text, ha="left"):
        """Write a tensor's shape, or a quiet remark."""
        self.text(x, y, text, "quiet", SMALL, ha)

    def small(self, x, y, text, role="ink", ha="center", weight="normal"):
        """Write small words."""
        self.text(x, y, text, role, SMALL, ha, weight)

    def formula(self, x, y, text, role="ink", ha="center"):
        """Write a formula."""
        self.text(x, y, text, role, FORMULA, ha)

    def describe(self, text):
        """Keep the text alternative: what there is to see, in words."""
        self.description = " ".join(text.split())

    # --- boxes and cells ------------------------------------------------------------

    def box(self, x, y, width, height, text="", role="ink", ground="box", size=TEXT):
        """Draw a layer: a rounded box with its name."""
        self._rounded(x, y, width, height, role, facecolor=self[ground])
        if text:
            self.text(x + width / 2, y + height / 2, text, role, size)
        return Box(x, y, width, height)

    def part(self, x, y, width, height, ground):
        """Draw the pale ground that everything of an encoder or a decoder stands on."""
        self._rounded(x, y, width, height, ground, facecolor=self[ground], zorder=0.5)
        return Box(x, y, width, height)

    def frame(self, x, y, width, height, text):
        """Draw a frame around a group, with its name at the upper left corner."""
        self._rounded(x, y, width, height, "quiet", fill=False, zorder=0.5)
        self.text(x + 1, y + height - 1.7, text, ha="left", weight="bold")
        return Box(x, y, width, height)

    def stack(self, x, y, width, height, text, ground):
        """Draw a layer that is repeated: cards behind each other."""
        for card in (2, 1):
            style = {"facecolor": self[ground], "zorder": 1 - card / 10}
            self._rounded(x + card, y + card, width, height, "ink", **style)
        return self.box(x, y, width, height, text, ground=ground)

    def _rounded(self, x, y, width, height, role, linewidth=1.2, **style):
        form = "round,pad=0,rounding_size=0.5"
        style = {"edgecolor": self[role], "linewidth": linewidth, **style}
        corner = (x, y)
        shape = patches.FancyBboxPatch(corner, width, height, boxstyle=form, **style)
        self.axes.add_patch(shape)

    def token(self, x, y, text, width=6.0, role="ink", size=TEXT, height=2.6):
        """Draw a word or a piece of one: a flat box on the tokens' ground.

        A token without text is padding: its box is hatched.
        """
        if text:
            return self.box(x, y, width, height, text, role, "token", size)
        style = {"facecolor": self["box"], "hatch": PADDING}
        self._rounded(x, y, width, height, "mask", **style)
        return Box(x, y, width, height)

    def marked(self, x, y, text, width=6.0):
        """Draw a token that counts or is new: light words on a dark box."""
        return self.box(x, y, width, 2.6, text, "ground", "ink", SMALL)

    def badge(self, x, y, number, height=2.5):
        """Draw the number of a lesson."""
        self._rounded(x, y, 3.2, height, "ink", facecolor=self["token"])
        self.small(x + 1.6, y + height / 2, number)

    def tokens(self, x, y, words, step, width=None, role="ink", size=SMALL):
        """Draw a row of tokens, one each `step`; an empty word is padding."""
        width = width or step - 1
        return [
            self.token(x + i * step, y, word, width, role, size)
            for i, word in enumerate(words)
        ]

    def cells(self, x, y, rows, columns, role, texts=(), side=1.6, **style):
        """Draw a vector (one row or one column) or a matrix of square cells.

        Args:
            texts: (row, column) to what stands in the cell.
        """
        for row in range(rows):
            for column in range(columns):
                corner = x + column * side, y + (rows - 1 - row) * side
                self.cell(*corner, side, side, role, **style)
        for (row, column), text in dict(texts).items():
            middle = x + (column + 0.5) * side, y + (rows - 0.5 - row) * side
            self.text(*middle, text, size=SMALL)
        return Box(x, y, columns * side, rows * side)

    def vector(self, x, y, numbers, role, form="{:.0f}", side=2.6, fill=0.16):
        """Draw a vector as a row of cells with its numbers in them."""
        texts = {(0, i): signed(number, form) for i, number in enumerate(numbers)}
        return self.cells(x, y, 1, len(numbers), role, texts, side, fill=fill)

    def cell(self, x, y, width, height, role, fill=0.16, hatch=None):
        """Draw one cell; `fill` is how much of the colour it takes."""
        style = {"facecolor": self.tint(role, fill), "edgecolor": self[role]}
        style |= {"linewidth": 0.9, "hatch": hatch}
        self.axes.add_patch(patches.Rectangle((x, y), width, height, **style))

    def weights(self, x, y, weights, width=2.6, height=2.6, role="query", shown=None):
        """Draw a matrix of weights from 0 to 1; NaN is masked and gets a cross.

        Args:
            shown: format of the numbers in the cells; None shows none.
        """
        rows, columns = np.shape(weights)
        for (i, j), weight in np.ndenumerate(weights):
            corner = x + j * width, y + (rows - 1 - i) * height
            if np.isnan(weight):
                self.crossed(*corner, width, height)
                continue
            fill = 0.06 + (STRONGEST - 0.06) * weight
            self.cell(*corner, width, height, role, fill)
            if shown:
                middle = corner[0] + width / 2, corner[1] + height / 2
                self.text(*middle, shown.format(weight), size=SMALL)
        return Box(x, y, columns * width, rows * height)

    def crossed(self, x, y, width, height):
        """Draw a cell that no weight may go to: grey with a cross."""
        self.cell(x, y, width, height, "mask", 0.35)
        middle_x = x + width / 2
        middle_y = y + height / 2
        arm = 0.2 * min(width, height)
        for rise in (-arm, arm):
            start = (middle_x - arm, middle_y - rise)
            end = (middle_x + arm, middle_y + rise)
            self.line(start, end, role="quiet", width=1.1)

    def table(self, x, y, rows, columns, weights, width, height, label, **style):
        """Draw a matrix of weights with a token before each row and over each column.

        Args:
            x, y: the matrix's lower left corner; the tokens stand outside of it.
            rows, columns: words; an empty one is padding.
            label: width of the rows' tokens.
        """
        grid = self.weights(x, y, weights, width, height, **style)
        high = min(height - 0.5, 2.6)
        for i, word in enumerate(rows):
            low = y + (len(rows) - 1 - i) * height + (height - high) / 2
            self.token(x - label - 0.5, low, word, label, size=SMALL, height=high)
        for j, word in enumerate(columns):
            corner = x + j * width + 0.2, y + grid.height + 0.5
            self.token(*corner, word, width - 0.4, size=SMALL, height=high)
        return grid

    # --- what joins them ------------------------------------------------------------

    def arrow(self, start, end, role="ink", width=1.2, dashed=False):
        """Draw where numbers flow."""
        style = {"color": self[role], "linewidth": width}
        style |= {"linestyle": DASHES if dashed else "-", "shrinkA": 0, "shrinkB": 0}
        style |= {"arrowstyle": "-|>", "mutation_scale": 8 + width}
        self.axes.add_patch(patches.FancyArrowPatch(start, end, **style))

    def line(self, *points, role="ink", width=1.2, dashed=False, arrow=False):
        """Draw a path of straight lines, with an arrow's head at its end if asked."""
        drawn = points[:-1] if arrow else points
        style = {"color": self[role], "linewidth": width}
        style |= {"linestyle": DASHES if dashed else "-"}
        style |= {"solid_joinstyle": "round", "solid_capstyle": "round"}
        self.axes.plot(*zip(*drawn, strict=True), **style)
        if arrow:
            self.arrow(points[-2], points[-1], role, width=width, dashed=dashed)

    def weighted(self, start, end, weight):
        """Draw a weight from 0 to 1 as a line: the larger, the wider and darker."""
        style = {"color": self["query"], "alpha": weight, "linewidth": 5 * weight}
        ends = zip(start, end, strict=True)
        self.axes.plot(*ends, solid_capstyle="butt", **style)

    def residual(self, start, end, head=True):
        """Draw the residual path: a thick grey line that runs straight through."""
        style = {"color": self["mask"], "linewidth": 5, "solid_capstyle": "butt"}
        self.axes.plot(*zip(start, end, strict=True), zorder=0.8, **style)
        if head:
            x, y = end
            corners = [(x - 1, y), (x + 1, y), (x, y + 2)]
            self.axes.add_patch(patches.Polygon(corners, color=self["mask"], lw=0))

    def circle(self, x, y, radius, role, ground, **style):
        """Draw a circle around a point."""
        style |= {"edgecolor": self[role], "facecolor": self[ground], "linewidth": 1.2}
        self.axes.add_patch(patches.Circle((x, y), radius, **style))

    def node(self, x, y, sign="+"):
        """Draw a sum or a product, where arrows meet."""
        radius = 1.1
        self.circle(x, y, radius, "ink", "ground", zorder=3)
        if sign == "+":
            arm = 0.55 * radius
            strokes = ((0, arm), (arm, 0))
        else:
            arm = 0.4 * radius
            strokes = ((arm, arm), (arm, -arm))
        for dx, dy in strokes:
            xs = (x - dx, x + dx)
            ys = (y - dy, y + dy)
            self.axes.plot(xs, ys, color=self["ink"], lw=1.2, zorder=4)
        return Box(x - radius, y - radius, 2 * radius, 2 * radius)

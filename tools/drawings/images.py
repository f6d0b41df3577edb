"""Drawings of attention on images."""

import numpy as np

from tools.drawings.formulas import softmax
from tools.drawings.primitives import SMALL, Canvas


def image_captioner():
    canvas = Canvas(56)
    canvas.part(0.8, 5.6, 18.4, 42, "encoder")
    canvas.text(10, 45, "encoder", weight="bold")
    canvas.shape(10, 3.4, "image (B, 48, 48, 3)", ha="center")
    canvas.box(4, 7.4, 12, 12, ground="ground")
    canvas.circle(8, 15, 2.6, "ink", "ink")
    canvas.cell(11.4, 9.4, 3, 3, "ink", fill=0.2)
    canvas.arrow((10, 19.4), (10, 22.9))
    convolutions = canvas.box(3, 23, 14, 4, "3 convolutions")
    canvas.arrow(convolutions.top, (10, 30.3))
    grid = canvas.cells(5.2, 30.4, 8, 8, "key", side=1.2)
    canvas.shape(10, 41.8, "64 cells (B, S, D)", ha="center")

    canvas.part(22.4, 5.6, 29, 42, "decoder")
    canvas.text(46.2, 45, "decoder", weight="bold")
    word = canvas.token(28, 1.6, "black", 7, size=SMALL)
    canvas.shape(26.8, 2.9, "last word", ha="right")
    canvas.arrow(word.top, (31.5, 9.3))
    canvas.box(27.4, 9.4, 17, 4.6, "Embedding, GRU")
    canvas.arrow((22.4, 11.7), (27.3, 11.7), "query")
    canvas.shape(22.8, 14.2, "state\n(B, U)")
    canvas.arrow((29.4, 14), (29.4, 34.5), "query")
    way = (29.4, 17.6), (37.4, 17.6), (37.4, 21.5)
    canvas.line(*way, role="query", arrow=True)
    canvas.small(38.2, 19.6, "query (B, D)", "query", ha="left")
    canvas.box(32, 21.6, 11, 5.4, "attention:\nweights (B, S)", "added", size=SMALL)
    way = grid.right, (20.8, 35.2), (20.8, 24.3), (31.9, 24.3)
    canvas.line(*way, role="key", arrow=True)
    canvas.small(21.4, 31.6, "keys and\nvalues", "key", ha="left")
    canvas.arrow((37.4, 27), (37.4, 34.5), "value")
    canvas.small(38.2, 32.4, "context (B, D)", "value", ha="left")
    scores = canvas.box(27.4, 34.6, 17, 4.6, "A · state + B · context", size=SMALL)
    canvas.arrow(scores.top, (35.9, 51.3))
    canvas.shape(36.8, 42.4, "logits (B, V)")
    canvas.token(31.4, 51.4, "circle", 9, size=SMALL)
    canvas.shape(41.4, 52.7, "next word")
    way = (37.4, 30.4), (48.4, 30.4), (48.4, 11.7), (44.6, 11.7)
    canvas.line(*way, role="value", dashed=True, arrow=True)
    canvas.small(50.8, 8, "to the next step", "value", ha="right")
    canvas.describe("""
        A captioner, read from bottom to top. On the left, on pale blue, the encoder: an
        image of shape (B, 48, 48, 3) with a black circle goes through three
        convolutions and becomes a grid of 8 by 8 cells, 64 vectors of shape (B, S, D).
        They are keys and values at once. On the right, on pale orange, one step of the
        decoder. A GRU reads the last word, "black", beside the context of the last
        step, and makes the new state (B, U) from the old one. The new state makes the
        query (B, D): attention compares it with all cells and mixes them by its weights
        (B, S); this is the new context (B, D). Matrix A scores the next word from the
        state, matrix B from the context, and the sum gives logits of shape (B, V): the
        next word is "circle". A dashed line takes the context to the next step.
    """)
    return canvas


def soft_and_hard():
    canvas = Canvas(47)
    weights = softmax(np.log([7, 2, 1]))
    drawn = 1  # the cell that is drawn on the right

    canvas.frame(0.8, 1.2, 24.6, 44.6, "soft: mix")
    canvas.shape(3, 37, "weights (B, S)")
    canvas.weights(3, 31, [weights], 5, 4, shown="{:.1f}")
    for i in range(3):
        canvas.arrow((5.5 + 5 * i, 31), (9.6 + 0.9 * i, 15.8), "value")
    canvas.cells(7.5, 13.2, 1, 3, "value", side=2)
    canvas.shape(3, 12.8, "(B, D)")
    canvas.arrow((10.5, 13.2), (10.5, 8.2))
    canvas.box(5, 4, 11, 4, "loss")
    way = (16, 6), (20.4, 6), (20.4, 33), (18.2, 33)
    canvas.line(*way, role="added", dashed=True, arrow=True)
    canvas.small(21.2, 20, "back-\nprop", "added", ha="left")

    canvas.frame(26.6, 1.2, 24.6, 44.6, "hard: draw")
    canvas.small(42.6, 38, "more likely where\nreward − baseline > 0", "added")
    canvas.weights(28.8, 31, [weights], 5, 4, shown="{:.1f}")
    chosen = np.full(3, np.nan)
    chosen[drawn] = 1
    middle = 31.3 + 5 * drawn
    canvas.arrow((middle, 31), (middle, 26.2))
    canvas.small(middle + 1.9, 28.8, "draw", ha="left")
    canvas.weights(28.8, 22, [chosen], 5, 4)
    canvas.arrow((middle, 22), (middle, 15.8), "value")
    canvas.shape(28.2, 19.4, "no\ngradient")
    canvas.cells(33.3, 13.2, 1, 3, "value", side=2)
    canvas.arrow((36.3, 13.2), (36.3, 8.2))
    canvas.box(30.8, 4, 11, 4, "loss")
    way = (41.8, 5), (43.4, 5), (43.4, 19.6), (36.9, 19.6)
    canvas.line(*way, role="quiet", dashed=True)
    canvas.crossed(35, 18.3, 2.6, 2.6)
    way = (41.8, 7), (47.4, 7), (47.4, 33), (44, 33)
    canvas.line(*way, role="added", width=2.4, arrow=True)
    shown = [f"{weight:.1f}" for weight in weights]
    canvas.describe(f"""
        Two ways to use the same weights, {shown[0]}, {shown[1]} and {shown[2]} for
        three cells. Left, soft attention: all cells, each times its weight, are added
        to the context. A purple dashed line leads from the loss back through the
        context to the scores: back-propagation says how each weight should change.
        Right, hard attention: one cell is drawn, here the second, and the two others
        are crossed; the context is this cell. The way back ends at the draw with a
        cross. Instead, REINFORCE takes the reward, which is the log-probability of the
        right words, minus a baseline, and makes the drawn cell more likely if that is
        above 0, and less likely if it is below.
    """)
    return canvas


def what_a_cell_sees():
    canvas = Canvas(34)
    size = 8  # of the grid
    pixels = 6  # of a cell
    row, column = 3, 4
    rows, columns = np.indices((size, size))
    distance = np.maximum(np.abs(rows - row), np.abs(columns - column))
    for x, reach, name, how in (
        (9.2, 0, "one patch", "a dense layer"),
        (26, 1, "convolutions", "windows of 3 × 3 cells"),
        (42.8, size, "encoder blocks", "attention"),
    ):
        seen = distance <= reach
        canvas.weights(x - 7.2, 9, np.where(seen, 0.7, 0.0), 1.8, 1.8)
        canvas.text(x, 30, name, weight="bold")
        canvas.small(x, 26.4, how)
        wide = seen.any(axis=0).sum() * pixels
        canvas.shape(x, 5, f"{wide} × {wide} pixels", ha="center")
    canvas.describe("""
        Three grids of 8 by 8 cells; dark is what one cell can see. Left: a patch and
        one dense layer. The cell sees its own 6 by 6 pixels only. Middle: three
        convolutions. The cell sees itself and its eight neighbours, 18 by 18 pixels.
        Right: patches and encoder blocks. The cell can attend to all 64 cells, so it
        may hold anything of the image.
    """)
    return canvas

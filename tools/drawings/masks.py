"""Drawings of masks: who may look at whom."""

import numpy as np

from tools.drawings.attention import softmax
from tools.drawings.primitives import SMALL

NUMBERS = "{:.2f}"


def masked_weights(allowed, seed):
    """Return weights of random scores; where nothing is allowed they are NaN.

    Seeds are chosen so that a row of rounded weights has the sum 1, too.
    """
    scores = np.random.default_rng(seed).normal(scale=0.7, size=np.shape(allowed))
    weights = softmax(np.where(allowed, scores, -1e9))
    return np.where(allowed, weights, np.nan)


def real(words):
    """Tell which words are no padding."""
    return np.array([bool(word) for word in words])


def padding_mask(canvas):
    """Two sentences share one batch. "a very fine film" has four tokens; "not bad" has
    two and is filled up with two tokens of padding, drawn hatched. The mask says True
    for each word and False for padding. Below are the weights of both sentences. In the
    second, the columns of padding are grey and crossed: no token looks there, and these
    weights are 0, because their scores become minus infinity before softmax. The other
    two weights of each row have the sum 1. In the first, nothing is crossed."""
    first, second = ["a", "very", "fine", "film"], ["not", "bad", "", ""]
    canvas.text(14.6, 46.3, "tokens (B, T)")
    canvas.text(41.4, 46.3, "mask (B, T)")
    for y, sentence in (41.6, first), (37.4, second):
        canvas.tokens(1, y, sentence, 7, 6.2)
        canvas.arrow((28.8, y + 1.3), (31.4, y + 1.3))
        for place, word in enumerate(sentence):
            left = 32.2 + 4.6 * place
            canvas.cell(left, y, 4.6, 2.6, "query" if word else "mask")
            said, role = ("True", "ink") if word else ("False", "quiet")
            canvas.text(left + 2.3, y + 1.3, said, role, SMALL)
    for x, words, name in (6.4, first, "first"), (32.4, second, "second"):
        weights = masked_weights(np.tile(real(words), (4, 1)), seed=7)
        canvas.text(x + 9.2, 31.5, f"weights, {name} sentence")
        canvas.table(x, 14.2, words, words, weights, 4.6, 3, 5, shown=NUMBERS)
    canvas.crossed(6.4, 8, 2.6, 2.6)
    canvas.text(10.2, 9.3, "score −∞ before softmax, so the weight is 0", ha="left")
    canvas.token(6.4, 3.4, "", 2.6)
    said = "padding: its rows are computed,\nand nothing uses them"
    canvas.text(10.2, 4.7, said, ha="left")


def causal_mask(canvas):
    """A square of weights for the five tokens "[start] la casa es azul". A row belongs
    to the token that looks, its query; a column to the token that is looked at, its
    key. Above the diagonal every cell is grey and crossed: no token looks at a later
    one, and these weights are 0. So the first row has one weight, 1.00, and the last
    row has five. The sum of each row is 1."""
    words = ["[start]", "la", "casa", "es", "azul"]
    weights = masked_weights(np.tri(5, dtype=bool), seed=7)
    canvas.text(24.5, 33.4, "is looked at (key)", "key")
    canvas.text(4.6, 28.6, "looks\n(query)", "query")
    canvas.text(45, 28.2, "sum")
    grid = canvas.table(9, 8.6, words, words, weights, 6.2, 3.4, 7, shown=NUMBERS)
    for row, total in enumerate(np.nansum(weights, axis=1)):
        canvas.text(45, grid.y + (4.5 - row) * 3.4, f"{total:.2f}", size=SMALL)
    canvas.crossed(9, 3, 2.6, 2.6)
    canvas.text(12.6, 4.3, "later token: weight 0", ha="left")
    canvas.shape(50, 4.3, "(T, T)", ha="right")


def source_and_target_masks(canvas):
    """The three attentions of an encoder-decoder, each with its mask. Rows look,
    columns are looked at; crossed cells are not allowed. One: in the encoder the source
    "I am here" looks at the source, and the column of source padding is crossed, shape
    (S, S). Two: in the decoder the target "[start] estoy aquí" looks at the target;
    crossed are all later tokens and the column of target padding, shape (T, T). Three:
    in cross-attention the target looks at the source, and the column of source padding
    is crossed, shape (T, S)."""
    source, target = ["I", "am", "here", ""], ["[start]", "estoy", "aquí", ""]
    everywhere = np.tile(real(source), (4, 1))
    parts = (
        ("1  encoder: self-attention", source, source, everywhere),
        ("2  decoder: causal self-attention", target, target, np.tri(4) * real(target)),
        ("3  decoder: cross-attention", target, source, everywhere),
    )
    later = "masks: later tokens,\nand padding of\nthe target"
    remarks = (
        "source looks at source\n(S, S)\n\nmask: padding of\nthe source",
        f"target looks at target\n(T, T)\n\n{later}",
        "target looks at source\n(T, S)\n\nmask: padding of\nthe source",
    )
    for number, (name, rows, columns, allowed) in enumerate(parts):
        y = 40 - 19 * number
        canvas.text(1.2, y + 15.4, name, ha="left", weight="bold")
        weights = np.where(allowed, 0.35, np.nan)
        grid = canvas.table(8, y, rows, columns, weights, 5.8, 2.6, 6.6)
        canvas.text(33, grid.centre[1], remarks[number], size=SMALL, ha="left")

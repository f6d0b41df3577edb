"""Drawings of masks: who may look at whom."""

import numpy as np

from tools.drawings.attention import softmax
from tools.drawings.primitives import FORMULA, SMALL

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


def causal_mask(canvas):
    """A square of weights for the five tokens "[start] la casa es azul". A row belongs
    to the token that looks, its query; a column to the token that is looked at, its
    key. Above the diagonal every cell is grey and crossed: no token looks at a later
    one, and these weights are 0. So the first row has one weight, 1.00, and the last
    row has five. The sum of each row is 1."""
    words = ["[start]", "la", "casa", "es", "azul"]
    weights = masked_weights(np.tri(5, dtype=bool), seed=7)
    grid = canvas.table(9, 8.6, words, words, weights, 6.2, 3.4, 7, shown=NUMBERS)
    for row, total in enumerate(np.nansum(weights, axis=1)):
        canvas.text(45, grid.y + (4.5 - row) * 3.4, f"{total:.2f}", size=SMALL)


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
        (40, source, source, everywhere),
        (21, target, target, np.tri(4) * real(target)),
        (2, target, source, everywhere),
    )
    for y, rows, columns, allowed in parts:
        weights = np.where(allowed, 0.35, np.nan)
        canvas.table(8, y, rows, columns, weights, 5.8, 2.6, 6.6)


def patterns(canvas):
    """Who attends to whom, for eight tokens; rows ask, columns are looked at, crossed
    cells are left out. First all pairs: T times T scores. Then causal: each token sees
    itself and those before it, about half of the pairs. Then a window of one token on
    each side: 3 scores in a row, so T times 3. Below, linear attention: it makes no
    pairs. First the keys, transposed, of shape (d, T) times the values (T, d) give one
    small matrix (d, d); then each query (1, d) times this matrix gives its output."""
    side, far = 1.7, np.abs(np.subtract.outer(range(8), range(8)))
    forms = {
        "all pairs": (far >= 0, "T · T"),
        "causal": (np.tri(8, dtype=bool), "T (T + 1) / 2"),
        "window w = 1": (far <= 1, "T (2w + 1)"),
    }
    for x, (name, (allowed, count)) in zip(
        (1.5, 19.2, 36.9), forms.items(), strict=True
    ):
        canvas.text(x + 6.8, 43, name, weight="bold")
        canvas.weights(x, 26.6, masked_weights(allowed, 3), side, side)
        canvas.text(x + 6.8, 24.2, count, size=SMALL)
    keys = canvas.cells(1.5, 8.6, 3, 8, "key", side=1.4)
    values = canvas.cells(16.4, 5.1, 8, 3, "value", side=1.4)
    both = canvas.cells(25, 8.6, 3, 3, "added", side=1.4)
    query = canvas.cells(36, 10, 1, 3, "query", side=1.4)
    again = canvas.cells(44, 8.6, 3, 3, "added", side=1.4)
    for box, name in (keys, r"$\phi(K)^\top$"), (query, r"$\phi(q)$"):
        canvas.text(box.centre[0], box.y + box.height + 1.9, name, size=FORMULA)
    canvas.text(values.centre[0], 17.9, "V")
    shapes = {keys: "(d, T)", values: "(T, d)", both: "(d, d)", query: "(1, d)"}
    for box, shape in (shapes | {again: "(d, d)"}).items():
        canvas.text(box.centre[0], box.y - 1.9, shape, "quiet", SMALL)

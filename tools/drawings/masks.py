"""Drawings of masks: who may look at whom."""

import numpy as np

from tools.drawings.formulas import example_weights, is_word
from tools.drawings.primitives import Canvas


def padding_mask():
    canvas = Canvas(49)
    first = ["a", "very", "fine", "film"]
    second = ["not", "bad", "", ""]
    canvas.text(14.6, 46.3, "tokens (B, T)")
    canvas.text(41.4, 46.3, "mask (B, T)")
    for y, sentence in (41.6, first), (37.4, second):
        canvas.tokens(1, y, sentence, 7, 6.2)
        canvas.arrow((28.8, y + 1.3), (31.4, y + 1.3))
        for place, word in enumerate(sentence):
            left = 32.2 + 4.6 * place
            if word:
                canvas.cell(left, y, 4.6, 2.6, "query")
                canvas.small(left + 2.3, y + 1.3, "True")
            else:
                canvas.cell(left, y, 4.6, 2.6, "mask")
                canvas.small(left + 2.3, y + 1.3, "False", "quiet")
    for x, sentence, name in (6.4, first, "first"), (32.4, second, "second"):
        canvas.text(x + 9.2, 31.5, f"weights, {name} sentence")
        allowed = np.tile(is_word(sentence), (4, 1))
        weights = example_weights(allowed, seed=7)
        canvas.table(
            x, 14.2, sentence, sentence, weights, 4.6, 3, label=5, shown="{:.2f}"
        )
    canvas.crossed(6.4, 8, 2.6, 2.6)
    canvas.text(10.2, 9.3, "score −∞ before softmax, so the weight is 0", ha="left")
    canvas.token(6.4, 3.4, "", 2.6)
    note = "padding: its rows are computed,\nand nothing uses them"
    canvas.text(10.2, 4.7, note, ha="left")
    canvas.describe("""
        Two sentences share one batch. "a very fine film" has four tokens; "not bad" has
        two and is filled up with two tokens of padding, drawn hatched. The mask says
        True for each word and False for padding. Below are the weights of both
        sentences. In the second, the columns of padding are grey and crossed: no token
        looks there, and these weights are 0, because their scores become minus infinity
        before softmax. The other two weights of each row have the sum 1. In the first,
        nothing is crossed.
    """)
    return canvas


def causal_mask():
    canvas = Canvas(36)
    words = ["[start]", "la", "casa", "es", "azul"]
    weights = example_weights(np.tri(len(words), dtype=bool), seed=7)
    canvas.text(24.5, 33.4, "is looked at (key)", "key")
    canvas.text(4.6, 28.6, "looks\n(query)", "query")
    canvas.table(9, 8.6, words, words, weights, 6.2, 3.4, label=7, shown="{:.2f}")
    canvas.text(45, 28.2, "sum")
    for row, total in enumerate(np.nansum(weights, axis=1)):
        canvas.small(45, 8.6 + (4.5 - row) * 3.4, f"{total:.2f}")
    canvas.crossed(9, 3, 2.6, 2.6)
    canvas.text(12.6, 4.3, "later token: weight 0", ha="left")
    canvas.shape(50, 4.3, "(T, T)", ha="right")
    canvas.describe(f"""
        A square of weights for the five tokens "{" ".join(words)}". A row belongs to
        the token that looks, its query; a column to the token that is looked at, its
        key. Above the diagonal every cell is grey and crossed: no token looks at a
        later one, and these weights are 0. So the first row has one weight, 1.00, and
        the last row has five. The sum of each row is 1.
    """)
    return canvas


def source_and_target_masks():
    canvas = Canvas(57)
    source = ["I", "am", "here", ""]
    target = ["[start]", "estoy", "aquí", ""]
    to_source = np.tile(is_word(source), (4, 1))
    to_target = np.tri(4, dtype=bool) & is_word(target)
    for y, rows, columns, allowed, title, note in (
        (
            40,
            source,
            source,
            to_source,
            "1  encoder: self-attention",
            "source looks at source\n(S, S)\n\nmask: padding of\nthe source",
        ),
        (
            21,
            target,
            target,
            to_target,
            "2  decoder: causal self-attention",
            "target looks at target\n(T, T)\n\n"
            "masks: later tokens,\nand padding of\nthe target",
        ),
        (
            2,
            target,
            source,
            to_source,
            "3  decoder: cross-attention",
            "target looks at source\n(T, S)\n\nmask: padding of\nthe source",
        ),
    ):
        canvas.text(1.2, y + 15.4, title, ha="left", weight="bold")
        canvas.small(33, y + 5.2, note, ha="left")
        weights = np.where(allowed, 0.35, np.nan)
        canvas.table(8, y, rows, columns, weights, 5.8, 2.6, label=6.6)
    canvas.describe("""
        The three attentions of an encoder-decoder, each with its mask. Rows look,
        columns are looked at; crossed cells are not allowed. One: in the encoder the
        source "I am here" looks at the source, and the column of source padding is
        crossed, shape (S, S). Two: in the decoder the target "[start] estoy aquí" looks
        at the target; crossed are all later tokens and the column of target padding,
        shape (T, T). Three: in cross-attention the target looks at the source, and the
        column of source padding is crossed, shape (T, S).
    """)
    return canvas

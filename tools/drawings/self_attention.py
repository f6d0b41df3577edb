"""Drawings of what self-attention is for, and of what makes it cheaper."""

import numpy as np

from tools.drawings.masks import masked_weights
from tools.drawings.primitives import FORMULA, SMALL


def recall(canvas):
    """Six facts are read one after the other. Each is a label, its key, and a content,
    its value: A 3, B 7, C 1, D 5, E 2, F 8. With the last one comes a question: what
    was in B? Above, self-attention: the question is a query, it meets the key B in one
    step, however far away it stands, and brings back the value 7. Below, a recurrent
    network: each fact goes into the state, one vector of D numbers, and each step
    writes over a part of it. Of the fact B, drawn in green, less is left at each of the
    four steps until the question. Shapes: the facts (B, T, D), the state (B, D)."""
    left, step, facts = 12.5, 6.6, ["A3", "B7", "C1", "D5", "E2", "F8"]
    middles = [left + step * i + 2.8 for i in range(6)]
    canvas.text(26, 51.4, "self-attention: one step, however far", weight="bold")
    question = canvas.token(left + 5 * step, 43, "B?", 5.6, "query")
    here, back = middles[1] - 1.3, middles[1] + 1.3
    path = (question.x, 44.3), (here, 44.3), (here, 36.5)
    canvas.line(*path, role="query", width=2, arrow=True)
    canvas.text(31, 46, "the query B meets the key B", "query", SMALL)
    path = (back, 36.4), (back, 40.2), (question.bottom[0], 40.2), question.bottom
    canvas.line(*path, role="value", width=2, arrow=True)
    canvas.text(31, 38.2, "the value 7 comes back", "value", SMALL)
    canvas.text(left - 1.2, 44.3, "question", "query", SMALL, ha="right")
    for y, role, name in (34.8, "key", "label: key"), (32, "value", "content: value"):
        for middle, fact in zip(middles, facts, strict=True):
            fill = 0.45 if fact == "B7" else 0.12
            canvas.cell(middle - 2.8, y - 1.4, 5.6, 2.8, role, fill)
            canvas.text(middle, y, fact[role == "value"], role)
        canvas.text(left - 1.2, y, name, role, SMALL, ha="right")
    canvas.shape(51, 28, "(B, T, D), T grows with the text", "right")
    canvas.text(26, 22.4, "a recurrent network: step by step", weight="bold")
    for i, middle in enumerate(middles):
        canvas.token(middle - 2.8, 16.6, facts[i], 5.6, size=SMALL)
        fill = 0.7 * 0.55 ** (i - 1) if i else 0.03
        canvas.cells(middle - 2.2, 7.4, 4, 1, "value", side=1.4, fill=fill)
        canvas.arrow((middle - 1.5, 16.5), (middle - 1.5, 13.2))
        if i:
            canvas.arrow((middles[i - 1] - 0.7, 10.2), (middle - 2.3, 10.2))
    canvas.text(left - 1.2, 10.2, "state", size=SMALL, ha="right")
    canvas.shape(51, 3.6, "(B, D), the same D numbers for every text", "right")


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
    canvas.text(26, 20.8, "linear attention: no pairs", weight="bold")
    keys = canvas.cells(1.5, 8.6, 3, 8, "key", side=1.4)
    canvas.text(14.4, 10.7, "×")
    values = canvas.cells(16.4, 5.1, 8, 3, "value", side=1.4)
    canvas.text(22.6, 10.7, "=")
    both = canvas.cells(25, 8.6, 3, 3, "added", side=1.4)
    query = canvas.cells(36, 10, 1, 3, "query", side=1.4)
    canvas.text(42, 10.7, "×")
    again = canvas.cells(44, 8.6, 3, 3, "added", side=1.4)
    for box, name in (keys, r"$\phi(K)^\top$"), (query, r"$\phi(q)$"):
        canvas.text(box.centre[0], box.y + box.height + 1.9, name, size=FORMULA)
    canvas.text(values.centre[0], 17.9, "V")
    shapes = {keys: "(d, T)", values: "(T, d)", both: "(d, d)", query: "(1, d)"}
    for box, shape in (shapes | {again: "(d, d)"}).items():
        canvas.text(box.centre[0], box.y - 1.9, shape, "quiet", SMALL)


def in_blocks(canvas):
    """Attention in blocks. The table of all scores, T rows for queries and T columns
    for keys, is never stored. It is cut into four by four blocks. Only one block is
    computed at a time: here that of the second block of queries and the third block of
    keys and values. Blocks to its left are done, and their numbers are thrown away;
    those to its right are still to come. Of the blocks that are done three things are
    kept for each query: the largest score m, the sum of the powers l, and the mix of
    values o, of shape (T, d). When a block has a larger score, l and o are first
    multiplied by e to the old m minus the new m."""
    left, low, side = 12, 17.5, 6
    for row in range(4):
        for column in range(4):
            corner = left + column * side, low + (3 - row) * side
            done = row == 0 or (row == 1 and column < 2)
            now = (row, column) == (1, 2)
            role, fill = ("query", 0.5) if now else ("mask", 0.3 if done else 0.02)
            canvas.cell(*corner, side, side, role, fill)
            if now or (row == 1 and column < 2) or (row, column) == (1, 3):
                word = "now" if now else "done" if done else "later"
                canvas.text(corner[0] + 3, corner[1] + 3, word, size=SMALL)
        fill = 0.55 if row == 1 else 0.1
        canvas.cell(8.2, low + (3 - row) * side, 2.6, side, "query", fill)
        for y, role in (43, "key"), (46.4, "value"):
            fill = 0.55 if row == 2 else 0.1
            canvas.cell(left + row * side, y, side, 2.6, role, fill)
    canvas.text(7, low + 12, "Q", "query", ha="right")
    canvas.shape(7, low + 9, "(T, d)", "right")
    for y, role, name in (44.3, "key", "K"), (47.7, "value", "V"):
        canvas.text(left - 1.2, y, name, role, ha="right")
    canvas.shape(37, 46, "(T, d), in blocks")
    canvas.text(38.2, 38.2, "kept for each query:", size=SMALL, ha="left")
    kept = ("m  largest score", "l  sum of powers", "o  mix of values, (d)")
    for i, words in enumerate(kept):
        canvas.text(38.2, 34.4 - 3 * i, words, size=SMALL, ha="left")
    canvas.text(24, 14.6, "scores (T, T): never stored", size=SMALL)
    formulas = (
        r"$m' = \max(m,\ \max_s\ score_s)$",
        r"$l\leftarrow e^{m-m'}\,l+\sum_s e^{score_s-m'}$",
        r"$o\leftarrow e^{m-m'}\,o+\sum_s e^{score_s-m'}\,v_s$",
    )
    for i, formula in enumerate(formulas):
        canvas.text(26, 10.6 - 3.7 * i, formula, size=FORMULA)

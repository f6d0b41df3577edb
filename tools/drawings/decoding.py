"""Drawings of decoding: the cache, and a step of beam search."""

import numpy as np

from tools.drawings.attention import softmax


def cache(canvas):
    """The third step of a decoder's self-attention, read from bottom to top. The tokens
    "[start]" and "la" were read in the steps before; their keys k and values v stand in
    the cache. Only the newest token, "casa", of shape (R, 1, D), is multiplied by the
    three matrices. That gives a query, a key and a value; key and value join the cache,
    which then holds three of each, (R, H, 3, d). The query is multiplied with all three
    keys; softmax gives three weights, and the values times their weights, added up, are
    the new vector of "casa". No other query, key, value or row of weights is made."""
    weights = softmax(np.array([0.2, 1.0, 1.7]))
    for place, word in enumerate(("[start]", "la", "casa")):
        new, x = word == "casa", (11, 20.4, 31)[place]
        middle = x + 2.1
        token = (canvas.marked if new else canvas.token)(x - 1.4, 2.4, word, 7)
        end = (token.top[0], 7.6 if new else 15.2)
        canvas.arrow(token.top, end, "ink" if new else "quiet", dashed=not new)
        for y, role in (21.4, "key"), (16.8, "value"):
            canvas.cells(x, y, 1, 3, role, side=1.4, fill=0.5 if new else 0.16)
        canvas.arrow((middle, 22.8), (middle, 30.8), "key")
        canvas.node(middle, 32, "×")
        canvas.arrow((middle, 33.2), (middle, 35.6), "query")
        canvas.weights(x - 0.6, 35.8, [[weights[place]]], 5.4, 3.4, shown="{:.2f}")
        canvas.arrow((middle, 39.2), (middle, 42.8), "query")
        way = (x + 4.2, 17.5), (x + 6, 17.5), (x + 6, 42.8)
        canvas.line(*way, role="value", arrow=True)


def beam_step(canvas):
    """A step of beam search with K = 2 and a vocabulary of four words, read from top to
    bottom. Two beginnings have the log-probabilities −1.6, "el", and −0.7, "la". A
    table of two rows and four columns, (B, K · V), holds the sums after each next word.
    The best two of all eight cells are dark, both in the row of "la": "la casa" −1.0
    and "la mesa" −2.1. They are the new beginnings, and both take over the cache of
    "la"; that of "el" is dropped. The third best cell, "el libro" −2.3, is kept as a
    number only: the best that was dropped."""
    words, begun = ["casa", "mesa", "libro", "rojo"], {"el": -1.6, "la": -0.7}
    scores = np.log([[0.05, 0.05, 0.5, 0.4], [0.74, 0.25, 0.005, 0.005]])
    sums = np.array([*begun.values()])[:, None] + scores  # (K, V)
    best = sorted(np.ndindex(sums.shape), key=lambda cell: -sums[cell])
    strength = {best[0]: 0.6, best[1]: 0.6, best[2]: 0.25}

    def said(word, total):
        return f"{word} {total:.1f}".replace("-", "−").strip()

    def kept(x, y, fill):
        for role, left in ("key", x), ("value", x + 2.8):
            canvas.cells(left, y, 1, 2, role, side=1.2, fill=fill)

    for row, (word, total) in enumerate(begun.items()):
        y = 28 - 5 * row
        canvas.token(1, y + 0.7, said(word, total), 8)
        kept(10, y + 1.4, 0.5 * row)
        for column, value in enumerate(sums[row]):
            x, fill = 18 + 8 * column, strength.get((row, column), 0.04)
            canvas.cell(x, y, 7, 4, "query", fill)
            canvas.text(x + 3.5, y + 2, said("", value))
    canvas.tokens(18, 33, words, 8)
    for x, cell in (15.5, best[0]), (29, best[1]):
        token = canvas.marked(x, 9, said(f"la {words[cell[1]]}", sums[cell]), 12)
        kept(x + 3.4, 5.6, 0.5)
        canvas.arrow((21.5 + 8 * cell[1], 22.8), (token.top[0], 11.8))

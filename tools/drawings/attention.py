"""Drawings of attention itself: mixing, queries, keys and values, heads, masks."""

import numpy as np

from tools.drawings.primitives import SMALL


def three_words(canvas):
    """The word "bank" asks "the", "river" and "bank". Its query meets three keys, and
    three scores come out: 0.1, 2.0 and 1.2. Softmax turns them into the weights 0.09,
    0.63 and 0.28, whose sum is 1. The new vector of "bank" is the three values, each
    times its weight."""
    scores = np.array([0.1, 2.0, 1.2])
    weights = np.exp(scores) / np.exp(scores).sum()
    query = canvas.token(2, 37, "bank", role="query")
    canvas.text(5, 41, "asks", "query", SMALL)
    xs = 15, 27, 39
    for x, word, score, weight in zip(
        xs, ("the", "river", "bank"), scores, weights, strict=True
    ):
        token = canvas.token(x, 37, word)
        key = canvas.cells(x + 0.2, 31.5, 1, 3, "key", {(0, 1): "k"})
        value = canvas.cells(x + 0.2, 11.5, 1, 3, "value", {(0, 1): "v"})
        canvas.arrow(token.bottom, (token.bottom[0], 33.2))
        canvas.arrow((token.bottom[0], 31.4), (token.bottom[0], 28.2), "key")
        canvas.text(token.bottom[0], 26.7, f"{score:.1f}")
        canvas.arrow((token.bottom[0], 25.2), (token.bottom[0], 22.7))
        canvas.weights(
            token.bottom[0] - 1.7, 18.2, [[weight]], side=3.4, shown="{:.2f}"
        )
        canvas.arrow((token.bottom[0], 18.1), (token.bottom[0], 13.3))
        canvas.text(token.bottom[0] + 1.2, 15.6, "×", size=12)
        canvas.arrow(value.bottom, (25, 5.3), "value", width=0.8 + 4 * weight)
    canvas.cells(2.6, 31.5, 1, 3, "query", {(0, 1): "q"})
    canvas.arrow(query.bottom, (5, 33.2), "query")
    canvas.arrow((5, 31.4), (5, 28.2), "query")
    canvas.text(5, 26.7, "q · k", "query")
    canvas.text(5, 19.9, "softmax", "query")
    canvas.text(5, 12.3, "values", "value")
    canvas.cells(22.6, 3.5, 1, 3, "value")
    canvas.text(28.4, 4.3, "new vector of “bank”", ha="left")


def query_key_value(canvas):
    """Each token's vector x is multiplied by three trained matrices and gives a query,
    a key and a value. All queries times all keys, divided by the root of d, are scores
    of shape (T, T). Softmax makes each row sum to 1. Weights times values are the
    outputs, of the same shape as the input: (T, D)."""
    x = canvas.cells(20.8, 46, 4, 6, "ink")
    canvas.text(19.6, 49.2, "X", ha="right", size=12)
    canvas.shape(31.4, 49.2, "(T, D)")
    columns = {
        "query": (3, "Q", "W_Q"),
        "key": (20.8, "K", "W_K"),
        "value": (38.6, "V", "W_V"),
    }
    boxes = {}
    for role, (left, name, matrix) in columns.items():
        middle = left + 4.8
        layer = canvas.box(middle - 3.5, 38.5, 7, 3, f"× ${matrix}$", role)
        canvas.line(x.bottom, (x.bottom[0], 44), (middle, 44), layer.top, arrow=True)
        boxes[role] = canvas.cells(middle - 3.2, 29, 4, 4, role, {(1, 1): ""})
        canvas.arrow(layer.bottom, (middle, 35.6), role)
        canvas.text(middle - 4.2, 32.2, name, role, 12, ha="right")
    canvas.shape(12, 30, "(T, d)")
    scores = canvas.box(4, 21.5, 26, 3.2, r"scores = $Q K^\top / \sqrt{d}$")
    canvas.arrow(boxes["query"].bottom, (boxes["query"].bottom[0], 24.8), "query")
    canvas.arrow(boxes["key"].bottom, (boxes["key"].bottom[0], 24.8), "key")
    canvas.shape(30.8, 23, "(T, T)")
    weights = canvas.box(4, 15, 26, 3.2, "softmax over each row")
    canvas.arrow(scores.bottom, weights.top)
    output = canvas.box(4, 8.5, 43.4, 3.2, "weights × V")
    canvas.arrow(weights.bottom, (17, 11.8))
    canvas.arrow(boxes["value"].bottom, (boxes["value"].bottom[0], 11.8), "value")
    canvas.arrow(output.bottom, (25.7, 5.9))
    canvas.text(25.7, 4.4, "output of each token")
    canvas.shape(38, 4.4, "(T, d)")


def heads(canvas):
    """The queries, keys and values of each token have D numbers. They are cut into H
    parts, here four. Each head does attention with its own part and has its own
    weights. The results are joined to D numbers again and multiplied by one more
    matrix, W_O."""
    for row, role in enumerate(("query", "key", "value")):
        canvas.text(7, 43.5 - 3.2 * row, f"{role}, D numbers", role, ha="left")
    lefts = [3 + 12 * head for head in range(4)]
    for head, left in enumerate(lefts, start=1):
        role = f"head {head}"
        for row in range(3):
            canvas.cells(left + 2.8, 36 - 2 * row, 1, 3, role)
        box = canvas.box(left, 24, 10.4, 3.4, f"attention {head}", role, size=SMALL)
        canvas.arrow((box.top[0], 31.8), box.top, role)

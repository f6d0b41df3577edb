"""Drawings of attention itself: mixing, queries with keys and values, heads."""

import numpy as np

from tools.drawings.primitives import FORMULA, HATCHES, SMALL


def softmax(scores):
    """Return weights from 0 to 1 whose sum over the last axis is 1."""
    exponentials = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def three_words(canvas):
    """The word "bank" looks at the three words "deep", "river" and "bank". Each of them
    has two numbers, for water and for money: (1, 0), (2, 0) and (1, 1). They are its
    query q, its key k and its value v. The query of "bank" times each key, divided by
    the root of 2, gives the scores 0.71, 1.41 and 1.41. Softmax turns them into weights
    with the sum 1: 0.20, 0.40 and 0.40. Each value is multiplied by the weight of its
    word. The sum of the products, 1.4 for water and 0.4 for money, is the new vector of
    "bank"."""
    vectors = np.array([[1.0, 0.0], [2.0, 0.0], [1.0, 1.0]])
    scores = vectors @ vectors[2] / 2**0.5
    weights = softmax(scores)

    def vector(x, y, numbers, role, form, fill=0.16):
        texts = {(0, column): form.format(n) for column, n in enumerate(numbers)}
        return canvas.cells(x, y, 1, 2, role, texts, 2.6, fill=fill)

    bank = canvas.token(1.5, 43, "bank", 8, "query")
    query = vector(2.9, 36.2, vectors[2], "query", "{:.0f}")
    canvas.arrow(bank.bottom, query.top, "query")
    canvas.arrow(query.bottom, (5.5, 33.1), "query")
    words = "deep", "river", "bank"
    for x, word, own, score, weight in zip(
        (13, 26.5, 40), words, vectors, scores, weights, strict=True
    ):
        token = canvas.token(x, 43, word, 11)
        key = vector(x - 0.4, query.y, own, "key", "{:.0f}")
        value = vector(x + 6.2, query.y, own, "value", "{:.0f}")
        for part, role, name in (key, "key", "k"), (value, "value", "v"):
            middle = part.top[0]
            canvas.arrow((middle, token.y), part.top, role)
            canvas.text(middle + 1.2, 40.9, name, role)
        canvas.arrow(key.bottom, (key.bottom[0], 33.1), "key")
        canvas.text(key.bottom[0], 31.6, f"{score:.2f}")
        canvas.arrow((key.bottom[0], 30.1), (key.bottom[0], 26.4))
        mix = canvas.weights(key.bottom[0] - 2, 22.2, [[weight]], 4, 4, shown="{:.2f}")
        times = canvas.node(value.bottom[0], 21, "×")
        canvas.arrow(value.bottom, times.top, "value")
        canvas.line(mix.bottom, (mix.bottom[0], 21), (times.x - 0.1, 21), arrow=True)
        product = vector(value.x, 15, weight * own, "value", "{:.1f}", 0.6 * weight)
        canvas.arrow(times.bottom, product.top, "value")
        canvas.line(product.bottom, (product.bottom[0], 12.2), role="value")
    total = canvas.node(35.3, 9.2)
    canvas.arrow((35.3, 12.2), total.top, "value")
    new = vector(32.7, 2.6, weights @ vectors, "value", "{:.1f}", 0.4)
    canvas.arrow(total.bottom, new.top, "value")
    canvas.text(31.5, new.y + 1.3, "new vector of “bank”", ha="right")


def query_key_value(canvas):
    """Each token's vector x is multiplied by three trained matrices and gives a query,
    a key and a value: the matrix X of shape (T, D) becomes Q, K and V of shape (T, d).
    All queries times all keys, divided by the root of d, are scores of shape (T, T).
    Softmax makes each row sum to 1. These weights times the values are the outputs,
    one vector for each token, of shape (T, d)."""
    x = canvas.cells(20.8, 50.5, 4, 6, "ink")
    columns = {"query": (3.4, "Q"), "key": (20.8, "K"), "value": (38.2, "V")}
    boxes = {}
    for role, (left, name) in columns.items():
        middle = left + 4.8
        canvas.line(x.bottom, (25.6, 48.2), (middle, 48.2), (middle, 46.3), arrow=True)
        times = f"× $W_{name}$"
        layer = canvas.box(middle - 4, 42.4, 8, 3.8, times, role, size=FORMULA)
        boxes[role] = canvas.cells(middle - 3.2, 33, 4, 4, role)
        canvas.arrow(layer.bottom, (middle, 39.6), role)
        canvas.text(middle - 4.2, 36.2, name, role, 12, ha="right")
        canvas.shape(middle + 3.9, 36.2, "(T, d)")
    scores = r"scores: $Q\,K^\top / \sqrt{d}$"
    canvas.box(3.4, 24, 27, 4.4, scores, size=FORMULA)
    for role in "query", "key":
        bottom = boxes[role].bottom
        canvas.arrow(bottom, (bottom[0], 28.5), role)
    softmax_box = canvas.box(3.4, 16.6, 16, 3.4, "softmax")
    canvas.arrow((11.4, 24), softmax_box.top)
    examples = np.random.default_rng(4).normal(scale=1.2, size=(4, 4))
    weights = canvas.weights(24, 15.1, softmax(examples), 1.6, 1.6)
    canvas.arrow(softmax_box.right, (23.8, 18.3))
    output = canvas.box(3.4, 8, 44.4, 3.4, "weights × V")
    canvas.arrow(weights.bottom, (weights.bottom[0], 11.5))
    canvas.arrow(boxes["value"].bottom, (43, 11.5), "value")
    canvas.arrow(output.bottom, (25.6, 5))


def heads(canvas):
    """Attention with several heads, here four. Each token's query, key and value have D
    numbers, here twelve. They are cut into H parts of D/H numbers. Each head does
    attention with its own part only, so it has its own map of weights of shape (T, T).
    The results of the heads are joined, side by side, to D numbers again, and
    multiplied by one more trained matrix, W_O. The shapes are (B, T, D), then
    (B, H, T, D/H), and (B, T, D) at the end."""
    lefts = [7 + 9 * head for head in range(4)]
    middles = [left + 4 for left in lefts]
    cut = 17.4, 22.2, 27, 31.8  # where the parts of a strip begin
    for row, role in enumerate(("query", "key", "value")):
        canvas.cells(17.4, 54 - 2.6 * row, 1, 12, role)
        canvas.text(16.4, 54.8 - 2.6 * row, role, role, ha="right")
    for x in cut[1:]:
        canvas.line((x, 47.9), (x, 56.6), width=2.2)
    examples = np.random.default_rng(1).normal(scale=1.5, size=(4, 4, 4))
    for head in range(4):
        role, middle = f"head {head + 1}", middles[head]
        canvas.arrow((cut[head] + 2.4, 48.6), (middle, 43.4), role)
        canvas.box(lefts[head], 23.7, 8, 19.6, role=role, ground="ground")
        canvas.text(middle, 41.5, role, role, SMALL)
        for row, part in enumerate(("query", "key", "value")):
            letter = {(0, 1): part[0]}
            canvas.cells(middle - 2.4, 37.6 - 2.4 * row, 1, 3, part, letter)
        maps = softmax(examples[head])
        canvas.weights(middle - 2.4, 25, maps, 1.2, 1.2, role)
        canvas.arrow((middle, 32.6), (middle, 30.2), role)
        result = canvas.cells(middle - 2.4, 19.4, 1, 3, role, hatch=HATCHES[role])
        canvas.arrow((middle, 23.6), (middle, 21.2), role)
        canvas.arrow(result.bottom, (cut[head] + 2.4, 15.7), role)
        canvas.cells(cut[head], 13.9, 1, 3, role, hatch=HATCHES[role])
    matrix = canvas.box(22, 7.6, 10, 3.8, "× $W_O$", size=FORMULA)
    canvas.arrow((27, 13.8), matrix.top)
    canvas.arrow(matrix.bottom, (27, 4.8))


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
    question = canvas.token(left + 5 * step, 43, "B?", 5.6, "query")
    here, back = middles[1] - 1.3, middles[1] + 1.3
    path = (question.x, 44.3), (here, 44.3), (here, 36.5)
    canvas.line(*path, role="query", width=2, arrow=True)
    path = (back, 36.4), (back, 40.2), (question.bottom[0], 40.2), question.bottom
    canvas.line(*path, role="value", width=2, arrow=True)
    canvas.text(left - 1.2, 44.3, "question", "query", SMALL, ha="right")
    for y, role, name in (34.8, "key", "label: key"), (32, "value", "content: value"):
        for middle, fact in zip(middles, facts, strict=True):
            fill = 0.45 if fact == "B7" else 0.12
            canvas.cell(middle - 2.8, y - 1.4, 5.6, 2.8, role, fill)
            canvas.text(middle, y, fact[role == "value"], role)
        canvas.text(left - 1.2, y, name, role, SMALL, ha="right")
    for i, middle in enumerate(middles):
        canvas.token(middle - 2.8, 16.6, facts[i], 5.6, size=SMALL)
        fill = 0.7 * 0.55 ** (i - 1) if i else 0.03
        canvas.cells(middle - 2.2, 7.4, 4, 1, "value", side=1.4, fill=fill)
        canvas.arrow((middle - 1.5, 16.5), (middle - 1.5, 13.2))
        if i:
            canvas.arrow((middles[i - 1] - 0.7, 10.2), (middle - 2.3, 10.2))
    canvas.text(left - 1.2, 10.2, "state", size=SMALL, ha="right")


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

"""Drawings of attention itself: queries with keys and values, heads, patterns."""

import numpy as np

from tools.drawings.formulas import example_weights, softmax
from tools.drawings.primitives import FORMULA, HATCHES, SMALL, Box, Canvas, signed


def attention_three_words():
    canvas = Canvas(52)
    words = ["deep", "river", "bank"]
    vectors = np.array([[1.0, 0.0], [2.0, 0.0], [1.0, 1.0]])  # water, money
    query = vectors[2]
    scores = vectors @ query / 2**0.5
    weights = softmax(scores)
    mix = weights @ vectors

    bank = canvas.token(1.5, 46, "bank", 8, "query")
    query_cells = canvas.vector(2.9, 39.2, query, "query")
    canvas.arrow(bank.bottom, query_cells.top, "query")
    canvas.small(5.5, 37.6, "water, money", "query")
    canvas.text(5.5, 50.3, "asks", "query")
    canvas.text(6.7, 43.9, "q", "query")
    canvas.formula(5.5, 30.9, "1 score\n$q\\cdot k\\,/\\,\\sqrt{2}$", "query")
    canvas.text(5.5, 24.1, "2 weights:\nsoftmax")
    canvas.text(5.5, 16.2, "3 mix:\nweight × v", "value")
    canvas.text(31, 50.3, "are looked at")

    bus = 36.2  # the height at which the query goes to all scores
    end = 13 + 13.5 * 2 + 0.6  # above the last score
    start = query_cells.right
    corner = (10.9, start[1])
    canvas.line(start, corner, (10.9, bus), (end, bus), role="query", width=2)
    for i in range(3):
        x = 13 + 13.5 * i
        token = canvas.token(x, 46, words[i], 11)
        key = canvas.vector(x - 0.4, 39.2, vectors[i], "key")
        value = canvas.vector(x + 6.2, 39.2, vectors[i], "value")
        canvas.arrow((key.top[0], token.y), key.top, "key")
        canvas.text(key.top[0] + 1.2, 43.9, "k", "key")
        canvas.arrow((value.top[0], token.y), value.top, "value")
        canvas.text(value.top[0] + 1.2, 43.9, "v", "value")

        middle = key.bottom[0]
        score = canvas.box(middle - 2.3, 30, 4.6, 3.2, f"{scores[i]:.2f}")
        canvas.arrow(key.bottom, score.top, "key")
        branch = middle - 1.6
        canvas.arrow((branch, bus), (branch, score.top[1]), "query", width=2)
        canvas.arrow(score.bottom, (middle, 26.4))
        weight = canvas.weights(middle - 2, 22.2, [[weights[i]]], 4, 4, shown="{:.2f}")

        times = canvas.node(value.bottom[0], 21, "×")
        canvas.arrow(value.bottom, times.top, "value")
        corner = (middle, 21)
        canvas.line(weight.bottom, corner, (times.x - 0.1, 21), arrow=True)
        product = canvas.vector(
            value.x,
            15,
            weights[i] * vectors[i],
            "value",
            "{:.1f}",
            fill=0.6 * weights[i],
        )
        canvas.arrow(times.bottom, product.top, "value")
        canvas.line(product.bottom, (product.bottom[0], 12.2), role="value")

    canvas.line((21.8, 12.2), (48.8, 12.2), role="value")
    total = canvas.node(35.3, 9.2)
    canvas.arrow((35.3, 12.2), total.top, "value")
    new = canvas.vector(32.7, 2.6, mix, "value", "{:.1f}", fill=0.4)
    canvas.arrow(total.bottom, new.top, "value")
    canvas.text(31.5, 3.9, "new vector of “bank”", ha="right")

    pairs = [f"({vector[0]:.0f}, {vector[1]:.0f})" for vector in vectors]
    canvas.describe(f"""
        The word "bank" looks at the three words "deep", "river" and "bank". Each of
        them has two numbers, for water and for money: {pairs[0]}, {pairs[1]} and
        {pairs[2]}. They are its query q, its key k and its value v. The query of "bank"
        times each key, divided by the root of 2, gives the scores {scores[0]:.2f},
        {scores[1]:.2f} and {scores[2]:.2f}. Softmax turns them into weights with the
        sum 1: {weights[0]:.2f}, {weights[1]:.2f} and {weights[2]:.2f}. Each value is
        multiplied by the weight of its word. The sum of the products, {mix[0]:.1f} for
        water and {mix[1]:.1f} for money, is the new vector of "bank".
    """)
    return canvas


def query_key_value():
    canvas = Canvas(58)
    inputs = canvas.cells(20.8, 50.5, 4, 6, "ink")
    canvas.text(19.6, 53.7, "X", size=12, ha="right")
    canvas.shape(31.6, 53.7, "(T, D): one row\nfor each token")

    bottoms = {}
    for role, letter, left in (
        ("query", "Q", 3.4),
        ("key", "K", 20.8),
        ("value", "V", 38.2),
    ):
        middle = left + 4.8
        way = (25.6, 48.2), (middle, 48.2), (middle, 46.3)
        canvas.line(inputs.bottom, *way, arrow=True)
        name = f"× $W_{letter}$"
        layer = canvas.box(middle - 4, 42.4, 8, 3.8, name, role, size=FORMULA)
        matrix = canvas.cells(middle - 3.2, 33, 4, 4, role)
        canvas.arrow(layer.bottom, (middle, 39.6), role)
        canvas.text(middle - 4.2, 36.2, letter, role, 12, ha="right")
        canvas.shape(middle + 3.9, 36.2, "(T, d)")
        bottoms[role] = matrix.bottom

    canvas.box(3.4, 24, 27, 4.4, r"scores: $Q\,K^\top / \sqrt{d}$", size=FORMULA)
    canvas.shape(31.4, 26.2, "(T, T)")
    for role in "query", "key":
        canvas.arrow(bottoms[role], (bottoms[role][0], 28.5), role)
    softmax_box = canvas.box(3.4, 16.6, 16, 3.4, "softmax")
    canvas.arrow((11.4, 24), softmax_box.top)
    scores = np.random.default_rng(4).normal(scale=1.2, size=(4, 4))
    weights = canvas.weights(24, 15.1, softmax(scores), 1.6, 1.6)
    canvas.arrow(softmax_box.right, (23.8, 18.3))
    canvas.shape(31.4, 18.3, "(T, T), the sum\nof each row is 1")

    output = canvas.box(3.4, 8, 44.4, 3.4, "weights × V")
    canvas.arrow(weights.bottom, (weights.bottom[0], 11.5))
    canvas.arrow(bottoms["value"], (43, 11.5), "value")
    canvas.arrow(output.bottom, (25.6, 5))
    canvas.text(25.6, 3.2, "new vector of each token")
    canvas.shape(37.2, 3.2, "(T, d)")
    canvas.describe("""
        Each token's vector x is multiplied by three trained matrices and gives a query,
        a key and a value: the matrix X of shape (T, D) becomes Q, K and V of shape (T,
        d). All queries times all keys, divided by the root of d, are scores of shape
        (T, T). Softmax makes each row sum to 1. These weights times the values are the
        outputs, one vector for each token, of shape (T, d).
    """)
    return canvas


def recall():
    canvas = Canvas(54)
    labels = "ABCDEF"
    contents = "371528"
    asked = labels.index("B")
    left = 12.5
    width = 5.6
    middles = [left + 6.6 * i + width / 2 for i in range(len(labels))]

    canvas.text(26, 51.4, "self-attention: one step, however far", weight="bold")
    question = canvas.token(middles[-1] - 2.8, 43, f"{labels[asked]}?", width, "query")
    there = middles[asked] - 1.3
    way = (question.x, 44.3), (there, 44.3), (there, 36.5)
    canvas.line(*way, role="query", width=2, arrow=True)
    back = middles[asked] + 1.3
    way = (back, 36.4), (back, 40.2), (question.bottom[0], 40.2), question.bottom
    canvas.line(*way, role="value", width=2, arrow=True)
    canvas.small(left - 1.2, 44.3, "question", "query", ha="right")
    meets = f"the query {labels[asked]} meets the key {labels[asked]}"
    canvas.small(31, 46, meets, "query")
    canvas.small(31, 38.2, f"the value {contents[asked]} comes back", "value")

    canvas.small(left - 1.2, 34.8, "label: key", "key", ha="right")
    canvas.small(left - 1.2, 32, "content: value", "value", ha="right")
    for i, middle in enumerate(middles):
        fill = 0.45 if i == asked else 0.12
        canvas.cell(middle - 2.8, 33.4, width, 2.8, "key", fill)
        canvas.text(middle, 34.8, labels[i], "key")
        canvas.cell(middle - 2.8, 30.6, width, 2.8, "value", fill)
        canvas.text(middle, 32, contents[i], "value")
    canvas.shape(51, 28, "(B, T, D), T grows with the text", ha="right")

    canvas.text(26, 22.4, "a recurrent network: step by step", weight="bold")
    canvas.small(left - 1.2, 10.2, "state", ha="right")
    for i, middle in enumerate(middles):
        canvas.token(middle - 2.8, 16.6, labels[i] + contents[i], width, size=SMALL)
        # What the state still holds of the fact: a part is lost at each step.
        kept = 0.7 * 0.55 ** (i - asked) if i >= asked else 0.03
        canvas.cells(middle - 2.2, 7.4, 4, 1, "value", side=1.4, fill=kept)
        canvas.arrow((middle - 1.5, 16.5), (middle - 1.5, 13.2))
        if i > 0:
            canvas.arrow((middles[i - 1] - 0.7, 10.2), (middle - 2.3, 10.2))
    canvas.shape(51, 3.6, "(B, D), the same D numbers for every text", ha="right")

    facts = [
        f"{label} {content}" for label, content in zip(labels, contents, strict=True)
    ]
    canvas.describe(f"""
        Six facts are read one after the other. Each is a label, its key, and a content,
        its value: {", ".join(facts)}. With the last one comes a question: what was in
        {labels[asked]}? Above, self-attention: the question is a query, it meets the
        key {labels[asked]} in one step, however far away it stands, and brings back the
        value {contents[asked]}. Below, a recurrent network: each fact goes into the
        state, one vector of D numbers, and each step writes over a part of it. Of the
        fact {labels[asked]}, drawn in green, less is left at each of the four steps
        until the question. Shapes: the facts (B, T, D), the state (B, D).
    """)
    return canvas


def heads():
    canvas = Canvas(58)
    num_heads = 4
    strip = 17.4  # where the strips of D numbers begin
    width = 4.8  # of one head's part of a strip
    for row, role in enumerate(("query", "key", "value")):
        canvas.cells(strip, 54 - 2.6 * row, 1, 12, role)
        canvas.text(strip - 1, 54.8 - 2.6 * row, role, role, ha="right")
    for head in range(1, num_heads):
        cut = strip + head * width
        canvas.line((cut, 47.9), (cut, 56.6), width=2.2)
    canvas.shape(38, 52.2, "(B, T, D), cut\ninto H parts")

    scores = np.random.default_rng(1).normal(scale=1.5, size=(num_heads, 4, 4))
    weights = softmax(scores)
    for head in range(num_heads):
        role = f"head {head + 1}"
        left = 7 + 9 * head
        middle = left + 4
        part = strip + head * width
        canvas.arrow((part + 2.4, 48.6), (middle, 43.4), role)
        canvas.box(left, 23.7, 8, 19.6, role=role, ground="ground")
        canvas.small(middle, 41.5, role, role)
        for row, name in enumerate(("query", "key", "value")):
            letter = {(0, 1): name[0]}
            canvas.cells(middle - 2.4, 37.6 - 2.4 * row, 1, 3, name, letter)
        canvas.weights(middle - 2.4, 25, weights[head], 1.2, 1.2, role)
        canvas.arrow((middle, 32.6), (middle, 30.2), role)
        result = canvas.cells(middle - 2.4, 19.4, 1, 3, role, hatch=HATCHES[role])
        canvas.arrow((middle, 23.6), (middle, 21.2), role)
        canvas.arrow(result.bottom, (part + 2.4, 15.7), role)
        canvas.cells(part, 13.9, 1, 3, role, hatch=HATCHES[role])
    canvas.shape(43.4, 36, "(B, H, T,\nD/H)")
    canvas.shape(43.4, 27.4, "weights\n(B, H, T, T)")
    canvas.shape(43.4, 20.2, "(B, H, T,\nD/H)")
    canvas.text(16.4, 14.7, "joined", ha="right")
    canvas.shape(38, 14.7, "(B, T, D)")

    matrix = canvas.box(22, 7.6, 10, 3.8, "× $W_O$", size=FORMULA)
    canvas.arrow((27, 13.8), matrix.top)
    canvas.arrow(matrix.bottom, (27, 4.8))
    canvas.cells(strip, 3, 1, 12, "ink")
    canvas.text(16.4, 3.8, "new vector", ha="right")
    canvas.shape(38, 3.8, "(B, T, D)")
    canvas.describe("""
        Attention with several heads, here four. Each token's query, key and value have
        D numbers, here twelve. They are cut into H parts of D/H numbers. Each head does
        attention with its own part only, so it has its own map of weights of shape (T,
        T). The results of the heads are joined, side by side, to D numbers again, and
        multiplied by one more trained matrix, W_O. The shapes are (B, T, D), then (B,
        H, T, D/H), and (B, T, D) at the end.
    """)
    return canvas


def two_heads():
    words = ["not", "dull", "hit"]
    x = np.array([[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 1, 0, 1]])  # (T, D)
    query = np.array([3.0, 0, 0, 3])
    keys = 2 * x
    weights = []
    halves = []
    for own in (slice(0, 2), slice(2, 4)):
        share = softmax(keys[:, own] @ query[own] / np.sqrt(2))
        weights.append(share)
        halves.append(share @ x[:, own])
    added = np.concatenate(halves)
    canvas = Canvas(38, 64)
    left = 19
    side = 6.6
    cut = left + 2 * side
    for head, middle in ((1, left + side), (2, left + 3 * side)):
        role = f"head {head}"
        canvas.text(middle, 36.6, role, role, weight="bold")
    names = ("negation", "judgement", "person", "thing")
    for column, name in enumerate(names):
        canvas.shape(left + (column + 0.5) * side, 33, name, ha="center")

    def strip(y, numbers, roles, form="{:.0f}"):
        """Draw D numbers, each half in the colour of its head."""
        for half, role in enumerate(roles):
            own = numbers[2 * half : 2 * half + 2]
            corner = left + 2 * half * side
            for column, number in enumerate(own):
                place = corner + column * side
                canvas.cell(place, y, side, 4.2, role)
                canvas.small(place + side / 2, y + 2.1, signed(number, form))

    both = ("head 1", "head 2")
    canvas.small(left - 1.5, 29, "query of dull", "query", "right")
    strip(26.9, query, ("query", "query"))
    for row, word in enumerate(words):
        y = 19.2 - 5 * row
        canvas.token(3, y + 0.8, word, 7, size=SMALL)
        canvas.small(left - 1.5, y + 2.1, "key", "key", "right")
        strip(y, keys[row], ("key", "key"))
        for head in (0, 1):
            canvas.text(
                left + 4 * side + 4.4 + 6.2 * head,
                y + 2.1,
                f"{weights[head][row]:.2f}",
                both[head],
                weight="bold" if weights[head][row] > 0.5 else "normal",
            )
    canvas.shape(left + 4 * side + 7.5, 27.8, "attention\nweights", ha="center")
    canvas.small(left - 1.5, 3.9, "attention gives", "added", "right")
    strip(1.8, added, both, "{:.2f}")
    canvas.line((cut, 0.2), (cut, 31.4), width=2.4)
    canvas.shape(
        left + 4 * side + 1.5, 3.9, "weights × values (half\nof the keys), joined"
    )
    first, second = weights
    canvas.describe(f"""
        The word "dull" asks in "not dull hit", with two heads. Its query (3, 0, 0, 3)
        and the keys of the three words are cut in the middle. Head 1 sees the columns
        negation and judgement; its attention weights are {first[0]:.2f} for "not",
        {first[1]:.2f} for "dull" and {first[2]:.2f} for "hit". Head 2 sees the columns
        person and thing: {second[0]:.2f}, {second[1]:.2f} and {second[2]:.2f}. Each
        value is half of its key. The two results, joined side by side, are
        {added[0]:.2f}, {added[1]:.2f}, {added[2]:.2f} and {added[3]:.2f}.
    """)
    return canvas


def head_removed():
    canvas = Canvas(48)
    removed = 2
    title = f"head {removed} is taken out: its rows of W become 0"
    canvas.text(26, 45.4, title, weight="bold")
    for head in range(1, 5):
        role = f"head {head}"
        hatch = HATCHES[role]
        canvas.cells(3 * head - 1.4, 29.5, 3, 2, role, side=1.5, hatch=hatch)
        rows = 33.75 - 3 * (head - 1)  # where the head's rows of W stand
        part = 2.2 + 12.8 * (head - 1)  # where its part of the sum stands
        if head == removed:
            canvas.weights(19.6, rows, np.full((2, 8), np.nan), 1.5, 1.5)
            canvas.weights(part, 12, np.full((3, 8), np.nan), 1.15, 1.15)
            canvas.small(part + 4.6, 8.6, f"{role}: 0", "quiet")
        else:
            canvas.cells(19.6, rows, 2, 8, role, side=1.5, hatch=hatch)
            canvas.cells(part, 12, 3, 8, role, side=1.15, hatch=hatch)
            canvas.small(part + 4.6, 8.6, role, role)
        if head > 1:
            canvas.text(part - 1.8, 13.4, "+")
    canvas.cells(37.6, 29.5, 3, 8, "added", side=1.5)
    canvas.text(16.6, 31.7, "×")
    canvas.text(34.6, 31.7, "=")
    canvas.text(26, 19, "the same output, as a sum of one part from each head")
    canvas.shape(7.6, 38.6, "results of the heads\nside by side (T, D)", ha="center")
    canvas.shape(25.6, 40, "W (D, D): D/H rows a head", ha="center")
    canvas.shape(43.6, 37.2, "output (T, D)", ha="center")
    shapes = "each part (T, D) = its columns (T, D/H) times its rows (D/H, D)"
    canvas.shape(26, 4.6, shapes, ha="center")
    canvas.describe(f"""
        Taking one head out of four. The results of the heads stand side by side, two
        columns from each, shape (T, D). They are multiplied by the output matrix W_O of
        shape (D, D), in which two rows belong to each head. The rows of head {removed}
        are crossed: they are 0. So the output, (T, D), is a sum of four parts, one from
        each head, and the part of head {removed} is 0. The three others are as before,
        and head {removed} itself computes as before: nobody hears it.
    """)
    return canvas


def attention_patterns():
    canvas = Canvas(46)
    length = 8
    positions = np.arange(length)
    distance = np.abs(positions[:, None] - positions)  # (T, T)
    patterns = (
        ("all pairs", distance >= 0, "T · T"),
        ("causal", np.tri(length, dtype=bool), "T (T + 1) / 2"),
        ("window w = 1", distance <= 1, "T (2w + 1)"),
    )
    for number, (name, allowed, count) in enumerate(patterns):
        x = 1.5 + 17.7 * number
        canvas.text(x + 6.8, 43, name, weight="bold")
        canvas.weights(x, 26.6, example_weights(allowed, seed=3), 1.7, 1.7)
        canvas.small(x + 6.8, 24.2, count)

    canvas.text(26, 20.8, "linear attention: no pairs", weight="bold")
    canvas.cells(1.5, 8.6, 3, length, "key", side=1.4)
    canvas.formula(7.1, 14.7, r"$\phi(K)^\top$")
    canvas.small(7.1, 6.7, "(d, T)", "quiet")
    canvas.text(14.4, 10.7, "×")
    canvas.cells(16.4, 5.1, length, 3, "value", side=1.4)
    canvas.text(18.5, 17.9, "V")
    canvas.small(18.5, 3.2, "(T, d)", "quiet")
    canvas.text(22.6, 10.7, "=")
    canvas.cells(25, 8.6, 3, 3, "added", side=1.4)
    canvas.small(27.1, 6.7, "(d, d)", "quiet")
    canvas.cells(36, 10, 1, 3, "query", side=1.4)
    canvas.formula(38.1, 13.3, r"$\phi(q)$")
    canvas.small(38.1, 8.1, "(1, d)", "quiet")
    canvas.text(42, 10.7, "×")
    canvas.cells(44, 8.6, 3, 3, "added", side=1.4)
    canvas.small(46.1, 6.7, "(d, d)", "quiet")
    canvas.describe("""
        Who attends to whom, for eight tokens; rows ask, columns are looked at, crossed
        cells are left out. First all pairs: T times T scores. Then causal: each token
        sees itself and those before it, about half of the pairs. Then a window of one
        token on each side: 3 scores in a row, so T times 3. Below, linear attention: it
        makes no pairs. First the keys, transposed, of shape (d, T) times the values (T,
        d) give one small matrix (d, d); then each query (1, d) times this matrix gives
        its output.
    """)
    return canvas


def attention_in_blocks():
    canvas = Canvas(51)
    blocks = 4
    now = (1, 2)  # the block of queries, and of keys and values
    left = 12
    low = 17.5
    side = 6
    for row in range(blocks):
        y = low + (blocks - 1 - row) * side
        for column in range(blocks):
            x = left + column * side
            if (row, column) == now:
                canvas.cell(x, y, side, side, "query", 0.5)
            elif (row, column) < now:
                canvas.cell(x, y, side, side, "mask", 0.3)
            else:
                canvas.cell(x, y, side, side, "mask", 0.02)
            if row == now[0]:
                words = {-1: "done", 0: "now", 1: "later"}
                word = words[np.sign(column - now[1])]
                canvas.small(x + 3, y + 3, word)
        query_fill = 0.55 if row == now[0] else 0.1
        canvas.cell(8.2, y, 2.6, side, "query", query_fill)
    for column in range(blocks):
        fill = 0.55 if column == now[1] else 0.1
        canvas.cell(left + column * side, 43, side, 2.6, "key", fill)
        canvas.cell(left + column * side, 46.4, side, 2.6, "value", fill)

    canvas.text(7, 29.5, "Q", "query", ha="right")
    canvas.shape(7, 26.5, "(T, d)", ha="right")
    canvas.text(10.8, 44.3, "K", "key", ha="right")
    canvas.text(10.8, 47.7, "V", "value", ha="right")
    canvas.shape(37, 46, "(T, d), in blocks")
    canvas.small(38.2, 38.2, "kept for each query:", ha="left")
    canvas.small(38.2, 34.4, "m  largest score", ha="left")
    canvas.small(38.2, 31.4, "l  sum of powers", ha="left")
    canvas.small(38.2, 28.4, "o  mix of values, (d)", ha="left")
    canvas.small(24, 14.6, "scores (T, T): never stored")
    canvas.formula(26, 10.6, r"$m' = \max(m,\ \max_s\ score_s)$")
    canvas.formula(26, 6.9, r"$l\leftarrow e^{m-m'}\,l+\sum_s e^{score_s-m'}$")
    canvas.formula(26, 3.2, r"$o\leftarrow e^{m-m'}\,o+\sum_s e^{score_s-m'}\,v_s$")
    canvas.describe("""
        Attention in blocks. The table of all scores, T rows for queries and T columns
        for keys, is never stored. It is cut into four by four blocks. Only one block is
        computed at a time: here that of the second block of queries and the third block
        of keys and values. Blocks to its left are done, and their numbers are thrown
        away; those to its right are still to come. Of the blocks that are done three
        things are kept for each query: the largest score m, the sum of the powers l,
        and the mix of values o, of shape (T, d). When a block has a larger score, l and
        o are first multiplied by e to the old m minus the new m.
    """)
    return canvas


def grouped_queries():
    canvas = Canvas(34)
    num_heads = 4
    side = 2.7
    step = 3.5
    forms = (("all heads", 1.9, 4), ("grouped", 19.4, 2), ("multi-query", 36.9, 1))
    for name, left, key_heads in forms:
        middle = left + 6.6
        canvas.text(middle, 31.4, name, weight="bold")
        canvas.text(middle, 9.4, f"{2 * key_heads} d numbers")
        group = num_heads // key_heads  # query heads that share a key head
        for key_head in range(key_heads):
            # Below the middle of the queries that share it.
            x = left + step * (key_head * group + (group - 1) / 2)
            key_name = {(0, 0): f"k{key_head + 1}"}
            value_name = {(0, 0): f"v{key_head + 1}"}
            canvas.cells(x, 18, 1, 1, "key", key_name, side)
            canvas.cells(x, 14.8, 1, 1, "value", value_name, side)
            for head in range(key_head * group, (key_head + 1) * group):
                query_name = {(0, 0): f"q{head + 1}"}
                query = canvas.cells(
                    left + step * head, 25, 1, 1, "query", query_name, side
                )
                canvas.line(query.bottom, (x + side / 2, 18 + side), role="query")
    canvas.small(26, 5.4, "in the cache for each token, in each layer")
    shapes = "queries (B, H, T, d), keys and values (B, K, S, d): H = 4; K = 4, 2, 1"
    canvas.shape(26, 2, shapes, ha="center")
    canvas.describe("""
        Four query heads, q1 to q4, and the key and value heads that they read, in three
        forms. All heads: each query head has a key and a value head of its own, and the
        cache keeps 8 d numbers for a token. Grouped: q1 and q2 share the first of two,
        q3 and q4 the second, and the cache keeps 4 d. Multi-query: all four share one,
        and the cache keeps 2 d.
    """)
    return canvas


def state_or_mask():
    canvas = Canvas(44)
    length = 4
    decay = 0.7
    canvas.text(13.3, 41.4, "with a state", weight="bold")
    canvas.shape(
        13.3,
        37.4,
        "the state (d, d) fades and is\nadded to; it never grows",
        ha="center",
    )
    canvas.shape(13.3, 32.6, "each query reads its state", ha="center")
    for i in range(length):
        x = 3.7 + 6.4 * i
        canvas.token(x - 2.5, 8, f"{i + 1}", 5, size=SMALL)
        canvas.cells(x - 2.1, 20, 3, 3, "added", side=1.4, fill=0.2 + 0.15 * i)
        canvas.arrow((x, 10.6), (x, 20), "key")
        canvas.small(x + 3.3, 14.6, "k, v", "key")
        if i > 0:
            canvas.arrow((x - 4.3, 22.1), (x - 2.1, 22.1), "added")
        canvas.arrow((x, 24.2), (x, 31), "query")
        canvas.small(x + 1.6, 28, f"q{i + 1}", "query")
    canvas.shape(13.3, 3.6, "for writing: one by one", ha="center")

    canvas.text(40, 41.4, "with a mask", weight="bold")
    canvas.shape(40, 36.2, "(T, T)", ha="center")
    positions = np.arange(length)
    ago = positions[:, None] - positions  # (T, T)
    mask = np.where(ago >= 0, decay ** np.maximum(ago, 0), np.nan)
    canvas.weights(32, 14, mask, 4, 4, "added", shown="{:.2f}")
    for i in range(length):
        canvas.small(34 + 4 * i, 31.6, f"k{i + 1}", "key")
        canvas.small(30.5, 28 - 4 * i, f"q{i + 1}", "query")
    canvas.text(40, 9.6, "mask × (queries · keys)")
    canvas.text(40, 6, "times the values", "value")
    canvas.shape(40, 2.4, "for training: all at once", ha="center")
    canvas.describe(f"""
        The same computation twice, for tokens 1 to 4. Left, with a state: a matrix of
        shape (d, d) goes from token to token; at each it fades by the decay, the key
        and value are added, and the query reads it; it never grows. Right, with a mask:
        the product of all queries and keys, shape (T, T), times a mask that is paler
        the longer ago the key was, here {decay} to the power of the distance, with
        later keys crossed, and then times the values.
    """)
    return canvas


def self_attention_numbers():
    """Three words with four numbers each, from their vectors to their new ones."""
    words = ["her", "red", "shoes"]
    x = np.array([[1.0, 0.0, 0.0, 0.0], [0.5, 0.0, 0.0, 1.0], [0.0, 1.0, 1.0, 0.0]])
    w_q = np.array([[2.0, 0.0], [0.0, 2.0], [0.0, 0.0], [0.0, 0.0]])
    w_k = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 0.0], [0.0, 2.0]])
    w_v = np.array([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    queries = x @ w_q
    keys = x @ w_k
    values = x @ w_v
    scores = queries @ keys.T / 2**0.5
    weights = softmax(scores)
    mixed = weights @ values

    canvas = Canvas(66)
    side = 3.0
    inputs = _named_matrix(canvas, 19, 54, x, words, "ink", "{:.1f}")
    canvas.shape(32, 58.5, "X, (T, D):\na row for each word")
    bottoms = {}
    for role, letter, left, matrix in (
        ("query", "Q", 6, queries),
        ("key", "K", 22, keys),
        ("value", "V", 39, values),
    ):
        framed = 1 if role == "query" else len(words)  # her row needs all keys, values
        grid = _named_matrix(
            canvas, left, 37, matrix, words, role, "{:.0f}", framed=framed
        )
        top = grid.top[0]
        canvas.line(inputs.bottom, (25, 51.6), (top, 51.6), (top, 50.4), arrow=True)
        canvas.box(top - 4, 47, 8, 3.3, f"× $W_{letter.lower()}$", role, size=FORMULA)
        canvas.arrow((top, 47), (top, 46.2), role)
        canvas.shape(top + 3.4, 41.5, letter)
        bottoms[role] = grid.bottom

    canvas.small(1, 27, "1 score", weight="bold", ha="left")
    score_grid = _named_matrix(canvas, 16, 20.5, scores, words, "key", "{:.2f}", 4)
    for column, word in enumerate(words):
        canvas.shape(18 + 4 * column, 19.3, word, ha="center")
        canvas.shape(37 + 4 * column, 19.3, word, ha="center")
    canvas.shape(1, 24.4, "Q Kᵀ / √2")
    canvas.shape(1, 22.4, "(T, T)")
    canvas.arrow(bottoms["query"], (19.5, 29.8), "query")
    canvas.arrow(bottoms["key"], (24, 29.8), "key")
    canvas.small(35, 32.6, "2 weights", weight="bold", ha="left")
    weight_grid = canvas.weights(35, 20.5, weights, 4, side, shown="{:.2f}")
    canvas.shape(35, 31.0, "softmax of each row")
    _row_frame(canvas, 35, 20.5 + 2 * side, 12, side)
    canvas.arrow(score_grid.right, weight_grid.left)

    canvas.small(5, 14.3, "3 mix", weight="bold", ha="left")
    canvas.box(14, 12.6, 32, 3.2, "weights × V")
    canvas.arrow((41, 18.3), (41, 15.9))
    value_x = bottoms["value"][0] + 6.2
    canvas.line(
        bottoms["value"],
        (bottoms["value"][0], 35.2),
        (value_x + 2, 35.2),
        (value_x + 2, 14.2),
        (46.1, 14.2),
        role="value",
        arrow=True,
    )
    _named_matrix(canvas, 26, 1, mixed, words, "added", "{:.2f}", 4)
    canvas.arrow((30, 12.6), (30, 10.2))
    canvas.shape(35.5, 5.5, "new vectors, (T, d)")

    said = [", ".join(f"{number:.2f}" for number in row) for row in weights]
    new = [f"({row[0]:.2f}, {row[1]:.2f})" for row in mixed]
    canvas.describe(f"""
        Self-attention with the numbers of three words. The matrix X has a row of four
        numbers for each of her, red and shoes. Three products with the matrices W_q,
        W_k and W_v give queries, keys and values, two numbers for each word. Step 1,
        score: queries times keys, divided by the root of 2, a table of three rows and
        three columns. Step 2, weights: the softmax of each row; her: {said[0]}; red:
        {said[1]}; shoes: {said[2]}. Step 3, mix: weights times values give the new
        vectors {new[0]}, {new[1]} and {new[2]}. Framed is what the new vector of
        her needs: her own row of X and of the queries, all keys and all values, and her
        rows of scores and weights.
    """)
    return canvas


def _named_matrix(canvas, x, y, matrix, words, role, form, width=3.0, framed=1):
    """Draw a matrix with its words before the rows, and the first ones framed."""
    height = 3.0
    rows, columns = matrix.shape
    for (i, j), number in np.ndenumerate(matrix):
        corner = x + j * width, y + (rows - 1 - i) * height
        canvas.cell(*corner, width, height, role, 0.1)
        middle = corner[0] + width / 2, corner[1] + height / 2
        canvas.text(*middle, form.format(number), size=SMALL)
    for i, word in enumerate(words):
        middle = y + (rows - 1 - i) * height + height / 2
        canvas.text(x - 0.6, middle, word, "quiet", SMALL, "right")
    low = y + (rows - framed) * height
    _row_frame(canvas, x, low, columns * width, framed * height)
    return Box(x, y, columns * width, rows * height)


def _row_frame(canvas, x, y, width, height):
    """Frame the part of a matrix that is followed through the drawing."""
    corners = (x, y), (x + width, y), (x + width, y + height), (x, y + height), (x, y)
    canvas.line(*corners, width=2.2)

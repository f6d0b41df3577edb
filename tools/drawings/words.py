"""Drawings of vectors: of words and of sentences."""

import numpy as np

from tools.drawings.formulas import softmax
from tools.drawings.primitives import Canvas, signed


def skip_gram():
    canvas = Canvas(56)
    sentence = ["the", "cat", "eats", "fish"]
    centre = np.array([1, 1])
    others = (
        ("eats", [1, 0], 1, "value", "u comes\nnearer"),
        ("piano", [0, 1], 0, "key", "u goes\naway"),
        ("tea", [-1, -1], 0, "key", "u hardly\nmoves"),
    )

    tokens = canvas.tokens(2, 51, sentence, 8.2, 7.2)
    canvas.arrow(tokens[1].bottom, (9, 43.6), "query")
    canvas.arrow(tokens[2].bottom, (23, 43.6), "value")
    canvas.text(39.5, 46, "drawn at random", "key")
    token = canvas.token(2, 40.8, sentence[1], 9, "query")
    strip = canvas.vector(3.4, 34, centre, "query", side=3.1)
    canvas.arrow(token.bottom, strip.top, "query")
    canvas.text(6.5, 31.6, "u: centres", "query")
    canvas.shape(6.5, 29, "(V, D)", ha="center")
    canvas.shape(27, 30.4, "c: contexts\n(V, D)", ha="center")
    canvas.text(6.5, 24.8, "score u · c")
    canvas.text(6.5, 18.4, "sigmoid")
    canvas.text(6.5, 12, "wanted")
    scores = []
    sigmoids = []
    for number, (word, vector, wanted, role, effect) in enumerate(others):
        x = 16.5 + 12 * number
        middle = x + 4.5
        token = canvas.token(x, 40.8, word, 9, role)
        strip = canvas.vector(x + 1.4, 34, vector, role, side=3.1)
        canvas.arrow(token.bottom, strip.top, role)
        canvas.arrow((middle, 33.8), (middle, 26.8), role)
        score = centre @ vector
        scores.append(signed(score, "{}"))
        sigmoids.append(f"{1 / (1 + np.exp(-score)):.2f}")
        canvas.text(middle, 24.8, scores[-1])
        canvas.text(middle, 18.4, sigmoids[-1])
        canvas.text(middle, 12, f"{wanted}", role, weight="bold")
        canvas.text(middle, 5, effect, role)
    pairs = [f"({signed(v[0], '{}')}, {signed(v[1], '{}')})" for _, v, *_ in others]
    canvas.describe(f"""
        Skip-gram with negative sampling. In "{" ".join(sentence)}", the centre is
        "cat" and one of its contexts is "eats". Two more words, "piano" and "tea",
        were drawn at random: the negatives. The centre has a vector u from the table of
        centres, here ({centre[0]}, {centre[1]}); the others have vectors c from the
        table of contexts: {pairs[0]}, {pairs[1]} and {pairs[2]}. Their scores u · c are
        {scores[0]}, {scores[1]} and {scores[2]}; the sigmoid makes {sigmoids[0]},
        {sigmoids[1]} and {sigmoids[2]} of them. Wanted are 1 for the context and 0 for
        the negatives. So u comes nearer to "eats", goes away from "piano", and is
        hardly moved by "tea".
    """)
    return canvas


def one_head():
    canvas = Canvas(65)
    words = ["queen's", "gold", "king's", "boat", "queen's", "covered"]
    facts = [1, 3]  # the words that are found by the word before them
    weights = softmax(np.array([2.2, 0.0]))

    tokens = canvas.tokens(1.2, 60, words, 8.4, 7.8)
    middles = [token.bottom[0] for token in tokens]
    for middle, token in zip(middles[:-1], tokens, strict=False):
        strip = canvas.cells(middle - 3, 54.4, 1, 4, "ink", side=1.5)
        canvas.arrow(token.bottom, strip.top)
    canvas.shape(42.6, 55.2, "x (B, T, D)")
    for i, role, letter in (1, "key", "k"), (3, "key", "k"), (5, "query", "q"):
        strip = canvas.cells(middles[i] - 3, 43, 1, 4, role, side=1.5)
        canvas.arrow((middles[i - 1], 54.2), (middles[i] - 1, strip.y + 1.7), role)
        canvas.text(middles[i] + 1.6, 46.6, letter, role)
    canvas.shape(1, 43, "the word\nbefore asks\nand is found")
    canvas.line((middles[5], 42.8), (middles[5], 37), (31, 37), role="query")
    canvas.box(9, 35, 22, 4, r"softmax($q\cdot k\,/\,\sqrt{D}$)", size=11)
    for i, weight in zip(facts, weights, strict=True):
        middle = middles[i]
        canvas.arrow((middle, 42.8), (middle, 39.1), "key")
        cell = canvas.weights(middle - 2, 27.6, [[weight]], 4, 4, shown="{:.1f}")
        canvas.arrow((middle, 34.9), cell.top)
        times = canvas.node(middle, 21.4, "×")
        canvas.arrow(cell.bottom, times.top)
        value = canvas.cells(middle + 4.6, 20.6, 1, 4, "value", side=1.5)
        canvas.arrow(value.left, times.right, "value")
        canvas.text(value.top[0] + 0.4, 24.4, "v: own x", "value")
        canvas.line(times.bottom, (middle, 15.6), role="value")
    canvas.line((middles[1], 15.6), (middles[3], 15.6), role="value")
    middle = (middles[1] + middles[3]) / 2
    total = canvas.node(middle, 12.6)
    canvas.arrow((middle, 15.6), total.top, "value")
    new = canvas.cells(middle - 3, 6.4, 1, 4, "value", side=1.5, fill=0.4)
    canvas.arrow(total.bottom, new.top, "value")
    canvas.text(middle - 4.2, 7.2, "bank, here", ha="right")
    say = canvas.box(32, 5, 17.4, 4.2, "which word was it?")
    canvas.arrow(new.right, say.left)
    canvas.shape(33, 2.6, "(B, D) → (B, V)")
    canvas.describe(f"""
        One head of attention for the sentence "queen's gold, king's boat, queen's",
        then a covered word. Each word has a vector x. The covered word asks: its query
        q is made from the word before it, "queen's". Each other word is found by a key
        k, made from the word before it by the same matrix: "queen's" for "gold",
        "king's" for "boat". Query times key, through a softmax, gives the weights:
        {weights[0]:.1f} for "gold" and {weights[1]:.1f} for "boat", wherever they
        stand. Each word hands over a value v, made from its own vector. The sum of the
        values, each times its weight, is the vector of the covered word in this
        sentence, of shape (B, D). A last layer says which word it was.
    """)
    return canvas


def sentence_vectors():
    canvas = Canvas(52)
    pieces = ["[CLS]", "a", "man", "eats", ".", "[SEP]", ""]
    for token, piece in zip(canvas.tokens(2, 48, pieces, 7, 6), pieces, strict=True):
        middle = token.bottom[0]
        canvas.arrow((middle, 47.8), (middle, 45.6))
        canvas.arrow((middle, 41.3), (middle, 39.2))
        if piece:
            canvas.cells(middle - 0.8, 34.2, 3, 1, "ink")
        else:
            canvas.weights(middle - 0.8, 34.2, np.full((3, 1), np.nan), 1.6, 1.6)
    canvas.box(2, 41.4, 48, 4, "six blocks", ground="encoder")
    canvas.shape(50.5, 32.2, "(B, T, D)", ha="right")
    canvas.line((5, 34), (5, 32.4), (40, 32.4), (40, 34))
    canvas.arrow((22.5, 32.4), (22.5, 30.4))
    canvas.box(8, 26.6, 29, 3.6, "mean of the real pieces")
    canvas.arrow((22.5, 26.5), (22.5, 24.2))
    canvas.box(8, 20.4, 29, 3.6, "divided by its length")
    canvas.shape(38, 22.2, "(B, D)")
    canvas.line((22.5, 20.3), (22.5, 12.9), arrow=True)
    canvas.text(24.4, 16.4, "query", "added", ha="left")

    # Six documents and a query: vectors of length 1, so that products are cosines.
    documents = np.random.default_rng(3).normal(size=(6, 3))
    documents /= np.linalg.norm(documents, axis=1, keepdims=True)
    query = documents[2] + 0.7 * np.random.default_rng(35).normal(size=3)
    query /= np.linalg.norm(query)
    cosines = documents @ query
    first = np.argmax(cosines)
    canvas.text(8.4, 17, "N documents")
    canvas.cells(6, 5.6, 6, 3, "ink")
    canvas.shape(8.4, 3.6, "(N, D)", ha="center")
    canvas.text(17, 10.4, "×")
    canvas.cells(21.7, 8, 3, 1, "added", fill=0.5)
    canvas.shape(22.5, 6, "(D,)", ha="center")
    canvas.text(28, 10.4, "=")
    canvas.text(35.5, 17, "cosines")
    positive = np.maximum(cosines, 0)[:, None]  # a negative cosine stays pale
    canvas.weights(33, 5.6, positive, 5, 1.6)
    canvas.shape(35.5, 3.6, "(N,)", ha="center")
    y = 5.6 + 1.6 * (5.5 - first)
    canvas.arrow((44, y), (38.6, y))
    canvas.text(45, y, f"{cosines[first]:.2f}", ha="left")
    canvas.shape(45, y - 2.6, "first")
    canvas.describe(f"""
        A sentence becomes a vector, and a search, read from top to bottom. The pieces
        [CLS], a, man, eats, a full stop and [SEP], and one place of padding, go through
        six blocks, which give a vector for each place, (B, T, D); that of the padding
        is crossed out. Their mean over the real pieces, divided by its length, is the
        sentence's vector, (B, D). Below, a search: the vectors of N documents, a matrix
        (N, D), times the vector of a query is a column of N cosines. The largest of
        them, {cosines[first]:.2f}, belongs to the first result.
    """)
    return canvas

"""Drawings of word vectors: how they are learned, and one head that mixes them."""


def skip_gram(canvas):
    """Skip-gram with negative sampling. In "the queen lent gold to him", the centre is
    "lent" and one of its contexts is "gold". Two more words, "june" and "cake",
    were drawn at random: the negatives. The centre has a vector u from the table of
    centres, here (1, 1); the others have vectors c from the table of contexts: (1, 0),
    (0, 1) and (−1, −1). Their scores u · c are 1, 1 and −2; the sigmoid makes 0.73,
    0.73 and 0.12 of them. Wanted are 1 for the context and 0 for the negatives. So
    "gold" is pulled nearer to u, "june" is pushed away, and "cake" hardly moves."""


def one_head(canvas):
    """One head of attention for the sentence "queen's gold, king's boat, queen's", then
    a covered word. Each word has a vector x. The covered word asks: its query q is made
    from the word before it, "queen's". Each other word is found by a key k, made from
    the word before it by the same matrix: "queen's" for "gold", "king's" for "boat".
    Query times key, through a softmax, gives the weights: 0.9 for "gold" and 0.1 for
    "boat", wherever they stand. Each word hands over a value v, made from its own
    vector. The sum of the values, each times its weight, is the vector of the covered
    word in this sentence, of shape (B, D). A last layer says which word it was."""
    words = ["queen's", "gold", "king's", "boat", "queen's", "covered"]
    tokens = canvas.tokens(1.2, 60, words, 8.4, 7.8)
    middles = [token.bottom[0] for token in tokens]
    for i in range(5):
        strip = canvas.cells(middles[i] - 3, 54.4, 1, 4, "ink", side=1.5)
        canvas.arrow(tokens[i].bottom, strip.top)
    for i, role, letter in (1, "key", "k"), (3, "key", "k"), (5, "query", "q"):
        own = canvas.cells(middles[i] - 3, 43, 1, 4, role, side=1.5)
        canvas.arrow((middles[i - 1], 54.2), (middles[i] - 1, own.y + 1.7), role)
        canvas.text(middles[i] + 1.6, 46.6, letter, role)
    canvas.line((middles[5], 42.8), (middles[5], 37), (31, 37), role="query")
    scores = canvas.box(9, 35, 22, 4, r"softmax($q\cdot k\,/\,\sqrt{D}$)", size=11)
    for i in (1, 3):
        canvas.arrow((middles[i], 42.8), (middles[i], scores.y + 4.1), "key")
    for i, weight in (1, 0.9), (3, 0.1):
        cell = canvas.weights(middles[i] - 2, 27.6, [[weight]], 4, 4, shown="{:.1f}")
        canvas.arrow((middles[i], 34.9), cell.top)
        times = canvas.node(middles[i], 21.4, "×")
        canvas.arrow(cell.bottom, times.top)
        value = canvas.cells(middles[i] + 4.6, 20.6, 1, 4, "value", side=1.5)
        canvas.arrow(value.left, times.right, "value")
        canvas.text(value.top[0] + 0.4, 24.4, "v: own x", "value")
        canvas.line(times.bottom, (middles[i], 15.6), role="value")
    canvas.line((middles[1], 15.6), (middles[3], 15.6), role="value")
    middle = (middles[1] + middles[3]) / 2
    total = canvas.node(middle, 12.6)
    canvas.arrow((middle, 15.6), total.top, "value")
    new = canvas.cells(middle - 3, 6.4, 1, 4, "value", side=1.5, fill=0.4)
    canvas.arrow(total.bottom, new.top, "value")
    canvas.text(middle - 4.2, 7.2, "bank, here", ha="right")
    say = canvas.box(32, 5, 17.4, 4.2, "which word was it?")
    canvas.arrow(new.right, say.left)

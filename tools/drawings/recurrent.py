"""Drawings of recurrent networks: the state, a GRU step, encoder and decoder."""

import numpy as np

from tools.drawings.primitives import SMALL


def recurrent_network(canvas):
    """A recurrent network, read from left to right. It reads the numbers 1, 0 and 0,
    one at a time; each step is the same box, tanh of w x + r h, with w = 1 and r = 0.5.
    Its state h, of shape (B, U), is handed on to the right: it begins with 0 and
    becomes 0.76, 0.36 and 0.18. Of the first number less is left after each step."""


def gru_step(canvas):
    """A step of a GRU. The old state runs to the right on a thick grey path. Three
    boxes below read the input x and the old state h: the update gate z, the reset gate
    r and the candidate c; r decides how much of the old state the candidate sees. On
    the path the old state is multiplied by z. Then the candidate, times 1 − z, is
    added. Example with one unit: the old state 1, z = 0.75 and the candidate −1 give
    the new state 0.75 · 1 + 0.25 · (−1) = 0.5. All are of shape (B, U)."""
    keep, add = canvas.node(13, 32, "×"), canvas.node(39, 32)
    share = canvas.node(39, 24.5, "×")
    z = canvas.box(6, 11, 14, 6.5, "update gate\nz = 0.75", size=SMALL)
    r = canvas.box(22.5, 11, 9, 6.5, "reset\ngate r", size=SMALL)
    c = canvas.box(33.2, 11, 11.6, 6.5, "candidate\nc = −1.0", "added", size=SMALL)
    canvas.arrow(z.top, keep.bottom)
    canvas.line((13, 24.5), share.left, arrow=True)
    canvas.arrow(r.right, c.left)
    canvas.arrow(c.top, share.bottom, "added")
    canvas.arrow(share.top, add.bottom, "added")
    both = canvas.token(18, 2.6, "x and old h", 18)
    for box in z, r, c:
        canvas.arrow((27, both.top[1]) if box is r else (box.centre[0], 8), box.bottom)


def one_vector(canvas):
    """An encoder–decoder of two GRUs, read from left to right. The encoder, on pale
    blue, reads the source "3 May 19 87", of shape (B, S), one token a step. Its last
    state is one vector of shape (B, U), and all that the decoder gets. The decoder, on
    pale orange, begins with this state. It reads [start] 19 87 -05, the right answer
    shifted by one, and a Dense layer says 19 87 -05 -03; the logits are of shape (B, T,
    V). Dashed arrows lead from the vector to every step of the GRU and to every input
    of the Dense layer: only the peeky decoder has them."""


def attention_step(canvas):
    """One step of a decoder with attention, read from top to bottom. Three encoder
    outputs, (1, 0), (0, 1) and (0, 3), are keys and values at once. The query (2, 0) is
    the decoder's state. Query times key gives the scores 2, 0 and 0, of shape (S,).
    Softmax turns them into weights with the sum 1: 0.79, 0.11 and 0.11. Each output, as
    a value, is multiplied by its weight; the sum of the products is the context (0.79,
    0.43), of shape (U,). Context and query side by side go through a layer with tanh,
    and then say the next word."""
    numbers = np.array([[1.0, 0], [0, 1], [0, 3]])
    powers = np.exp(2 * numbers[:, 0])
    weights, total = powers / powers.sum(), canvas.node(38, 19.4)

    def vector(x, y, values, role, form="{:.0f}"):
        texts = {(0, i): form.format(value) for i, value in enumerate(values)}
        return canvas.cells(x, y, 1, 2, role, texts, 3.2)

    query = vector(3.2, 44, (2, 0), "query")
    for place, (values, weight) in enumerate(zip(numbers, weights, strict=True)):
        x = 20.2 + 11 * place
        key = vector(x, 44, values, "key")
        canvas.shape(x + 3.2, 48.4, f"word {place + 1}", ha="center")
        canvas.arrow((x + 1.6, key.y), (x + 1.6, 39.6), "key")
        canvas.text(x + 1.6, 38, f"{2 * values[0]:.0f}")
        canvas.arrow((x + 1.6, 36.4), (x + 1.6, 32.6))
        drawn = canvas.weights(x - 1, 28.6, [[weight]], 5.2, 3.8, shown="{:.2f}")
        times = canvas.node(x + 7, 30.5, "×")
        canvas.line((x + 5.4, key.y), (x + 7, 40), times.top, role="value", arrow=True)
        canvas.arrow(drawn.right, times.left)
        canvas.arrow(times.bottom, (38 + 0.9 * (place - 1), 20.8), "value")
    canvas.line(query.bottom, (6.4, 38), (17, 38), role="query", arrow=True)
    context = vector(34.8, 12.4, weights @ numbers, "value", "{:.2f}")
    canvas.arrow(total.bottom, context.top, "value")
    joined = canvas.box(14, 4, 27.2, 4, "join, Dense + tanh, Dense")
    canvas.arrow(context.bottom, (38, joined.top[1]), "value")
    canvas.line((6.4, 38), (6.4, 6), joined.left, role="query", arrow=True)
    canvas.arrow(joined.right, (45, 6))


def attention_decoder(canvas):
    """The translation model with attention, read from bottom to top. The encoder, on
    pale blue, embeds the English words "the white house" and reads them in both
    directions. It keeps all its outputs, of shape (B, S, U), and its last state. The
    decoder, on pale orange, begins with this state; it embeds and reads [start] "la
    casa", the right Spanish words shifted by one, and gives states of shape (B, T, U):
    the queries. Attention, the new part, compares them with the encoder's outputs; its
    weights have the shape (B, T, S), its contexts (B, T, U). Context and state, side by
    side (B, T, 2U), go through Dense with tanh, and Dense gives logits (B, T, V)."""
    words = ("the", "white", "house"), ("[start]", "la", "casa")
    for left, side in zip((1.8, 28.4), words, strict=True):
        for token in canvas.tokens(left, 2.6, side, 7):
            canvas.arrow(token.top, (token.top[0], 11.6))
    source = canvas.box(1.8, 11.8, 20, 6, "Embedding, GRUs\nforwards + backwards")
    states = canvas.box(28.4, 11.8, 22, 6, "Embedding, GRU")
    canvas.arrow(source.right, states.left, width=2.4)
    keys = canvas.cells(7, 20.8, 1, 3, "key", side=3.2)
    canvas.arrow(source.top, keys.bottom, "key")
    attention = canvas.box(28.4, 23.8, 11, 5.4, "attention\n(B, T, S)", "added")
    canvas.arrow((33.9, 17.8), attention.bottom, "query")
    canvas.line(keys.top, (11.8, 27.8), (28.2, 27.8), role="key", arrow=True)
    joined = canvas.box(28.4, 34, 22, 4.6, "join, Dense + tanh", "added")
    canvas.arrow(attention.top, (33.9, 33.8), "value")
    output = canvas.box(28.4, 41.4, 22, 4, "Dense")
    canvas.arrow(joined.top, output.bottom)
    for token in canvas.tokens(28.4, 49, ("la", "casa", "blanca"), 7.4):
        canvas.arrow((token.top[0], 45.4), token.bottom)


def two_orders(canvas):
    """Two orders of a decoder's step, side by side, read from bottom to top. Left,
    Luong's: the GRU makes the new state from the old one and the last word; this new
    state is the query, and the context joins it on the way to the output. Right,
    Bahdanau's: the old state is the query; its context goes into the GRU beside the
    last word and the old state, and also to the output. (The encoder's outputs, which
    attention reads, are not drawn.) So on the left the steps of a training can all
    attend at once, and on the right each step waits for the one before."""
    for left, name in (0.8, "Luong: after the step"), (26.8, "Bahdanau: before it"):
        luong, middle = left < 9, left + 15.6
        canvas.part(left, 6.6, 24.4, 31, "decoder")
        canvas.text(left + 12.2, 45.4, name, weight="bold")
        token = canvas.token(left + 11.6, 2, "last word", 8, size=SMALL)
        low = 20.4 if luong else 10
        gru = canvas.box(left + 10.6, 30.4 - low, 10, 5, "GRU")
        attend = canvas.box(left + 2, low, 11, 5, "attention", "added", size=SMALL)
        out = canvas.box(left + 3, 30.4, 18.6, 4.6, "join, tanh", size=SMALL)
        canvas.arrow(token.top, (middle, gru.y))
        canvas.arrow((middle, gru.top[1]), (middle, out.y), "query")
        canvas.arrow(out.top, (out.top[0], 39.8))
        canvas.text(out.top[0], 41.6, "next word", size=SMALL)
        canvas.text(middle + 0.8, 28, "new state", "query", SMALL, ha="left")
        canvas.arrow((left + 5, attend.top[1]), (left + 5, out.y), "value")
        canvas.text(left + 5.8, 28, "context", "value", SMALL, ha="left")
        if luong:
            canvas.arrow((left + 1, 12.5), gru.left, "query")
            canvas.text(left + 1.4, 14.4, "old state", "query", SMALL, ha="left")
            canvas.line((middle, 18), (9, 18), (9, 20.2), role="query", arrow=True)
        else:
            old = (left + 1, 8.2), (left + 22.6, 8.2), (left + 22.6, 22.9)
            canvas.line(*old, gru.right, role="query", arrow=True)
            canvas.arrow((left + 7, 8.2), attend.point(5 / 11, 0), "query")
            canvas.text(left + 1.4, 4.6, "old state", "query", SMALL, ha="left")
            up = (left + 9, 15), (left + 9, 22.9), gru.left
            canvas.line(*up, role="value", arrow=True)


def two_paths(canvas):
    """The way from the word "dogs" to the word "bark", five words in a row. Above, a
    recurrent layer: each word goes into a GRU, and each GRU hands its state on to the
    right, by four thick arrows, one after the other; out come states of shape (B, T,
    U). Below, self-attention: each new vector is a sum over all words, pale lines lead
    from each word to each sum, and one thick arrow leads straight from "dogs" to the
    sum of "bark"; out come vectors of shape (B, T, D). No sum waits for another one."""


def growing_average(canvas):
    """The rate of a training over 30 processor minutes: it rises at once and stays.
    Above it three strips that begin at 0 and end at 3, at 10 and at 30 minutes. Each
    shows how much every tenth of the training counts in the average at that moment: the
    last tenth is dark, the one before it paler, the first half white. The three strips
    look alike, only longer, so one training holds the models of all three budgets."""


def agreement(canvas):
    """The words "the dogs near the house that the girl sees bark". A thick arrow leads
    from the subject "dogs" over seven words to the verb "bark": both are plural. Two
    nouns between them, "house" and "girl", are attractors, singular ones; a dashed
    arrow leads from "girl", the nearest noun, to the verb: the wrong rule."""

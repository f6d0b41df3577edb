"""Drawings of recurrent networks: the state, a GRU step, encoder and decoder."""

import numpy as np

from tools.drawings.primitives import SMALL


def recurrent_network(canvas):
    """A recurrent network, read from left to right. It reads the numbers 1, 0 and 0,
    one at a time; each step is the same box, tanh of w x + r h, with w = 1 and r = 0.5.
    Its state h, of shape (B, U), is handed on to the right: it begins with 0 and
    becomes 0.76, 0.36 and 0.18. Of the first number less is left after each step."""
    state, left = 0.0, 12
    for step, x in enumerate((1, 0, 0)):
        state = np.tanh(x + 0.5 * state)
        box = canvas.box(left + 13 * step, 11, 7, 5, "tanh", ground="encoder")
        token = canvas.token(box.x + 1, 3.4, f"{x}", 5)
        canvas.arrow(token.top, box.bottom)
        canvas.text(box.bottom[0] + 1, 8.4, "w = 1", size=SMALL, ha="left")
        canvas.arrow((box.x - (6 if step else 8), 13.5), box.left, width=2.4)
        canvas.text(box.x - 3, 11.3, "r = ½", size=SMALL)
        canvas.line(box.right, (box.right[0] + 1, 13.5), width=2.4)
        canvas.arrow(box.top, (box.top[0], 19.4))
        canvas.cell(box.top[0] - 1.5, 19.6, 3, 2.4, "added", 0.1 + 0.6 * state)
        canvas.text(box.top[0], 24.2, f"{state:.2f}")
    canvas.arrow(box.right, (50, 13.5), width=2.4)


def gru_step(canvas):
    """A step of a GRU. The old state runs to the right on a thick grey path. Three
    boxes below read the input x and the old state h: the update gate z, the reset gate
    r and the candidate c; r decides how much of the old state the candidate sees. On
    the path the old state is multiplied by z. Then the candidate, times 1 − z, is
    added. Example with one unit: the old state 1, z = 0.75 and the candidate −1 give
    the new state 0.75 · 1 + 0.25 · (−1) = 0.5. All are of shape (B, U)."""


def one_vector(canvas):
    """An encoder–decoder of two GRUs, read from left to right. The encoder, on pale
    blue, reads the source "3 May 19 87", of shape (B, S), one token a step. Its last
    state is one vector of shape (B, U), and all that the decoder gets. The decoder, on
    pale orange, begins with this state. It reads [start] 19 87 -05, the right answer
    shifted by one, and a Dense layer says 19 87 -05 -03; the logits are of shape (B, T,
    V). Dashed arrows lead from the vector to every step of the GRU and to every input
    of the Dense layer: only the peeky decoder has them."""
    vector = canvas.cells(22.4, 11.3, 4, 1, "added", fill=0.3)
    sides = (
        (("3", "May", "19", "87"), 1.2, 4.7),
        (("[start]", "19", "87", "-05"), 27, 6),
    )
    for words, left, step in sides:
        for place, word in enumerate(words):
            x = left + place * step
            wide = step - 0.3 if word == "[start]" else step - 0.9
            token = canvas.token(x, 4, word, wide, size=SMALL)
            box = canvas.box(x, 12, step - 1, 5, "GRU", size=SMALL)
            canvas.arrow((box.centre[0], token.top[1]), box.bottom)
            ends = vector.left[0] if left < 9 else 51.2
            after = ends if place == 3 else x + step
            canvas.arrow(box.right, (after, box.right[1]), width=2)
            if left > 9:
                middle, peek = x + 3.4, x + 1.2
                canvas.arrow((middle, 17), (middle, 24.6))
                for end in (17, 24.6):
                    canvas.arrow((peek, 21), (peek, end), "added", dashed=True)
                canvas.arrow((middle, 28.6), (middle, 32.4))
                said = (*words[1:], "-03")[place]
                canvas.token(x + 1.1, 32.6, said, 4.6, size=SMALL)
    canvas.box(27, 24.8, 23, 3.8, "Dense, at each step", size=SMALL)
    canvas.arrow((vector.right[0], 14.5), (27, 14.5), "added", width=2)


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

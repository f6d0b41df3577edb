"""Drawings of recurrent networks: the state, a GRU step, encoder and decoder."""

import numpy as np

from tools.drawings.primitives import SMALL


def recurrent_network(canvas):
    """A recurrent network, read from left to right. It reads the numbers 1, 0 and 0,
    one at a time; each step is the same box, tanh of w x + u h, with w = 1 and u = 0.5.
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
        canvas.text(box.x - 3, 11.3, "u = ½", size=SMALL)
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
    canvas.residual((8, 32), (43.4, 32), head=False)
    canvas.arrow((42, 32), (45.6, 32), "mask", width=5)
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
    canvas.line((13, 8), (39, 8))


def one_vector(canvas):
    """An encoder–decoder of two GRUs, read from left to right. The encoder, on pale
    blue, reads the source "3 May 19 87", of shape (B, S), one token a step. Its last
    state is one vector of shape (B, U), and all that the decoder gets. The decoder, on
    pale orange, begins with this state. It reads [start] 19 87 -05, the right answer
    shifted by one, and says 19 87 -05 -03; its logits are of shape (B, T, V). Dashed
    arrows lead from the vector to every step: only the peeky decoder has them."""
    canvas.part(0.6, 10.2, 19.6, 8.6, "encoder")
    canvas.part(26.2, 10.2, 25.2, 8.6, "decoder")
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
                canvas.arrow((box.x + 3.4, 17), (box.x + 3.4, 29))
                canvas.arrow(
                    (box.x + 1.2, 22.6), (box.x + 1.2, 17), "added", dashed=True
                )
                said = (*words[1:], "-03")[place]
                canvas.token(box.x + 1.1, 29.2, said, 4.6, size=SMALL)
    canvas.arrow((vector.right[0], 14.5), (27, 14.5), "added", width=2)
    canvas.line((23.2, 17.7), (23.2, 22.6), (46.2, 22.6), role="added", dashed=True)
    canvas.text(1, 27.6, "dashed: only the peeky\ndecoder has them", "added", ha="left")

"""Drawings of recurrent networks: the state, a GRU step, encoder and decoder."""


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


def two_paths(canvas):
    """The way from the word "dogs" to the word "bark", five words in a row. Above, a
    recurrent layer: each word goes into a GRU, and each GRU hands its state on to the
    right, by four thick arrows, one after the other; out come states of shape (B, T,
    U). Below, self-attention: each new vector is a sum over all words, pale lines lead
    from each word to each sum, and one thick arrow leads straight from "dogs" to the
    sum of "bark"; out come vectors of shape (B, T, D). No sum waits for another one."""


def growing_average(canvas):
    """The rate of a training over 15 processor minutes: it rises at once and stays.
    Above it three strips that begin at 0 and end at 2, at 5 and at 15 minutes. Each
    shows how much every tenth of the training counts in the average at that moment: the
    last tenth is dark, the one before it paler, the first half white. The three strips
    look alike, only longer, so one training holds the models of all three budgets."""


def agreement(canvas):
    """The words "the dogs near the house that the girl sees bark". A thick arrow leads
    from the subject "dogs" over seven words to the verb "bark": both are plural. Two
    nouns between them, "house" and "girl", are attractors, singular ones; a dashed
    arrow leads from "girl", the nearest noun, to the verb: the wrong rule."""

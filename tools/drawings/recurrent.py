"""Drawings of recurrent networks, and of attention on top of them."""

import numpy as np

from tools.drawings.formulas import softmax
from tools.drawings.primitives import SMALL, Canvas, signed


def recurrent_network():
    canvas = Canvas(26)
    inputs = [1, 0, 0]
    states = []
    state = 0.0
    for step, x in enumerate(inputs):
        state = np.tanh(x + 0.5 * state)
        states.append(f"{state:.2f}")
        box = canvas.box(12 + 13 * step, 11, 7, 5, "tanh", ground="encoder")
        middle = box.top[0]
        token = canvas.token(box.x + 1, 3.4, f"{x}", 5)
        canvas.arrow(token.top, box.bottom)
        canvas.small(middle + 1, 8.4, "w = 1", ha="left")
        before = 4 if step == 0 else box.x - 6
        canvas.arrow((before, 13.5), box.left, width=2.4)
        canvas.small(box.x - 3, 11.3, "r = ½")
        canvas.line(box.right, (box.right[0] + 1, 13.5), width=2.4)
        canvas.arrow(box.top, (middle, 19.4))
        canvas.cell(middle - 1.5, 19.6, 3, 2.4, "added", 0.1 + 0.6 * state)
        canvas.text(middle, 24.2, states[-1])
    canvas.arrow(box.right, (50, 13.5), width=2.4)
    canvas.text(2.6, 13.5, "0")
    canvas.text(1, 20.8, "states h", ha="left")
    canvas.text(26, 1.6, "inputs x")
    canvas.describe(f"""
        A recurrent network, read from left to right. It reads the numbers {inputs[0]},
        {inputs[1]} and {inputs[2]}, one at a time; each step is the same box, tanh of w
        x + r h, with w = 1 and r = 0.5. Its state h is handed on to the right: it
        begins with 0 and becomes {states[0]}, {states[1]} and {states[2]}. Of the first
        number less is left after each step.
    """)
    return canvas


def gru_step():
    canvas = Canvas(40)
    old = 1.0
    update = 0.75
    reset = 0.5
    candidate = np.tanh(1 + reset * -4 * old)  # x = 1, and -4 is the weight of old h
    stays = update * old
    added = (1 - update) * candidate
    new = stays + added

    keep = canvas.node(13, 32, "×")
    add = canvas.node(39, 32)
    share = canvas.node(39, 24.5, "×")
    canvas.residual((8, 32), (43.4, 32), head=False)
    canvas.arrow((42, 32), (45.6, 32), "mask", width=5)
    canvas.text(4.4, 32, f"old h\n{old}")
    canvas.text(49, 32, f"new h\n{new:.2f}")

    name = f"update gate\nz = {update}"
    update_gate = canvas.box(6, 11, 14, 6.5, name, size=SMALL)
    reset_gate = canvas.box(21.7, 11, 10.6, 6.5, f"reset gate\nr = {reset}", size=SMALL)
    name = f"candidate\nc = {signed(candidate, '{:.2f}')}"
    maker = canvas.box(33.2, 11, 11.6, 6.5, name, "added", size=SMALL)
    canvas.arrow(update_gate.top, keep.bottom)
    canvas.small(10.6, 24.5, "z")
    canvas.line((13, 24.5), share.left, arrow=True)
    canvas.small(24, 26, f"1 − z = {1 - update}")
    canvas.arrow(reset_gate.right, maker.left)
    canvas.arrow(maker.top, share.bottom, "added")
    canvas.arrow(share.top, add.bottom, "added")
    canvas.small(13, 36.4, f"what stays\n{stays}")
    canvas.small(39, 36.4, f"what is added\n{signed(added, '{:.2f}')}", "added")

    both = canvas.token(18, 2.6, "x and old h", 18)
    canvas.shape(38, 3.9, "(B, E), (B, U)")
    canvas.line((13, 8), (39, 8))
    canvas.arrow((13, 8), update_gate.bottom)
    canvas.arrow(both.top, reset_gate.bottom)
    canvas.arrow((39, 8), maker.bottom)
    canvas.describe(f"""
        A step of a GRU. The old state runs to the right on a thick grey path. Three
        boxes below read the input x and the old state h: the update gate z, the reset
        gate r and the candidate c; r decides how much of the old state the candidate
        sees. On the path the old state is multiplied by z. Then the candidate, times 1
        − z, is added. Example with one unit: the old state {old:g}, z = {update}, r =
        {reset} and the candidate {signed(candidate, "{:.2f}")} give the new state
        {update} · {old:g} + {1 - update} · ({signed(candidate, "{:.2f}")}) = {new:.2f}.
        x is of shape (B, E), all else (B, U).
    """)
    return canvas


def lstm_step():
    canvas = Canvas(40)
    old = 2
    forget = 0.5
    let_in = 1
    candidate = -1
    stays = forget * old
    added = let_in * candidate
    new = stays + added

    keep = canvas.node(10, 33, "×")
    add = canvas.node(28.4, 33)
    gate = canvas.node(28.4, 24.5, "×")
    show = canvas.node(39.4, 22, "×")
    canvas.residual((7, 33), (43.4, 33), head=False)
    canvas.arrow((42, 33), (45.6, 33), "mask", width=5)
    canvas.text(4, 33, f"old c\n{old}")
    canvas.text(49, 33, f"new c\n{new:g}")
    canvas.text(49, 22, f"new h\n{np.tanh(new):g}")

    name = f"forget\n{forget}"
    forget_gate = canvas.box(5.6, 11, 8.8, 6.5, name, size=SMALL)
    input_gate = canvas.box(15.2, 11, 7.2, 6.5, f"input\n{let_in}", size=SMALL)
    name = f"candidate\n{signed(candidate, '{}')}"
    maker = canvas.box(23.2, 11, 10.4, 6.5, name, "added", size=SMALL)
    output_gate = canvas.box(35, 11, 8.8, 6.5, "output", size=SMALL)
    tanh = canvas.box(36, 26.4, 6.8, 3, "tanh", size=SMALL)
    canvas.arrow(forget_gate.top, keep.bottom)
    canvas.line(input_gate.top, (18.8, 24.5), gate.left, arrow=True)
    canvas.arrow(maker.top, gate.bottom, "added")
    canvas.arrow(gate.top, add.bottom, "added")
    canvas.arrow((39.4, 32.6), (39.4, 29.5))
    canvas.arrow(tanh.bottom, show.top)
    canvas.arrow(output_gate.top, show.bottom)
    canvas.arrow(show.right, (45.4, 22))
    canvas.small(10, 37.4, f"what stays\n{stays:g}")
    canvas.small(28.4, 37.4, f"what is added\n{signed(added, '{:g}')}", "added")

    both = canvas.token(17, 2.6, "x and old h", 18)
    canvas.shape(38, 3.9, "(B, E), (B, U)")
    canvas.line(both.top, (26, 8))
    canvas.line((10, 8), (39.4, 8))
    for part in forget_gate, input_gate, maker, output_gate:
        canvas.arrow((part.bottom[0], 8), part.bottom)
    minus_one = signed(candidate, "{}")
    canvas.describe(f"""
        A step of an LSTM. The old c runs to the right on a thick grey path. Four boxes
        below read the input x and the old h: the forget gate, the input gate, the
        candidate and the output gate. On the path c is multiplied by the forget gate;
        then the candidate, times the input gate, is added. From the path an arrow leads
        down through tanh; times the output gate it is the new h. Example with one unit:
        c is {old}, forget {forget}, input {let_in} and the candidate {minus_one}, so
        the new c is {forget} · {old} + {let_in} · ({minus_one}) = {new:g}, and the new
        h is {np.tanh(new):g} as well. x is of shape (B, E), all else (B, U).
    """)
    return canvas


def one_vector():
    return _through_one_vector(peeky=True)


def two_grus():
    return _through_one_vector(peeky=False)


def _through_one_vector(peeky):
    canvas = Canvas(39)
    source = ["3", "May", "19", "87"]
    target = ["19", "87", "-05", "-03"]
    canvas.part(0.6, 10.2, 19.6, 8.6, "encoder")
    canvas.shape(10, 2, "encoder: source (B, S)", ha="center")
    vector = canvas.cells(22.4, 11.3, 4, 1, "added", fill=0.3)
    canvas.small(23.2, 7.6, "one\nvector", "added")
    canvas.small(23.2, 2, "(B, U)", "quiet")
    for i, word in enumerate(source):
        x = 1.2 + 4.7 * i
        token = canvas.token(x, 4, word, 3.8, size=SMALL)
        box = canvas.box(x, 12, 3.7, 5, "GRU", size=SMALL)
        canvas.arrow((box.bottom[0], token.top[1]), box.bottom)
        last = i == len(source) - 1
        after = vector.x if last else x + 4.7
        canvas.arrow(box.right, (after, 14.5), width=2)

    canvas.part(26.2, 10.2, 25.2, 19.4, "decoder")
    canvas.shape(38.6, 2, "decoder: input (B, T)", ha="center")
    canvas.arrow((vector.right[0], 14.5), (27, 14.5), "added", width=2)
    canvas.box(27, 24.8, 23, 3.8, "Dense, at each step", size=SMALL)
    for i, word in enumerate(["[start]", *target[:-1]]):
        x = 27 + 6 * i
        width = 5.7 if i == 0 else 5.1
        token = canvas.token(x, 4, word, width, size=SMALL)
        box = canvas.box(x, 12, 5, 5, "GRU", size=SMALL)
        canvas.arrow((box.bottom[0], token.top[1]), box.bottom)
        last = i == len(target) - 1
        after = 51.2 if last else x + 6
        canvas.arrow(box.right, (after, 14.5), width=2)
        canvas.arrow((x + 3.4, 17), (x + 3.4, 24.6))
        if peeky:
            canvas.arrow((x + 1.2, 21), (x + 1.2, 17), "added", dashed=True)
            canvas.arrow((x + 1.2, 21), (x + 1.2, 24.6), "added", dashed=True)
        canvas.arrow((x + 3.4, 28.6), (x + 3.4, 32.4))
        canvas.token(x + 1.1, 32.6, target[i], 4.6, size=SMALL)
    if peeky:
        way = (vector.top[0], 17.7), (vector.top[0], 21), (46.2, 21)
        canvas.line(*way, role="added", dashed=True)
        note = "dashed: only the peeky\ndecoder has them"
        canvas.text(1, 27.6, note, "added", ha="left")
    canvas.shape(38.6, 37, "logits (B, T, V)", ha="center")
    dashed = """ Dashed arrows lead from the vector to every step of the GRU and to
        every input of the Dense layer: only the peeky decoder has them."""
    canvas.describe(f"""
        An encoder–decoder of two GRUs, read from left to right. The encoder, on pale
        blue, reads the source "{" ".join(source)}", of shape (B, S), one token a step.
        Its last state is one vector of shape (B, U), and all that the decoder gets. The
        decoder, on pale orange, begins with this state. It reads [start]
        {" ".join(target[:-1])}, the right answer shifted by one, and a Dense layer says
        {" ".join(target)}; the logits are of shape (B, T, V).{dashed if peeky else ""}
    """)
    return canvas


def attention_step():
    canvas = Canvas(53)
    outputs = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 3.0]])
    query = np.array([2.0, 0.0])
    scores = outputs @ query
    weights = softmax(scores)
    context = weights @ outputs

    state = canvas.vector(3.2, 44, query, "query", side=3.2)
    canvas.small(6.4, 49.4, "decoder state:\nquery", "query")
    canvas.shape(1, 41.6, "(U,)")
    canvas.small(32.4, 50.6, "encoder outputs: keys and values", "key")
    canvas.shape(15, 45.6, "(S, U)")
    canvas.line(state.bottom, (6.4, 38), (17, 38), role="query", arrow=True)
    canvas.small(11.6, 39.8, "scores: q · k")
    canvas.shape(9.6, 35.6, "(S,)")
    canvas.small(15.8, 30.4, "weights:\nsoftmax", ha="right")
    canvas.small(22, 23.4, "weight × value", "value")
    total = canvas.node(38, 19.4)
    for i in range(len(outputs)):
        x = 20.2 + 11 * i
        key = canvas.vector(x, 44, outputs[i], "key", side=3.2)
        canvas.shape(key.top[0], 48.4, f"word {i + 1}", ha="center")
        canvas.arrow((x + 1.6, key.y), (x + 1.6, 39.6), "key")
        canvas.text(x + 1.6, 38, f"{scores[i]:.0f}")
        canvas.arrow((x + 1.6, 36.4), (x + 1.6, 32.6))
        weight = [[weights[i]]]
        cell = canvas.weights(x - 1, 28.6, weight, 5.2, 3.8, shown="{:.2f}")
        times = canvas.node(x + 7, 30.5, "×")
        way = (x + 5.4, key.y), (x + 7, 40), times.top
        canvas.line(*way, role="value", arrow=True)
        canvas.arrow(cell.right, times.left)
        canvas.arrow(times.bottom, (38 + 0.9 * (i - 1), 20.8), "value")

    mix = canvas.vector(34.8, 12.4, context, "value", "{:.2f}", side=3.2)
    canvas.text(42, 14, "context", "value", ha="left")
    canvas.shape(42, 11.4, "(U,)")
    canvas.arrow(total.bottom, mix.top, "value")
    joined = canvas.box(14, 4, 27.2, 4, "join, Dense + tanh, Dense")
    canvas.arrow(mix.bottom, (38, joined.top[1]), "value")
    canvas.line((6.4, 38), (6.4, 6), joined.left, role="query", arrow=True)
    canvas.arrow(joined.right, (45, 6))
    canvas.small(48.4, 6, "next\nword")

    pairs = [f"({output[0]:.0f}, {output[1]:.0f})" for output in outputs]
    canvas.describe(f"""
        One step of a decoder with attention, read from top to bottom. Three encoder
        outputs, {pairs[0]}, {pairs[1]} and {pairs[2]}, are keys and values at once. The
        query ({query[0]:.0f}, {query[1]:.0f}) is the decoder's state. Query times key
        gives the scores {scores[0]:.0f}, {scores[1]:.0f} and {scores[2]:.0f}, of shape
        (S,). Softmax turns them into weights with the sum 1: {weights[0]:.2f},
        {weights[1]:.2f} and {weights[2]:.2f}. Each output, as a value, is multiplied by
        its weight; the sum of the products is the context ({context[0]:.2f},
        {context[1]:.2f}), of shape (U,). Context and query side by side go through a
        layer with tanh, and then say the next word.
    """)
    return canvas


def attention_decoder():
    canvas = Canvas(53)
    source = ["the", "white", "house"]
    target = ["la", "casa", "blanca"]
    canvas.part(0.8, 7.4, 22, 19.4, "encoder")
    for token in canvas.tokens(1.8, 2.6, source, 7):
        canvas.arrow(token.top, (token.top[0], 11.6))
    name = "Embedding, GRUs\nforwards + backwards"
    encoder = canvas.box(1.8, 11.8, 20, 6, name)
    keys = canvas.cells(7, 20.8, 1, 3, "key", side=3.2)
    canvas.arrow(encoder.top, keys.bottom, "key")
    canvas.shape(1.8, 22.4, "(B, S, U)")

    canvas.part(27.4, 7.4, 24, 39.6, "decoder")
    for token in canvas.tokens(28.4, 2.6, ["[start]", *target[:-1]], 7):
        canvas.arrow(token.top, (token.top[0], 11.6))
    canvas.shape(27, 3.9, "(B, T)", ha="right")
    decoder = canvas.box(28.4, 11.8, 22, 6, "Embedding, GRU")
    canvas.arrow(encoder.right, decoder.left, width=2.4)
    canvas.shape(25.1, 16.6, "last\nstate", ha="center")

    attention = canvas.box(28.4, 23.8, 11, 5.4, "attention\n(B, T, S)", "added")
    canvas.arrow((33.9, 17.8), attention.bottom, "query")
    canvas.small(33, 20.8, "queries", "query", ha="right")
    canvas.line(keys.top, (11.8, 27.8), (28.2, 27.8), role="key", arrow=True)
    canvas.small(20, 29.6, "keys and values", "key")
    joined = canvas.box(28.4, 34, 22, 4.6, "join, Dense + tanh", "added")
    canvas.arrow(attention.top, (33.9, 33.8), "value")
    canvas.small(33, 31.4, "context", "value", ha="right")
    canvas.arrow((46.4, 17.8), (46.4, 33.8), "query")
    canvas.shape(45.6, 25.8, "(B, T, U)", ha="right")
    canvas.small(1.8, 38, "purple: what this\nlesson adds", "added", ha="left")

    output = canvas.box(28.4, 41.4, 22, 4, "Dense")
    canvas.arrow(joined.top, output.bottom)
    for token in canvas.tokens(28.4, 49, target, 7.4):
        canvas.arrow((token.bottom[0], 45.4), token.bottom)
    canvas.shape(27, 50.3, "logits (B, T, V)", ha="right")
    canvas.describe(f"""
        The translation model with attention, read from bottom to top. The encoder, on
        pale blue, embeds the English words "{" ".join(source)}" and reads them in both
        directions. It keeps all its outputs, of shape (B, S, U), and its last state.
        The decoder, on pale orange, begins with this state; it embeds and reads [start]
        "{" ".join(target[:-1])}", the right Spanish words shifted by one, and gives
        states of shape (B, T, U): the queries. Attention, the new part, compares them
        with the encoder's outputs; its weights have the shape (B, T, S), its contexts
        (B, T, U). Context and state, side by side (B, T, 2U), go through Dense with
        tanh, and Dense gives logits (B, T, V).
    """)
    return canvas


def two_orders():
    canvas = Canvas(48)
    for left, name in (0.8, "Luong: after the step"), (26.8, "Bahdanau: before it"):
        luong = name.startswith("Luong")
        gru_y = 10 if luong else 20.4
        attention_y = 20.4 if luong else 10
        middle = left + 15.6
        canvas.part(left, 6.6, 24.4, 31, "decoder")
        canvas.text(left + 12.2, 45.4, name, weight="bold")
        token = canvas.token(left + 11.6, 2, "last word", 8, size=SMALL)
        gru = canvas.box(left + 10.6, gru_y, 10, 5, "GRU")
        attention = canvas.box(
            left + 2, attention_y, 11, 5, "attention", "added", size=SMALL
        )
        join = canvas.box(left + 3, 30.4, 18.6, 4.6, "join, tanh", size=SMALL)
        canvas.arrow(token.top, gru.bottom)
        canvas.arrow(gru.top, (middle, join.y), "query")
        canvas.small(middle + 0.8, 28, "new state", "query", ha="left")
        canvas.arrow((left + 5, attention.top[1]), (left + 5, join.y), "value")
        canvas.small(left + 5.8, 28, "context", "value", ha="left")
        canvas.arrow(join.top, (join.top[0], 39.8))
        canvas.small(join.top[0], 41.6, "next word")
        if luong:
            canvas.arrow((left + 1, 12.5), gru.left, "query")
            canvas.small(left + 1.4, 14.4, "old state", "query", ha="left")
            way = (middle, 18), (left + 8.2, 18), (left + 8.2, 20.2)
            canvas.line(*way, role="query", arrow=True)
        else:
            way = (left + 1, 8.2), (left + 22.6, 8.2), (left + 22.6, 22.9), gru.right
            canvas.line(*way, role="query", arrow=True)
            canvas.arrow((left + 7, 8.2), (left + 7, 10), "query")
            canvas.small(left + 1.4, 4.6, "old state", "query", ha="left")
            way = (left + 9, 15), (left + 9, 22.9), gru.left
            canvas.line(*way, role="value", arrow=True)
    canvas.describe("""
        Two orders of a decoder's step, side by side, read from bottom to top. Left,
        Luong's: the GRU makes the new state from the old one and the last word; this
        new state is the query, and the context joins it on the way to the output.
        Right, Bahdanau's: the old state is the query; its context goes into the GRU
        beside the last word and the old state, and also to the output. (The encoder's
        outputs, which attention reads, are not drawn.) So on the left the steps of a
        training can all attend at once, and on the right each step waits for the one
        before.
    """)
    return canvas


def two_paths():
    canvas = Canvas(45)
    words = ["dogs", "near", "the", "house", "bark"]
    last = len(words) - 1
    middles = [5.4 + 10 * i for i in range(len(words))]

    def draw_row(y):
        for i, word in enumerate(words):
            if i in (0, last):
                canvas.marked(middles[i] - 4, y, word, 8)
            else:
                canvas.token(middles[i] - 4, y, word, 8, size=SMALL)

    steps = f"recurrent layer: {last} steps, each waits"
    canvas.text(1, 43.2, steps, ha="left")
    canvas.shape(51, 40.6, "states (B, T, U)", ha="right")
    draw_row(25.4)
    for i, middle in enumerate(middles):
        canvas.arrow((middle, 28), (middle, 31.2))
        box = canvas.box(middle - 4, 31.4, 8, 4, "GRU", ground="encoder")
        if i < last:
            canvas.arrow(box.right, (middle + 6, 33.4), "added", width=2.6)
        canvas.arrow(box.top, (middle, 38.6))

    canvas.text(1, 21.6, "self-attention: 1 step, all at once", ha="left")
    canvas.shape(51, 20.4, "vectors (B, T, D)", ha="right")
    for start in middles:
        for end in middles:
            if (start, end) != (middles[0], middles[-1]):
                canvas.line((start, 5), (end, 12), role="mask", width=0.8)
    draw_row(2.4)
    for middle in middles:
        box = canvas.box(middle - 4, 12, 8, 4, "sum", ground="encoder")
        canvas.arrow(box.top, (middle, 18.6))
    canvas.arrow((middles[0], 5), (middles[-1], 11.9), "added", width=2.6)
    canvas.describe("""
        The way from the word "dogs" to the word "bark", five words in a row. Above, a
        recurrent layer: each word goes into a GRU, and each GRU hands its state on to
        the right, by four thick arrows, one after the other; out come states of shape
        (B, T, U). Below, self-attention: each new vector is a sum over all words, pale
        lines lead from each word to each sum, and one thick arrow leads straight from
        "dogs" to the sum of "bark"; out come vectors of shape (B, T, D). No sum waits
        for another one.
    """)
    return canvas


def growing_average():
    canvas = Canvas(34)
    minute = 2.68  # its width
    left = 8.6
    canvas.text(
        left, 32.4, "how much each part of a training counts in the average", ha="left"
    )
    # The growing average weighs the model of step t in proportion to t to the power of
    # 8, so the parts up to t have a share that grows with the power of 9.
    shares = np.diff(np.linspace(0, 1, 11) ** 9)  # of each tenth of a training
    weights = shares / shares[-1]
    for y, minutes in (26, 2), (20, 5), (14, 15):
        end = left + minute * minutes
        canvas.weights(left, y, [weights], minute * minutes / 10, 3.6, "added")
        canvas.line((end, 9.6), (end, y + 3.6), role="quiet", dashed=True)
        canvas.text(end, 3.4, f"{minutes}")
        canvas.small(7.8, y + 1.8, f"at {minutes} min", ha="right")
    canvas.line((left, 5.4), (9.5, 9.2), (48.8, 9.2), role="query", width=2.2)
    canvas.line((left, 5.4), (50.8, 5.4), arrow=True)
    canvas.text(left, 3.4, "0")
    canvas.small(7.8, 9.2, "rate", "query", ha="right")
    canvas.shape(35.4, 1.4, "processor minutes", ha="center")
    canvas.describe("""
        The rate of a training over 15 processor minutes: it rises at once and stays.
        Above it three strips that begin at 0 and end at 2, at 5 and at 15 minutes. Each
        shows how much every tenth of the training counts in the average at that moment:
        the last tenth is dark, the one before it paler, the first half white. The three
        strips look alike, only longer, so one training holds the models of all three
        budgets.
    """)
    return canvas


def agreement_far_away():
    canvas = Canvas(22)
    words = [
        "the",
        "dogs",
        "near",
        "the",
        "house",
        "that",
        "the",
        "girl",
        "sees",
        "bark",
    ]
    subject = words.index("dogs")
    verb = words.index("bark")
    attractors = [words.index("house"), words.index("girl")]
    middles = [3.05 + 5.1 * i for i in range(len(words))]
    for i, word in enumerate(words):
        if i in (subject, verb):
            canvas.marked(middles[i] - 2.35, 10, word, 4.7)
        else:
            role = "quiet" if i in attractors else "ink"
            canvas.token(middles[i] - 2.35, 10, word, 4.7, role, SMALL)

    start = middles[subject]
    end = middles[verb]
    way = (start, 12.7), (start, 17), (end, 17), (end, 12.9)
    canvas.line(*way, role="added", width=2.4, arrow=True)
    between = verb - subject - 1
    text = f"subject and verb: both plural, {between} words between"
    canvas.small((start + end) / 2, 19, text, "added")
    nearest = middles[attractors[-1]]
    way = (nearest, 9.9), (nearest, 5.6), (end, 5.6), (end, 9.7)
    canvas.line(*way, role="quiet", dashed=True, arrow=True)
    canvas.small((nearest + end) / 2, 3.4, "the nearest noun", "quiet")
    canvas.small(middles[attractors[0]], 7.6, "attractor", "quiet")
    canvas.small(nearest - 1, 7.6, "attractor", "quiet", ha="right")
    canvas.describe(f"""
        The words "{" ".join(words)}". A thick arrow leads from the subject "dogs" over
        seven words to the verb "bark": both are plural. Two nouns between them, "house"
        and "girl", are attractors, singular ones; a dashed arrow leads from "girl", the
        nearest noun, to the verb: the wrong rule.
    """)
    return canvas

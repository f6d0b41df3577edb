"""Drawings of translation: pieces and batches, training, use, how BLEU counts."""

from collections import Counter

import numpy as np

from tools.drawings.attention import softmax
from tools.drawings.primitives import SMALL

LEFT, STEP, WIDE = 20.4, 7.8, 7  # of the decoder's tokens


def _encoder(canvas, y, words):
    """Draw the source, the encoder, and the keys and values that it hands on."""
    for token in canvas.tokens(1, y, words, 4.8, 4.4):
        canvas.arrow(token.top, (token.top[0], y + 6.1))
    box = canvas.box(1, y + 6.2, 14, 8, "encoder", ground="encoder")
    for height, role in (y + 11.6, "key"), (y + 8.8, "value"):
        canvas.arrow((box.right[0], height), (LEFT - 0.4, height), role)
        canvas.text(17.6, height + 1.3, f"{role}s", role, SMALL)
    canvas.shape(8, y - 1.9, "source (B, S)", ha="center")


def training(canvas):
    """Training with teacher forcing, read from bottom to top. The encoder reads the
    source "the blue house" and gives keys and values to the decoder. The decoder reads
    the right translation, "[start] la casa azul", and predicts at all four positions at
    once; a causal mask hides later words. At each position it gives a probability to
    every word of the vocabulary, shape (B, T, V). The labels are the same translation
    shifted by one: "la casa azul [end]". The loss of a position is minus the logarithm
    of the probability p of the right word, and the mean of these is made small."""
    inputs, labels = ["[start]", "la", "casa", "azul"], ["la", "casa", "azul", "[end]"]
    right = 2, 0, 3, 1  # the right word's bar
    scores = np.random.default_rng(8).normal(scale=0.7, size=(4, 5))
    scores[range(4), right] += 2, 1.1, 0.2, 2.6
    probabilities = softmax(scores)
    _encoder(canvas, 5, ["the", "blue", "house"])
    losses = []
    for place, (given, label) in enumerate(zip(inputs, labels, strict=True)):
        left = LEFT + STEP * place
        middle = left + WIDE / 2
        canvas.token(left, 5, given, WIDE, size=SMALL)
        canvas.arrow((middle, 7.6), (middle, 11.1))
        canvas.arrow((middle, 19.2), (middle, 22.4))
        for bar, probability in enumerate(probabilities[place]):
            x, high = left + 0.5 + 1.2 * bar, 9 * probability
            is_right = bar == right[place]
            role, fill = ("ink", 0.8) if is_right else ("quiet", 0.15)
            canvas.cell(x, 23, 1.2, high, role, fill)
            if is_right:
                losses.append(-np.log(probability))
                canvas.text(x + 0.6, 24.2 + high, f"{probability:.2f}", size=SMALL)
        canvas.arrow((middle, 34.2), (middle, 37.4))
        canvas.text(middle, 38.9, f"{losses[-1]:.2f}")
        canvas.arrow((middle, 43.8), (middle, 40.5))
        canvas.token(left, 43.9, label, WIDE, size=SMALL)
    canvas.text(LEFT + 15.2, 50.4, f"{np.mean(losses):.2f}", weight="bold")


def loop(canvas):
    """Use of a trained translator, read from bottom to top. One: the encoder reads the
    source "the blue house" once and gives keys and values. Two: the decoder reads what
    is there already, "[start] la", and its last position gives a probability to every
    word: casa has the most. Three: one word is chosen, here the most probable, "casa".
    Four: a thick arrow leads back: "casa" is appended to the decoder's input, and the
    decoder runs again with "[start] la casa". The loop ends when the chosen word is
    "[end]"."""
    _encoder(canvas, 9, ["the", "blue", "house"])
    canvas.box(LEFT, 15.2, 22.6, 8, "decoder", ground="decoder")
    for place, word in enumerate(("[start]", "la")):
        token = canvas.token(LEFT + STEP * place, 9, word, WIDE, size=SMALL)
        canvas.arrow(token.top, (token.top[0], 15.1))
    new = canvas.marked(LEFT + 2 * STEP, 9, "casa", WIDE)
    canvas.arrow(new.top, (new.top[0], 15.1), dashed=True)
    canvas.arrow((token.top[0], 23.2), (token.top[0], 26.4))
    words = ["casa", "mesa", "azul", "[end]"]
    probabilities = softmax(np.array([2.6, 0.9, 0.2, -0.6]))
    for row, (word, probability) in enumerate(zip(words, probabilities, strict=True)):
        y = 36 - 3 * row
        chosen = row == np.argmax(probabilities)
        canvas.text(25, y + 1.1, word, size=SMALL, ha="right")
        role, fill = ("ink", 0.8) if chosen else ("quiet", 0.15)
        canvas.cell(26, y, 13 * probability, 2.2, role, fill)
        end = 26.8 + 13 * probability
        canvas.text(end, y + 1.1, f"{probability:.2f}", size=SMALL, ha="left")
    corners = (40.6, 37.1), (48.4, 37.1), (48.4, 10.3), (new.x + WIDE, 10.3)
    canvas.line(*corners, width=3, arrow=True)


def model(canvas):
    """The whole translation model, read from bottom to top. One matrix of V rows and D
    columns has three uses. One: English tokens, (B, S), take their rows and become
    vectors. Two: Spanish tokens, (B, T), take their rows of the same matrix. Both are
    multiplied by the root of D, and position vectors are added. On the left N encoder
    blocks and a layer norm give (B, S, D): keys and values for the cross-attention in
    each of the N decoder blocks on the right. A thick grey line, the residual path,
    runs through all blocks of a side. Another layer norm ends the decoder, (B, T, D).
    Three: its vectors are multiplied by all rows of the matrix, which gives a logit for
    each of V tokens, (B, T, V)."""
    own, looks = "self-attention", "causal self-attention\ncross-attention"
    sides = (
        ("encoder", own, "source", "S", 10, ["the", "blue", "house"], 7.5),
        ("decoder", looks, "target", "T", 36, ["[start]", "la", "casa", "azul"], 18),
    )
    canvas.box(1, 9, 47, 5, "one matrix (V, D): a row for each token")
    canvas.cells(2.6, 9.7, 3, 4, "ink", side=1.2)
    for use, (name, parts, side, length, x, words, high) in enumerate(sides, start=1):
        canvas.shape(x, 1.6, f"{side} (B, {length})", ha="center")
        for token in canvas.tokens(x + 0.3 - 3 * len(words), 3.4, words, 6, 5.4):
            canvas.arrow(token.top, (token.top[0], 8.9))
        canvas.arrow((x, 14), (x, 17.3), width=2.4)
        canvas.text(x - 1.8, 15.6, f"{use}", weight="bold")
        canvas.box(x - 8, 17.4, 16, 3, "× √D, + position", size=SMALL)
        canvas.residual((x, 20.4), (x, 29.6 + high))
        for y in (22.7, 29.8 + high):
            canvas.shape(x + 1.6, y, f"(B, {length}, D)")
        parts = f"N {name} blocks:\n{parts}\nfeed-forward"
        canvas.stack(x - 9, 25, 16.4, high, parts, name)
        norm = canvas.box(x - 6, 31.7 + high, 12, 2.8, "layer norm", size=SMALL)
    for y, role, up in (41.4, "key", 1.4), (39.8, "value", -1.4):
        canvas.arrow((16, y), (26.9, y), role)
        canvas.text(21.5, y + up, f"{role}s", role, SMALL)
    canvas.arrow(norm.top, (x, 56.4))
    scores = canvas.box(x - 9, 56.5, 18, 3.4, "× all rows of the matrix", size=SMALL)
    way = (48, 11.5), (50.5, 11.5), (50.5, 58.2), scores.right
    canvas.line(*way, width=2.4, arrow=True)
    canvas.arrow(scores.top, (x, 62.8))
    canvas.text(x, 64.3, "logits of the next token (B, T, V)")


def maps_of_a_translator(canvas):
    """Where the 24 maps of the translator are, read from bottom to top. On the left an
    encoder block: self-attention with four small maps, source by source, of shape (B,
    H, S, S), then a feed-forward network. On the right a decoder block: causal
    self-attention with four maps, target by target, (B, H, T, T), in which later cells
    are crossed; cross-attention with four maps, target by source, (B, H, T, S), whose
    keys and values come from the encoder; then a feed-forward network. The residual
    path, a thick grey line, runs through both. There are two blocks on each side: two
    blocks times three kinds times four heads are 24 maps."""


def byte_pair_merges(canvas):
    """How byte-pair encoding joins letters. The words sol, sola, cola and sala occur 5,
    3, 2 and 1 times; the sign ▁ stands for the space before a word. First all are cut
    into letters. The most frequent pair of neighbours is o and l, with 5 + 3 + 2 = 10
    times: it becomes one piece, ol. Next come ▁ and s, 9 times, which become ▁s. Then
    ▁s and ol, 8 times, become ▁sol. So the most frequent word is one piece now. A word
    that nobody counted, solos, is cut by the same merges: ▁sol, o, s."""


def like_lengths(canvas):
    """Eight sentences of 2 to 9 tokens in two batches of four rows; a row is filled up
    to the longest of its batch, and what is filled up is drawn hatched. In the first
    form they come in any order: both batches have long and short rows, so both are wide
    and 24 of their 68 cells are padding. In the second form they were sorted by length
    first: one batch is narrow and one is wide, and 12 of 56 cells are padding. Then the
    batches are shuffled. Source and target are such arrays, (B, S) and (B, T)."""


def three_contexts(canvas):
    """What the decoder gets from the source "the white house" while it says "la casa
    blanca", in three models that begin with the same last state of the encoder. Rows
    are the words that are said, columns the words of the source. One, no attention: all
    cells are crossed, nothing comes besides the last state, of shape (B, U). Two, the
    mean: all weights are one third, so the context is the same vector in each row.
    Three, attention: "la" takes "the", "casa" takes "house" and "blanca" takes "white";
    each row has a context of its own, and together they have the shape (B, T, U)."""


def ngrams(words, n):
    """Return how often each run of n words occurs."""
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def counted(candidate, reference, n):
    """Tell which runs of the candidate count: none more often than in the reference."""
    left, marks = ngrams(reference, n), []
    for start in range(len(candidate) - n + 1):
        run = tuple(candidate[start : start + n])
        marks.append(left[run] > 0)
        left[run] -= 1
    return marks


CANDIDATE = ["the", "the", "boat", "is", "on", "the", "lake"]
REFERENCE = ["the", "boat", "is", "on", "a", "lake"]


def bleu_ngrams(canvas):
    """How BLEU counts. The reference is "the boat is on a lake", the candidate "the the
    boat is on the lake". Single words: a tick stands below five of seven. "the" occurs
    three times in the candidate, but once in the reference, so it counts once; the two
    others are clipped and crossed. Pairs of words: three of six are in the reference:
    "the boat", "boat is", "is on". The precisions of runs of one to four words are 5/7,
    3/6, 2/5 and 1/4. The fourth root of their product is 0.43, so BLEU is 43. Were the
    candidate shorter than the reference, a penalty would make it smaller."""
    step = 7.2
    canvas.tokens(1, 52.4, REFERENCE, step, 6.4)
    for y, n, shift in (43, 1, 0), (25.4, 2, 0.5 * step):
        for start, good in enumerate(counted(CANDIDATE, REFERENCE, n)):
            text, x = " ".join(CANDIDATE[start : start + n]), 1 + shift + start * step
            if good:
                canvas.marked(x, y, text, 6.4)
            else:
                canvas.token(x, y, text, 6.4, "quiet", SMALL)
            canvas.text(x + 3.2, y - 2, "✓" if good else "×", size=12)
    word = "the"
    times, most = CANDIDATE.count(word), REFERENCE.count(word)
    said = f"“{word}” stands here {times} times, in the reference {most} time:"
    canvas.text(1, 37.4, said, size=SMALL, ha="left")
    said = f"{most} counts, {times - most} are clipped"
    canvas.text(1, 35.2, said, size=SMALL, ha="left")
    fractions, product = [], 1
    for n in range(1, 5):
        marks = counted(CANDIDATE, REFERENCE, n)
        fractions.append(f"{sum(marks)}/{len(marks)}")
        product *= sum(marks) / len(marks)
        name = "1 word" if n == 1 else f"{n} words"
        canvas.text(7.4 + 12.2 * (n - 1), 15.6, name, size=SMALL)
        canvas.text(7.4 + 12.2 * (n - 1), 12.6, fractions[-1], size=12)
    root = product**0.25
    said = f"fourth root of {' × '.join(fractions)} = {root:.2f}"
    canvas.text(26, 5, f"{said}\nBLEU = {100 * root:.0f}")

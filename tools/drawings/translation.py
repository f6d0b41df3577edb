"""Drawings of translation: pieces and batches, training, use, how BLEU counts."""

from collections import Counter

from tools.drawings.primitives import SMALL


def training(canvas):
    """Training with teacher forcing, read from bottom to top. The encoder reads the
    source "the blue house" and gives keys and values to the decoder. The decoder reads
    the right translation, "[start] la casa azul", and predicts at all four positions at
    once; a causal mask hides later words. At each position it gives a probability to
    every word of the vocabulary, shape (B, T, V). The labels are the same translation
    shifted by one: "la casa azul [end]". The loss of a position is minus the logarithm
    of the probability p of the right word, and the mean of these is made small."""


def loop(canvas):
    """Use of a trained translator, read from bottom to top. One: the encoder reads the
    source "the blue house" once and gives keys and values. Two: the decoder reads what
    is there already, "[start] la", and its last position gives a probability to every
    word: casa has the most. Three: one word is chosen, here the most probable, "casa".
    Four: a thick arrow leads back: "casa" is appended to the decoder's input, and the
    decoder runs again with "[start] la casa". The loop ends when the chosen word is
    "[end]"."""


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


def byte_pair_merges(canvas):
    """How byte-pair encoding joins letters. The words sol, sola, cola and sala occur 5,
    3, 2 and 1 times; the sign ▁ stands for the space before a word. First all are cut
    into letters. The most frequent pair of neighbours is o and l, with 5 + 3 + 2 = 10
    times: it becomes one piece, ol. Next come ▁ and s, 9 times, which become ▁s. Then
    ▁s and ol, 8 times, become ▁sol. So the most frequent word is one piece now. A word
    that nobody counted, solos, is cut by the same merges: ▁sol, o, s."""


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

"""Drawings of translation: texts to ids, batches, models, BLEU."""

from collections import Counter

import numpy as np

from tools.drawings.formulas import softmax
from tools.drawings.primitives import PADDING, SMALL, Canvas

LEFT = 20.4  # of the decoder's first token
STEP = 7.8
WIDE = 7


def _encoder(canvas, y):
    """Draw the source, the encoder, and the keys and values that it hands on."""
    for token in canvas.tokens(1, y, ["the", "blue", "house"], 4.8, 4.4):
        canvas.arrow(token.top, (token.top[0], y + 6.1))
    box = canvas.box(1, y + 6.2, 14, 8, "encoder", ground="encoder")
    canvas.arrow((box.right[0], y + 11.6), (LEFT - 0.4, y + 11.6), "key")
    canvas.small(17.6, y + 12.9, "keys", "key")
    canvas.arrow((box.right[0], y + 8.8), (LEFT - 0.4, y + 8.8), "value")
    canvas.small(17.6, y + 10.1, "values", "value")
    canvas.shape(8, y - 1.9, "source (B, S)", ha="center")


def encoder_decoder_training():
    canvas = Canvas(53)
    labels = ["la", "casa", "azul", "[end]"]
    inputs = ["[start]", *labels[:-1]]
    right = [2, 0, 3, 1]  # which bar is the right word's
    scores = np.random.default_rng(8).normal(scale=0.7, size=(4, 5))
    scores[range(4), right] += [2, 1.1, 0.2, 2.6]
    probabilities = softmax(scores)
    # Of the rounded numbers, so that a reader who checks them finds the same.
    losses = -np.log(probabilities[range(4), right].round(2))

    _encoder(canvas, 5)
    name = "decoder, all positions at once;\na causal mask hides later words"
    canvas.box(LEFT, 11.2, 30.4, 8, name, ground="decoder")
    canvas.shape(35.6, 3.1, "decoder input (B, T): the right words", ha="center")
    canvas.text(1, 27.4, "probabilities of\nall V words", ha="left")
    canvas.shape(1, 23.4, "(B, T, V)")
    canvas.text(1, 38.9, "loss: −log p of\nthe right word", ha="left")
    canvas.text(1, 45.2, "labels: the input\nshifted by one", ha="left")
    canvas.text(1, 50.4, "mean of the losses", ha="left")
    for place in range(4):
        left = LEFT + STEP * place
        middle = left + WIDE / 2
        canvas.token(left, 5, inputs[place], WIDE, size=SMALL)
        canvas.arrow((middle, 7.6), (middle, 11.1))
        canvas.arrow((middle, 19.2), (middle, 22.4))
        for bar, probability in enumerate(probabilities[place]):
            x = left + 0.5 + 1.2 * bar
            height = 9 * probability
            if bar == right[place]:
                canvas.cell(x, 23, 1.2, height, "ink", 0.8)
                canvas.small(x + 0.6, 24.2 + height, f"{probability:.2f}")
            else:
                canvas.cell(x, 23, 1.2, height, "quiet", 0.15)
        canvas.arrow((middle, 34.2), (middle, 37.4))
        canvas.text(middle, 38.9, f"{losses[place]:.2f}")
        canvas.arrow((middle, 43.8), (middle, 40.5))
        canvas.token(left, 43.9, labels[place], WIDE, size=SMALL)
    canvas.text(35.6, 50.4, f"{losses.mean():.2f}", weight="bold")
    canvas.describe(f"""
        Training with teacher forcing, read from bottom to top. The encoder reads the
        source "the blue house" and gives keys and values to the decoder. The decoder
        reads the right translation, "{" ".join(inputs)}", and predicts at all four
        positions at once; a causal mask hides later words. At each position it gives a
        probability to every word of the vocabulary, shape (B, T, V). The labels are the
        same translation shifted by one: "{" ".join(labels)}". The loss of a position is
        minus the logarithm of the probability p of the right word, and the mean of
        these is made small.
    """)
    return canvas


def encoder_decoder_loop():
    canvas = Canvas(44)
    words = ["casa", "mesa", "azul", "[end]"]
    probabilities = softmax(np.array([2.6, 0.9, 0.2, -0.6]))
    best = np.argmax(probabilities)

    _encoder(canvas, 9)
    canvas.text(1, 26.4, "1  once for\n    a sentence", ha="left")
    canvas.box(LEFT, 15.2, 22.6, 8, "decoder", ground="decoder")
    for place, word in enumerate(["[start]", "la"]):
        token = canvas.token(LEFT + STEP * place, 9, word, WIDE, size=SMALL)
        canvas.arrow(token.top, (token.top[0], 15.1))
    new = canvas.marked(LEFT + 2 * STEP, 9, words[best], WIDE)
    canvas.arrow(new.top, (new.top[0], 15.1), dashed=True)
    canvas.text(1, 33.4, "2  probability of\n    the next word", ha="left")
    canvas.arrow((token.top[0], 23.2), (token.top[0], 26.4))
    for row, (word, probability) in enumerate(zip(words, probabilities, strict=True)):
        y = 36 - 3 * row
        canvas.small(25, y + 1.1, word, ha="right")
        width = 13 * probability
        if row == best:
            canvas.cell(26, y, width, 2.2, "ink", 0.8)
        else:
            canvas.cell(26, y, width, 2.2, "quiet", 0.15)
        canvas.small(26.8 + width, y + 1.1, f"{probability:.2f}", ha="left")
    canvas.text(26, 41.6, "3  take the most probable", ha="left")
    way = (40.6, 37.1), (48.4, 37.1), (48.4, 10.3), new.right
    canvas.line(*way, width=3, arrow=True)
    canvas.text(26, 3.6, "4  append it, and again, until it is “[end]”")
    word = words[best]
    canvas.describe(f"""
        Use of a trained translator, read from bottom to top. One: the encoder reads the
        source "the blue house" once and gives keys and values. Two: the decoder reads
        what is there already, "[start] la", and its last position gives a probability
        to every word: {word} has the most. Three: one word is chosen, here the most
        probable, "{word}". Four: a thick arrow leads back: "{word}" is appended to the
        decoder's input, and the decoder runs again with "[start] la {word}". The loop
        ends when the chosen word is "[end]".
    """)
    return canvas


def encoder_decoder():
    canvas = Canvas(66.5)
    matrix = canvas.box(1, 9, 47, 5, "one matrix (V, D): a row for each token")
    canvas.cells(2.6, 9.7, 3, 4, "ink", side=1.2)
    encoder = "N encoder blocks:\nself-attention\nfeed-forward"
    decoder = "N decoder blocks:\ncausal self-attention\ncross-attention\nfeed-forward"
    english = ["the", "blue", "house"]
    spanish = ["[start]", "la", "casa", "azul"]
    for use, x, words, shape, ground, blocks, height in (
        ("1", 10, english, "S", "encoder", encoder, 7.5),
        ("2", 36, spanish, "T", "decoder", decoder, 18),
    ):
        side = "source" if ground == "encoder" else "target"
        canvas.shape(x, 1.6, f"{side} (B, {shape})", ha="center")
        for token in canvas.tokens(x + 0.3 - 3 * len(words), 3.4, words, 6, 5.4):
            canvas.arrow(token.top, (token.top[0], 8.9))
        canvas.arrow((x, 14), (x, 17.3), width=2.4)
        canvas.text(x - 1.8, 15.6, use, weight="bold")
        canvas.box(x - 8, 17.4, 16, 3, "× √D, + position", size=SMALL)
        canvas.shape(x + 1.6, 22.7, f"(B, {shape}, D)")
        canvas.residual((x, 20.4), (x, 29.6 + height))
        canvas.stack(x - 9, 25, 16.4, height, blocks, ground)
        canvas.shape(x + 1.6, 29.8 + height, f"(B, {shape}, D)")
        norm = canvas.box(x - 6, 31.7 + height, 12, 2.8, "layer norm", size=SMALL)
    canvas.arrow((16, 41.4), (26.9, 41.4), "key")
    canvas.small(21.5, 42.8, "keys", "key")
    canvas.arrow((16, 39.8), (26.9, 39.8), "value")
    canvas.small(21.5, 38.4, "values", "value")

    canvas.arrow(norm.top, (36, 56.4))
    scores = canvas.box(27, 56.5, 18, 3.4, "× all rows of the matrix", size=SMALL)
    way = matrix.right, (50.5, 11.5), (50.5, 58.2), scores.right
    canvas.line(*way, width=2.4, arrow=True)
    canvas.text(48, 60.2, "3", weight="bold")
    canvas.arrow(scores.top, (36, 62.8))
    canvas.text(36, 64.3, "logits of the next token (B, T, V)")
    canvas.describe("""
        The whole translation model, read from bottom to top. One matrix of V rows and D
        columns has three uses. One: English tokens, (B, S), take their rows and become
        vectors. Two: Spanish tokens, (B, T), take their rows of the same matrix. Both
        are multiplied by the root of D, and position vectors are added. On the left N
        encoder blocks and a layer norm give (B, S, D): keys and values for the
        cross-attention in each of the N decoder blocks on the right. A thick grey line,
        the residual path, runs through all blocks of a side. Another layer norm ends
        the decoder, (B, T, D). Three: its vectors are multiplied by all rows of the
        matrix, which gives a logit for each of V tokens, (B, T, V).
    """)
    return canvas


def _count_pairs(pieces, times):
    """Return how often each two pieces are neighbours.

    Args:
        pieces: dict from word to its list of pieces.
        times: dict from word to how often it occurs.
    """
    counts = Counter()
    for word, parts in pieces.items():
        for pair in zip(parts, parts[1:], strict=False):
            counts[pair] += times[word]
    return counts


def _merge(parts, pair):
    """Return a word's pieces with each occurrence of the pair made one piece."""
    merged = []
    for part in parts:
        if merged and (merged[-1], part) == pair:
            merged[-1] += part
        else:
            merged.append(part)
    return merged


def _pieces(canvas, x, y, parts, new=""):
    """Draw a word cut into pieces, each as wide as its letters; `new` in purple."""
    for part in parts:
        width = 2.3 * len(part) - 0.4
        role = "added" if part == new else "ink"
        canvas.token(x, y, part, width, role, SMALL)
        x += width + 0.4


def byte_pair_merges():
    canvas = Canvas(57)
    times = {"sol": 5, "sola": 3, "cola": 2, "sala": 1}
    lefts = {"sol": 1.2, "sola": 12, "cola": 25.1, "sala": 38.2}
    pieces = {word: list("▁" + word) for word in times}
    new_word = "solos"
    new_pieces = list("▁" + new_word)

    for word, count in times.items():
        _pieces(canvas, lefts[word], 48, pieces[word])
        said = "once" if count == 1 else f"{count} times"
        canvas.small(lefts[word] + 1.15 * len(pieces[word]) - 0.2, 54.4, said)
    merges = []
    for number in (1, 2, 3):
        pair, total = _count_pairs(pieces, times).most_common(1)[0]
        counted = [
            str(times[word])
            for word, parts in pieces.items()
            if pair in zip(parts, parts[1:], strict=False)
        ]
        left, right = pair
        y = 48 - 11 * number
        for word in pieces:
            pieces[word] = _merge(pieces[word], pair)
            _pieces(canvas, lefts[word], y, pieces[word], new=left + right)
        new_pieces = _merge(new_pieces, pair)
        merges.append((left, right, total, " + ".join(counted)))
        if number == 1:
            said = (
                f"{left} and {right} stand side by side {merges[0][3]} = {total} times"
            )
        else:
            said = f"{left} and {right}: {merges[-1][3]} = {total} times"
        canvas.small(1.2, y + 5.6, f"{number}.  {said}:  {left}{right}", ha="left")
    said = f"a new word, {new_word}, after these three merges:"
    canvas.small(1.2, 9.6, said, ha="left")
    _pieces(canvas, 1.2, 4, new_pieces)

    (a, b, total, counts), (c, d, second, _), (e, f, third, _) = merges
    canvas.describe(f"""
        How byte-pair encoding joins letters. The words sol, sola, cola and sala occur
        {times["sol"]}, {times["sola"]}, {times["cola"]} and {times["sala"]} times; the
        sign ▁ stands for the space before a word. First all are cut into letters. The
        most frequent pair of neighbours is {a} and {b}, with {counts} = {total} times:
        it becomes one piece, {a}{b}. Next come {c} and {d}, {second} times, which
        become {c}{d}. Then {e} and {f}, {third} times, become {e}{f}. So the most
        frequent word is one piece now. A word that nobody counted, {new_word}, is cut
        by the same merges: {", ".join(new_pieces)}.
    """)
    return canvas


def like_lengths():
    canvas = Canvas(39)
    lengths = [3, 9, 2, 6, 8, 4, 5, 7]
    side = 2.6
    counted = []  # (cells of padding, all cells)
    for left, title, row_lengths in (
        (1, "in any order", lengths),
        (27, "sorted by length", sorted(lengths)),
    ):
        canvas.text(left + 11.7, 36.6, title, weight="bold")
        padding = 0
        cells = 0
        for top, batch in (31.2, row_lengths[:4]), (15.8, row_lengths[4:]):
            longest = max(batch)
            canvas.shape(left, top + 1.4, f"(B, S) = ({len(batch)}, {longest})")
            for row, length in enumerate(batch):
                y = top - side * (row + 1)
                filled = longest - length
                canvas.cells(left, y, 1, length, "query", side=side)
                end = left + length * side
                canvas.cells(end, y, 1, filled, "mask", side=side, hatch=PADDING)
                padding += filled
                cells += longest
        counted.append((padding, cells))
        canvas.small(left + 11.7, 2, f"padding: {padding} of {cells} cells")
    canvas.describe(f"""
        Eight sentences of 2 to 9 tokens in two batches of four rows; a row is filled up
        to the longest of its batch, and what is filled up is drawn hatched. In the
        first form they come in any order: both batches have long and short rows, so
        both are wide and {counted[0][0]} of their {counted[0][1]} cells are padding. In
        the second form they were sorted by length first: one batch is narrow and one is
        wide, and {counted[1][0]} of {counted[1][1]} cells are padding. Then the batches
        are shuffled. Source and target are such arrays, (B, S) and (B, T).
    """)
    return canvas


def three_contexts():
    canvas = Canvas(51)
    source = ["the", "white", "house"]
    target = ["la", "casa", "blanca"]
    nothing = np.full((3, 3), np.nan)
    mean = np.full((3, 3), 1 / 3)
    attention = np.array([[0.9, 0.05, 0.05], [0.05, 0.1, 0.85], [0.05, 0.8, 0.15]])
    for y, weights, shown, title, note in (
        (
            36.6,
            nothing,
            None,
            "no attention",
            "only the encoder's last\nstate, (B, U)",
        ),
        (
            19.6,
            mean,
            "{:.2f}",
            "mean",
            "the last state, and one\ncontext for all steps, (B, U)",
        ),
        (
            2.6,
            attention,
            "{:.2f}",
            "attention",
            "the last state, and a context\nfor each step, (B, T, U)",
        ),
    ):
        canvas.table(9, y, target, source, weights, 6, 2.8, label=7, shown=shown)
        canvas.text(29.4, y + 6, title, ha="left", weight="bold")
        canvas.small(29.4, y + 2.2, note, ha="left")
    best = [source[column] for column in attention.argmax(axis=1)]
    canvas.describe(f"""
        What the decoder gets from the source "{" ".join(source)}" while it says
        "{" ".join(target)}", in three models that begin with the same last state of the
        encoder. Rows are the words that are said, columns the words of the source. One,
        no attention: all cells are crossed, nothing comes besides the last state, of
        shape (B, U). Two, the mean: all weights are one third, so the context is the
        same vector in each row. Three, attention: "{target[0]}" takes "{best[0]}",
        "{target[1]}" takes "{best[1]}" and "{target[2]}" takes "{best[2]}"; each row
        has a context of its own, and together they have the shape (B, T, U).
    """)
    return canvas


def _matches(candidate, reference, n):
    """Return for each run of n words of the candidate whether BLEU counts it.

    A run counts no more often than it stands in the reference.
    """
    starts = range(len(reference) - n + 1)
    left = Counter(tuple(reference[start : start + n]) for start in starts)
    counts = []
    for start in range(len(candidate) - n + 1):
        run = tuple(candidate[start : start + n])
        counts.append(left[run] > 0)
        left[run] -= 1
    return counts


def bleu_ngrams():
    canvas = Canvas(59)
    reference = ["the", "boat", "is", "on", "a", "lake"]
    candidate = ["the", "the", "boat", "is", "on", "the", "lake"]
    step = 7.2
    canvas.text(1, 57, "reference", ha="left", weight="bold")
    canvas.tokens(1, 52.4, reference, step, 6.4)
    canvas.text(1, 47.6, "candidate: single words", ha="left", weight="bold")
    canvas.text(1, 30, "candidate: pairs", ha="left", weight="bold")
    for y, n in (43, 1), (25.4, 2):
        for start, counts in enumerate(_matches(candidate, reference, n)):
            run = " ".join(candidate[start : start + n])
            x = 1 + step * (start + (n - 1) / 2)
            if counts:
                canvas.marked(x, y, run, 6.4)
                canvas.text(x + 3.2, y - 2, "✓", size=12)
            else:
                canvas.token(x, y, run, 6.4, "quiet", SMALL)
                canvas.text(x + 3.2, y - 2, "×", size=12)
    times = candidate.count("the")
    most = reference.count("the")
    said = f"“the” stands here {times} times, in the reference {most} time:"
    canvas.small(1, 37.4, said, ha="left")
    said = f"{most} counts, {times - most} are clipped"
    canvas.small(1, 35.2, said, ha="left")

    canvas.text(1, 19, "precision of runs of", ha="left", weight="bold")
    fractions = []
    product = 1
    for n in range(1, 5):
        matches = _matches(candidate, reference, n)
        fractions.append(f"{sum(matches)}/{len(matches)}")
        product *= sum(matches) / len(matches)
        x = 7.4 + 12.2 * (n - 1)
        canvas.small(x, 15.6, "1 word" if n == 1 else f"{n} words")
        canvas.text(x, 12.6, fractions[-1], size=12)
    root = product**0.25
    bleu = f"{100 * root:.0f}"
    said = f"fourth root of {' × '.join(fractions)} = {root:.2f}\nBLEU = {bleu}"
    canvas.text(26, 5, said)
    canvas.describe(f"""
        How BLEU counts. The reference is "{" ".join(reference)}", the candidate
        "{" ".join(candidate)}". Single words: a tick stands below five of seven. "the"
        occurs three times in the candidate, but once in the reference, so it counts
        once; the two others are clipped and crossed. Pairs of words: three of six are
        in the reference: "the boat", "boat is", "is on". The precisions of runs of one
        to four words are {fractions[0]}, {fractions[1]}, {fractions[2]} and
        {fractions[3]}. The fourth root of their product is {root:.2f}, so BLEU is
        {bleu}. Were the candidate shorter than the reference, a penalty would make it
        smaller.
    """)
    return canvas


def maps_of_a_translator():
    canvas = Canvas(62)
    num_blocks = 2
    num_heads = 4
    random = np.random.default_rng(12)
    kinds = 3
    total = num_blocks * kinds * num_heads
    title = f"{num_blocks} blocks × {kinds} kinds × {num_heads} heads = {total} maps"
    canvas.text(26, 59.6, title, weight="bold")

    def layer(path, x, y, width, name, role="ink"):
        """Draw a part beside the path, what goes in, and what is added."""
        canvas.box(x, y, width, 3.4, name, size=SMALL)
        canvas.arrow((path, y + 0.9), (x - 0.1, y + 0.9), role)
        canvas.arrow((x, y + 2.5), (path + 0.5, y + 2.5), "added")

    def maps(x, y, allowed=None):
        """Draw a small map for each head."""
        for head in range(num_heads):
            scores = random.normal(scale=1.5, size=(3, 3))
            if allowed is not None:
                scores = np.where(allowed, scores, -1e9)
            weights = softmax(scores)
            if allowed is not None:
                weights = np.where(allowed, weights, np.nan)
            canvas.weights(x + 4.4 * head, y, weights, 1.2, 1.2)

    path = 3.6
    canvas.part(1, 8, 23, 28.6, "encoder")
    canvas.residual((path, 6.6), (path, 37.6))
    canvas.tokens(1.4, 3.4, ["the", "new", "house"], 7.4, 6.8)
    layer(path, 6.2, 12, 16.6, "self-attention")
    canvas.arrow((14.4, 15.4), (14.4, 17.7), "query")
    maps(6.2, 18.4)
    canvas.shape(14.4, 24.4, "source × source\n(B, H, S, S)", ha="center")
    layer(path, 6.2, 29, 16.6, "feed-forward")
    canvas.small(14.4, 34.4, f"encoder, {num_blocks} blocks")

    path = 28.6
    canvas.part(26, 8, 25, 47, "decoder")
    canvas.residual((path, 6.6), (path, 55.6))
    canvas.tokens(26.2, 3.4, ["[start]", "la", "casa"], 7.4, 6.8)
    layer(path, 31.4, 12, 18, "causal self-attention")
    canvas.arrow((40.4, 15.4), (40.4, 17.7), "query")
    maps(32, 18.4, np.tri(3, dtype=bool))
    canvas.shape(40.4, 24.4, "target × target\n(B, H, T, T)", ha="center")
    layer(path, 31.4, 30.6, 18, "cross-attention", "query")
    canvas.arrow((40.4, 34), (40.4, 36.3), "query")
    maps(32, 36.6)
    canvas.shape(40.4, 42.8, "target × source\n(B, H, T, S)", ha="center")
    layer(path, 31.4, 48, 18, "feed-forward")
    canvas.small(40.4, 53, f"decoder, {num_blocks} blocks")

    way = (3.6, 39.6), (3.6, 41.8), (24.9, 41.8), (24.9, 32.7), (31.3, 32.7)
    canvas.line(*way, role="key", arrow=True)
    way = (3.6, 39.6), (3.6, 43.2), (25.6, 43.2), (25.6, 31.9), (31.3, 31.9)
    canvas.line(*way, role="value", arrow=True)
    canvas.small(14, 45, "keys and values")
    canvas.describe(f"""
        Where the {total} maps of the translator are, read from bottom to top. On the
        left an encoder block: self-attention with four small maps, source by source, of
        shape (B, H, S, S), then a feed-forward network. On the right a decoder block:
        causal self-attention with four maps, target by target, (B, H, T, T), in which
        later cells are crossed; cross-attention with four maps, target by source, (B,
        H, T, S), whose keys and values come from the encoder; then a feed-forward
        network. The residual path, a thick grey line, runs through both. There are two
        blocks on each side: two blocks times three kinds times four heads are {total}
        maps.
    """)
    return canvas

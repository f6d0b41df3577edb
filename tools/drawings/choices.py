"""Drawings of the choice of a model."""

from tools.drawings.primitives import SMALL, Canvas


def six_models():
    canvas = Canvas(60)
    words = ["not", "bad", "film"]
    middles = [18.1 + 8.6 * i for i in range(len(words))]
    canvas.shape(middles[1], 57.6, "what a word is given", ha="center")
    canvas.shape(43.1, 57.6, "a text", ha="center")
    canvas.shape(49.4, 57.6, "classes", ha="center")
    canvas.box(47.3, 5, 4.4, 50, "dense", size=SMALL)
    for y, name, note, shape in (
        (51.5, "words", "how often each", "(V,)"),
        (43.5, "words, pairs", "neighbours, too", "(V + V₂,)"),
        (35.5, "averaged", "each alone", "(D,)"),
        (28, "GRU", "one by one,\nfrom both ends", "(2D,)"),
        (18.6, "Transformer", "each sees all", "(2D,)"),
        (8.2, "… positions", "each sees all,\nand how far", "(2D,)"),
    ):
        lines = 1.3 * note.count("\n")
        canvas.text(1, y + 1.3, name, ha="left", weight="bold")
        canvas.shape(1, y - 1.3 - lines, note)
        for middle, word in zip(middles, words, strict=True):
            if name.startswith("words"):
                canvas.token(middle - 2.8, y - 1.3, word, 5.6, size=SMALL)
            else:
                canvas.cells(middle - 2.8, y - 0.7, 1, 4, "ink", side=1.4)
        canvas.arrow((38.4, y), (40.5, y))
        canvas.cells(40.7, y - 0.6, 1, 4, "ink", side=1.2, fill=0.4)
        canvas.shape(43.1, y - 2.1, shape, ha="center")
        canvas.arrow((45.6, y), (47.2, y))
        pairs = list(zip(middles, middles[1:], strict=False))
        if name == "words, pairs":
            for left, right in ((18.1, 26.1), (27.3, 35.3)):
                way = (
                    (left, y - 1.4),
                    (left, y - 2.6),
                    (right, y - 2.6),
                    (right, y - 1.4),
                )
                canvas.line(*way, role="added", width=1.8)
        if name == "GRU":
            for left, right in pairs:
                canvas.arrow((left + 2.9, y + 0.45), (right - 2.9, y + 0.45))
                canvas.arrow((right - 2.9, y - 0.45), (left + 2.9, y - 0.45), "quiet")
        if name in ("Transformer", "… positions"):
            ends = [(left + 0.7, right - 0.7, 2) for left, right in pairs]
            ends.append((middles[0] - 0.7, middles[2] + 0.7, 3.2))
            for left, right, up in ends:
                way = (left, y + 0.8), (left, y + up), (right, y + up), (right, y + 0.8)
                canvas.line(*way, role="query", width=1.8)
        if name == "… positions":
            for number, middle in enumerate(middles, 1):
                canvas.text(middle, y - 2.2, f"{number}")
    canvas.describe("""
        Six models side by side, one in a row, for the words "not bad film". Each turns
        the words into one vector for the text, and a dense layer gives it a number for
        each class. Words: the text's vector, of shape (V,), counts each word. Words and
        pairs: brackets join neighbours, which are counted, too. Averaged vectors: each
        word has a vector of D numbers, no word sees another, and their mean, (D,), is
        the text's vector. GRU: arrows run from vector to vector in both directions.
        Transformer: lines join every word with every other one. Transformer with
        positions: the same lines, and each word also has its number, 1, 2, 3. In the
        last three rows mean and maximum of the words' new vectors stand side by side,
        (2D,).
    """)
    return canvas


def which_model():
    canvas = Canvas(66)
    first = "1  Count words and pairs:\nthe figure to beat, in minutes"
    canvas.box(7, 57.4, 38, 6, first)
    canvas.arrow((26, 57.4), (26, 53.4))
    canvas.text(26, 50.4, "2  What could beat it?", weight="bold")
    canvas.shape(37.6, 50.4, "labels ÷ length alone\ndoes not tell")
    for x, y, condition, model, start, end in (
        (
            9,
            40.6,
            "there is one that\nknows your language",
            "fine-tune a\npre-trained model",
            14,
            9,
        ),
        (
            26,
            39.8,
            "the same words in\nanother order have\nanother answer",
            "GRU, or Trans-\nformer, positions",
            26,
            26,
        ),
        (
            43,
            40.6,
            "many texts\nwithout labels",
            "learn vectors\nfrom them first",
            38,
            43,
        ),
    ):
        canvas.arrow((start, 47.6), (end, 44.6))
        canvas.small(x, y, condition)
        canvas.box(x - 8, 28.4, 16, 7, model, ground="encoder", size=9)
        canvas.arrow((end, 28.4), (start, 24.4))
    canvas.shape(9, 36.8, "gains most with few labels", ha="center")
    third = (
        "3  A fair comparison with the pairs\n"
        "same texts, same tuning, to a plateau,\n"
        "three seeds, an interval over reviews"
    )
    canvas.box(4, 13.6, 44, 10.6, third)
    canvas.arrow((14, 13.6), (13, 8.6))
    canvas.arrow((38, 13.6), (39, 8.6))
    ahead = "ahead, and worth its cost:\ntake it"
    canvas.box(1, 2, 24, 6.4, ahead, ground="token", size=9)
    close = "too close, or too slow:\nkeep the pairs"
    canvas.box(27, 2, 24, 6.4, close, ground="token", size=9)
    canvas.describe("""
        Three steps to a model, read from top to bottom. Step 1: count words and pairs;
        this is the figure to beat, and it takes minutes. Step 2: what could beat it?
        Three ways, each with its condition: if a pre-trained model exists that knows
        your language, fine-tune it; if the same words in another order have another
        answer, a GRU or a Transformer with positions; if there are many texts without
        labels, learn vectors from them first. Step 3: a fair comparison with the pairs:
        same texts, same tuning, to a plateau, three seeds, an interval over reviews. It
        has two ways out: ahead, and worth its cost: take it; too close, or too slow:
        keep the pairs. A remark beside step 2: labels divided by mean length alone does
        not tell.
    """)
    return canvas

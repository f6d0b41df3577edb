"""Drawings of published models: T5, adapters, prompts."""

import tomllib
from pathlib import Path

from tools.drawings.primitives import SMALL, Canvas

# Not through the package, which would load Keras.
CARDS = Path(__file__).resolve().parents[2] / "course_utils/kit/presets/cards.toml"


def _words(canvas, x, y, words, marked):
    """Draw words side by side, each as wide as its letters; the marked in purple."""
    for word in words:
        width = max(3.8, 1.8 + 0.92 * len(word))
        role = "added" if word in marked else "ink"
        canvas.token(x, y, word, width, role, SMALL)
        x += width + 0.7


def spans_to_text():
    canvas = Canvas(60)
    sentence = ["She", "left", "her", "umbrella", "on", "the", "train", "again"]
    spans = [["her", "umbrella"], ["train"]]  # what is taken out
    removed = [word for span in spans for word in span]
    marks = [f"‹{number}›" for number in range(len(spans) + 1)]
    first_words = {span[0]: mark for span, mark in zip(spans, marks, strict=False)}
    read = []
    for word in sentence:
        if word in first_words:
            read.append(first_words[word])
        elif word not in removed:
            read.append(word)
    written = []
    for mark, span in zip(marks, spans, strict=False):
        written += [mark, *span]
    written.append(marks[-1])

    title = "Pre-training: two spans are taken out"
    canvas.text(1.5, 58.6, title, ha="left", weight="bold")
    _words(canvas, 1.5, 53.6, sentence, removed)
    canvas.arrow((26, 53.4), (26, 48.6))
    canvas.shape(27.4, 51, "reads")
    canvas.part(1, 36, 50, 12.4, "encoder")
    _words(canvas, 3, 45, read, marks)
    canvas.arrow((26, 44.8), (26, 41.8))
    encoder = canvas.box(3, 38, 46, 3.6, "encoder")
    canvas.part(1, 21, 50, 12.4, "decoder")
    decoder = canvas.box(3, 27.8, 46, 3.6, "decoder")
    canvas.arrow(encoder.bottom, (26, 31.6))
    canvas.shape(27.4, 34.7, "(B, S, D)")
    canvas.arrow(decoder.bottom, (26, 25.4))
    _words(canvas, 7.4, 22.4, written, written)

    canvas.text(1.5, 17.6, "A task: text in, text out", ha="left", weight="bold")
    canvas.box(1.5, 8, 21, 6.4, "summarize: The plot\nis dull, but …", size=SMALL)
    canvas.arrow((22.6, 11.2), (25.9, 11.2))
    canvas.box(26, 9.4, 7, 3.6, "T5")
    canvas.arrow((33.1, 11.2), (36.4, 11.2))
    canvas.box(36.5, 8, 14, 6.4, "The film\nis clever.", "added", size=SMALL)
    canvas.shape(1.5, 5.4, "the same network; no layer is added")
    canvas.describe(f"""
        Two tasks of T5, read from top to bottom. First its pre-training: of the
        sentence "{" ".join(sentence)}" two spans are taken out, "{" ".join(spans[0])}"
        and "{" ".join(spans[1])}". The encoder reads the rest, with the marks 0 and 1
        in their places. The decoder writes mark 0, "{" ".join(spans[0])}", mark 1,
        "{" ".join(spans[1])}", mark 2. Second, a task: the same encoder reads
        "summarize:" and a review, and the same decoder writes a verdict, "The film is
        clever." Nothing is added to the network for a task.
    """)
    return canvas


def frozen_and_trained():
    canvas = Canvas(62)
    # The published network: MiniLM with six blocks.
    width = 384
    num_blocks = 6
    cards = tomllib.loads(CARDS.read_text("utf-8"))
    published = cards["minilm"]["parameters"]
    rank = 16
    head = width + 1
    # A and B beside the matrices of queries, keys and values in each block.
    adapters = num_blocks * 3 * 2 * width * rank
    for x, name, count in (
        (1.5, "frozen", f"{head} weights"),
        (19, "LoRA", f"{head + adapters:,} weights"),
        (36.5, "all weights", f"{(published + head) / 1e6:.1f} million weights"),
    ):
        middle = x + 7
        inside = "added" if name == "all weights" else "quiet"
        canvas.text(middle, 59.6, name, weight="bold")
        canvas.shape(middle, 57, count, ha="center")
        canvas.box(x, 31, 14, 3.4, "embeddings", inside)
        if name == "LoRA":
            canvas.box(x, 37, 14, 5, role=inside)
            canvas.text(x + 5, 39.5, "six blocks", inside)
            canvas.box(x + 9.6, 37.8, 3.8, 3.4, "A B", "added")
        else:
            canvas.box(x, 37, 14, 5, "six blocks", inside)
        canvas.box(x, 45, 14, 3.4, "mean", "quiet")
        canvas.box(x, 51, 14, 3.4, "dense layer", "added")
        for start, end in (28.4, 30.9), (34.4, 36.9), (42, 44.9), (48.4, 50.9):
            canvas.arrow((middle, start), (middle, end))

    canvas.text(1.5, 15.2, "x", ha="left")
    canvas.cells(1.5, 10.2, 3, 6, "ink", side=1.2)
    canvas.shape(5.1, 8.6, "(B, T, D)", ha="center")
    canvas.line((8.8, 12), (11.8, 12), (11.8, 17.6), (16.8, 17.6), arrow=True)
    canvas.text(20.6, 22.6, "W stays")
    canvas.cells(17, 14, 6, 6, "mask", side=1.2)
    canvas.shape(25.4, 19.4, "(D, N)")
    canvas.line((11.8, 12), (11.8, 6.1), (15.2, 6.1), arrow=True)
    canvas.text(16.6, 11, "A", "added")
    canvas.cells(15.4, 2.5, 6, 2, "added", side=1.2)
    canvas.shape(13.8, 1.4, "(D, r)", ha="center")
    canvas.arrow((17.9, 6.1), (21.9, 6.1))
    canvas.cells(22, 4.3, 3, 2, "ink", side=1.2)
    canvas.shape(23.2, 2.8, "(B, T, r)", ha="center")
    canvas.arrow((24.5, 6.1), (27.9, 6.1))
    canvas.text(31.6, 8.6, "B", "added")
    canvas.cells(28, 4.9, 2, 6, "added", side=1.2)
    canvas.shape(31.6, 2.8, "(r, N)", ha="center")
    canvas.line((24.3, 17.6), (38.6, 17.6), (38.6, 13.2), arrow=True)
    canvas.line((35.3, 6.1), (38.6, 6.1), (38.6, 10.8), arrow=True)
    canvas.node(38.6, 12)
    canvas.arrow((39.8, 12), (43.4, 12))
    canvas.text(47.2, 15.2, "output")
    canvas.cells(43.6, 10.2, 3, 6, "ink", side=1.2)
    canvas.shape(47.2, 8.6, "(B, T, N)", ha="center")
    canvas.describe(f"""
        Above, three ways to train a classifier on a published BERT, read from bottom to
        top: pieces, embeddings, six blocks, the mean over the pieces, and a dense
        layer. What is trained is in colour. Frozen: only the dense layer, {head}
        weights. LoRA: the dense layer and thin matrices A and B inside of the blocks,
        {adapters:,} weights more. All weights: everything,
        {(published + head) / 1e6:.1f} million. Below, the mechanism of LoRA. The input
        x of shape (B, T, D) goes two ways. Above through the large matrix W, (D, N),
        which stays as it is. Below through A, (D, r), where it has only r numbers, and
        through B, (r, N). The sum of both, (B, T, N), is the output.
    """)
    return canvas


def from_prompt_to_label():
    canvas = Canvas(57)
    for x, width, text, note, role in (
        (1.5, 8.5, "Review:", "for all", "quiet"),
        (11.5, 24, "A dull, lifeless mess.", "one review", "ink"),
        (37, 13.5, "Sentiment:", "for all", "quiet"),
    ):
        token = canvas.token(x, 50, text, width, role)
        canvas.text(token.top[0], 54.4, note)
        canvas.arrow((token.bottom[0], 49.9), (token.bottom[0], 46.2), role)
    canvas.box(1.5, 42.6, 49, 3.4, "pieces and their ids")
    canvas.shape(50.5, 40.4, "(B, T)", ha="right")
    canvas.arrow((5.7, 42.5), (5.7, 38.2), "quiet")
    canvas.arrow((31, 42.5), (31, 38.2))
    canvas.box(1.5, 32, 8.5, 6, "cache", "quiet")
    canvas.arrow((10, 35), (11.4, 35), "quiet")
    canvas.box(11.5, 32, 39, 6, "30 blocks, nothing is trained", ground="decoder")
    canvas.arrow((43.7, 31.9), (43.7, 27.5))
    canvas.shape(42.5, 29.6, "last position", ha="right")

    canvas.shape(18.5, 26.1, "logits (B, V)", ha="right")
    canvas.cells(19.5, 24.8, 1, 12, "mask", side=2.6)
    for place, word in (2, "negative"), (8, "positive"):
        x = 19.5 + 2.6 * place
        canvas.cell(x, 24.8, 2.6, 2.6, "added", fill=0.7)
        canvas.arrow((x + 1.3, 24.7), (x + 1.3, 17), "added")
        canvas.text(x + 2.8, 20.8, word, "added", ha="left")
    canvas.box(19.5, 13.4, 31, 3.4, "difference: log-odds")
    canvas.shape(18.5, 15.1, "(B,)", ha="right")
    canvas.arrow((35, 13.3), (35, 10.2))
    canvas.text(1.5, 8.3, "calibration", ha="left")
    canvas.box(19.5, 6.6, 31, 3.4, "minus the one of “N/A”")
    canvas.arrow((35, 6.5), (35, 4.2))
    canvas.text(35, 2.6, "above 0: positive")
    canvas.describe("""
        From a prompt to a label, read from top to bottom. The prompt has three parts: a
        beginning that is the same for all reviews, one review, and an end that is the
        same for all. It is cut into pieces with ids, shape (B, T). A language model of
        30 blocks, of which nothing is trained, reads them; keys and values of the
        beginning are computed once and kept in the cache. Only what it says at the last
        position counts: logits of shape (B, V), one for each piece. Two of them are in
        colour, that of "positive" and that of "negative". Their difference is the
        log-odds of the review. The log-odds of the same prompt with "N/A" in the
        review's place are subtracted. What is above 0 is called positive, the rest
        negative.
    """)
    return canvas

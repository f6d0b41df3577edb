"""Drawings of BERT: hidden tokens, its heads, long texts."""

import numpy as np

from tools.drawings.formulas import softmax
from tools.drawings.primitives import SMALL, Canvas


def masked_tokens():
    canvas = Canvas(51)
    words = ["[CLS]", "the", "plot", "makes", "no", "sense", "[SEP]"]
    changed = {2: "[MASK]", 4: "car", 5: "sense"}  # the chosen positions
    shares = {2: "80 %", 4: "10 %", 5: "10 %"}
    beside = {2: 3.2, 4: -3.2, 5: 3.2}  # where the share stands
    width = 6.3

    canvas.box(1.2, 28.2, 48.9, 4.2, "encoder", ground="encoder")
    canvas.box(15.15, 16.4, 28.1, 4, "head: × table (V, D)", "added")
    for place, word in enumerate(words):
        x = 1.2 + 7.1 * place
        middle = x + width / 2
        canvas.token(x, 46, word, width, size=SMALL)
        if place not in changed:
            canvas.token(x, 36, word, width, size=SMALL)
            canvas.arrow((middle, 36), (middle, 32.6), "quiet")
            canvas.arrow((middle, 28.2), (middle, 25.4), "quiet")
            canvas.cells(middle - 2.4, 23.6, 1, 3, "quiet", fill=0.08)
            continue
        canvas.arrow((middle, 46), (middle, 38.8))
        canvas.small(middle + beside[place], 42.4, shares[place])
        if changed[place] == word:
            canvas.token(x, 36, word, width, size=SMALL)
        else:
            canvas.marked(x, 36, changed[place], width)
        canvas.arrow((middle, 36), (middle, 32.6))
        canvas.arrow((middle, 28.2), (middle, 25.4))
        canvas.cells(middle - 2.4, 23.6, 1, 3, "ink")
        canvas.arrow((middle, 23.6), (middle, 20.6))
        canvas.arrow((middle, 16.4), (middle, 12.4), "added")
        canvas.small(middle, 10.9, "loss")
        canvas.arrow((middle, 7.6), (middle, 9.4), "quiet")
        canvas.token(x, 5, word, width, size=SMALL)
    canvas.shape(1.2, 42.4, "ids (B, T)")
    canvas.shape(44.5, 21.4, "(B, T, D)")
    canvas.shape(1.2, 20.6, "chosen: (B, M, D)")
    canvas.shape(1.2, 14.4, "scores (B, M, V)")
    canvas.small(1.2, 6.3, "labels (B, M)", ha="left")
    canvas.describe(f"""
        How tokens are hidden, read from top to bottom. The text "{" ".join(words)}",
        ids of shape (B, T). Three positions are chosen, to show the three cases:
        "{words[2]}" becomes {changed[2]}, which happens to {shares[2]} of the chosen
        ones; "{words[4]}" becomes a random token, "{changed[4]}", {shares[4]};
        "{words[5]}" stays, {shares[5]}. The encoder reads the changed text and gives a
        vector for every token, (B, T, D). Only the vectors at the three chosen
        positions go on, (B, M, D). The head gives each a score for every piece,
        (B, M, V), and the labels, (B, M), are what stood there before: {words[2]},
        {words[4]}, {words[5]}.
    """)
    return canvas


def bert_pre_training():
    canvas = Canvas(57)
    words = ["[CLS]", "the", "[MASK]", "[SEP]", "it", "drags", "[SEP]"]
    end_of_first = words.index("[SEP]")
    canvas.part(9, 7, 39.8, 3, "token")
    canvas.box(9.6, 19.1, 38.6, 2.8, "sum, layer norm", size=SMALL)
    canvas.stack(9.6, 24.4, 36.6, 6, "N encoder blocks, all to all", "encoder")
    for place, word in enumerate(words):
        x = 9.6 + 5.6 * place
        middle = x + 2.5
        if word == "[MASK]":
            canvas.marked(x, 2.6, word, 5)
        else:
            canvas.token(x, 2.6, word, 5, size=SMALL)
        canvas.arrow((middle, 5.2), (middle, 7.6))
        canvas.cells(middle - 2.1, 7.8, 1, 3, "ink", side=1.4)
        canvas.text(middle, 12.1, f"{place}", "added")
        canvas.text(middle, 15.1, "0" if place <= end_of_first else "1")
        canvas.arrow((middle, 16.9), (middle, 19))
        canvas.arrow((middle, 21.9), (middle, 24.2))
        is_read = word in ("[CLS]", "[MASK]")  # by a head
        role = "ink" if is_read else "quiet"
        canvas.arrow((middle, 32.6), (middle, 36), role)
        fill = 0.5 if is_read else 0.08
        canvas.cells(middle - 2.1, 36.2, 1, 3, "ink", side=1.4, fill=fill)
    canvas.shape(1, 3.9, "ids (B, T)")
    canvas.small(4.6, 8.5, "table\n(V, D)")
    canvas.small(4.6, 12.1, "+ position", "added")
    canvas.small(4.6, 15.1, "+ segment")
    canvas.shape(1, 36.9, "(B, T, D)")

    name = "next-sentence head\ntanh, one number"
    canvas.box(1.6, 42.4, 17, 5.4, name, size=SMALL)
    canvas.arrow((12.1, 37.6), (12.1, 42.2))
    canvas.arrow((10, 47.8), (10, 51))
    canvas.small(10, 52.6, "follows? (B, 1)")
    name = "head for masked tokens\nGELU, norm, × table"
    canvas.box(21, 42.4, 21.6, 5.4, name, "added", size=SMALL)
    canvas.arrow((23.3, 37.6), (23.3, 42.2))
    canvas.arrow((31.8, 47.8), (31.8, 51))
    canvas.small(31.8, 52.6, "plot? film? … (B, M, V)")
    way = (48.8, 8.5), (50.6, 8.5), (50.6, 45.1), (42.8, 45.1)
    canvas.line(*way, role="added", width=2.2, arrow=True)
    canvas.describe(f"""
        BERT with the heads of its two tasks, read from bottom to top. The tokens
        "{" ".join(words)}", of shape (B, T), get three vectors each, which are added:
        that of the token, that of its position, 0 to 6, and that of its segment, 0 for
        the first four, 1 for the last three; a layer norm follows. N encoder blocks
        follow, one above the other, of shape (B, T, D). The vector of [CLS] goes to the
        next-sentence head, which gives one number, (B, 1): does the second segment
        follow? The vector of [MASK] goes to the head for masked tokens, which compares
        it with all V rows of the token table: (B, M, V). The vectors of the tokens
        stand in a frame, the token table (V, D), and a purple line leads from its edge
        to this head, for the table is used twice.
    """)
    return canvas


def bert_heads():
    canvas = Canvas(47)
    words = ["[CLS]", "Old", "Ford", "likes", "Paris", ",", "…", "[SEP]"]
    canvas.box(3, 8.2, 46.3, 5.4, "encoder", ground="encoder")
    for token in canvas.tokens(3, 2.6, words, 5.9, 5):
        middle = token.top[0]
        canvas.arrow(token.top, (middle, 8))
        canvas.arrow((middle, 13.6), (middle, 16.4))
        canvas.cells(middle - 2.1, 16.6, 1, 3, "ink", side=1.4)
    canvas.line((3, 20.4), (49.3, 20.4), role="quiet")
    for middle, title, head, y, answer in (
        (
            8.8,
            "a label",
            "mean over tokens\nDense 1, sigmoid",
            36.5,
            "positive: 0.93\n(B, 1)",
        ),
        (
            26,
            "an answer",
            "Dense 2\nfor each token",
            37.6,
            "begins: Old\nends: Ford\n(B, 2, T)",
        ),
        (
            43.4,
            "a tag each",
            "Dense K\nfor each token",
            37.6,
            "B I O B O …\n(B, T, K)",
        ),
    ):
        canvas.text(middle, 44.4, title, weight="bold")
        canvas.arrow((middle, 20.4), (middle, 24.4))
        canvas.box(middle - 7.6, 24.6, 15.2, 5.2, head, "added", size=SMALL)
        canvas.arrow((middle, 29.8), (middle, 33))
        canvas.small(middle, y, answer)
    canvas.describe("""
        Three heads on one encoder, read from bottom to top. The encoder reads the
        tokens (B, T) and gives a vector for each, (B, T, D). Left, a label for the
        text: the mean over the tokens, (B, D), a dense layer with one number and a
        sigmoid: (B, 1). In the middle, an answer: a dense layer gives each token two
        scores, (B, 2, T), one for where the answer begins and one for where it ends;
        the softmax runs over the T positions. Right, a tag for each token: a dense
        layer with K numbers, (B, T, K); the softmax runs over the K tags. Only the
        heads begin at random.
    """)
    return canvas


def windows_of_a_review():
    canvas = Canvas(50)
    pieces = 300
    window = 128
    inside = window - 2  # pieces beside [CLS] and [SEP]
    full = pieces // inside
    rest = pieces - full * inside
    name = f"a review of {pieces} pieces (B, L)"
    canvas.box(1.4, 44, 49.2, 3.2, name, ground="token", size=SMALL)
    name = "encoder, each window for itself"
    canvas.box(1.4, 27.6, 49.2, 4.4, name, ground="encoder")
    for number, count in enumerate([inside] * full + [rest]):
        left = 1.4 + 16.8 * number
        middle = left + 7.8
        canvas.arrow((middle, 44), (middle, 39.4))
        canvas.token(left, 36.4, "[CLS]", 4, size=SMALL)
        is_full = count == inside
        width = 7.2 if is_full else 3.4
        canvas.box(left + 4.2, 36.4, width, 2.6, f"{count}", ground="token", size=SMALL)
        canvas.token(left + 4.4 + width, 36.4, "[SEP]", 4, size=SMALL)
        if not is_full:
            canvas.token(left + 12, 36.4, "", 3.6)
        canvas.arrow((middle, 36.4), (middle, 32.2))
        canvas.arrow((middle, 27.4), (middle, 24.2))
        real = 8 if is_full else 5
        canvas.cells(left + 1.4, 22.4, 1, real, "ink")
        padding = np.full((1, 8 - real), np.nan)
        canvas.weights(left + 1.4 + 1.6 * real, 22.4, padding, 1.6, 1.6)
        canvas.line((middle, 22.4), (middle, 19.6))
    canvas.shape(28.4, 34.4, "(B, W, T)")
    canvas.shape(28.4, 25.6, "(B · W, T, D)")
    canvas.line((9.2, 19.6), (42.8, 19.6))
    canvas.arrow((26, 19.6), (26, 16.6))
    canvas.box(15, 12.6, 22, 3.8, "mean over all real tokens", "added", size=SMALL)
    canvas.shape(38.4, 11.2, "(B, D)")
    canvas.arrow((26, 12.6), (26, 9.8))
    canvas.box(15, 5.8, 22, 3.8, "Dense 1, sigmoid", "added", size=SMALL)
    canvas.arrow((26, 5.8), (26, 3.6))
    canvas.small(26, 2, "positive? (B, 1)")
    canvas.describe("""
        A review that is longer than the encoder, read from top to bottom. Its pieces,
        (B, L), are cut into three windows, of which the last is filled up with padding.
        Each window gets its own [CLS] and [SEP], so the shape is (B, W, T). The windows
        go through the encoder as rows of one batch, (B · W, T, D). The vectors of all
        real tokens of all windows are averaged, (B, D); padding doesn't count. A dense
        layer with a sigmoid gives the probability that the review is positive, (B, 1).
    """)
    return canvas


def spans_and_tags():
    canvas = Canvas(50)
    question = ["[CLS]", "Who", "lives", "in", "Paris", "?", "[SEP]"]
    note = ["Old", "Ford", "likes", "Paris", ",", "too", "[SEP]"]
    tags = ["B-person", "I-person", "O", "B-town", "O", "O", "none"]
    # Examples: the scores with which the answer begins and ends at each token.
    starts = np.array([4.54, 1.15, 0.8, 1.15, 0.8, 0.8, 0.8])
    ends = np.array([0.9, 4.35, 0.8, 1.5, 0.8, 0.8, 0.8])
    step = 6.2
    left = 8.4
    canvas.small(1, 47.3, "question", ha="left")
    canvas.small(1, 36.9, "note", ha="left")
    canvas.small(1, 29, "begins", "added", ha="left")
    canvas.small(1, 19.6, "ends", "added", ha="left")
    canvas.small(1, 9.6, "tags", ha="left")
    for place, word in enumerate(question):
        x = left + step * place
        if word == "Paris":
            canvas.marked(x, 46, word, 5.6)
        else:
            canvas.token(x, 46, word, 5.6, size=SMALL)
        canvas.crossed(x, 42.6, 5.6, 2.2)
    canvas.tokens(left, 35.6, note, step, 5.6)
    best = []
    for y, scores in (26, starts), (16.6, ends):
        probabilities = softmax(scores)
        best.append(int(np.argmax(probabilities)))
        for place, probability in enumerate(probabilities):
            x = left + step * place + 1.2
            fill = 0.6 if place == best[-1] else 0.15
            canvas.cell(x, y, 3.2, 7 * probability, "added", fill)
            if place == best[-1]:
                height = 7 * probability
                canvas.small(x + 1.6, y + height + 1.3, f"{probability:.2f}")
    for place, tag in enumerate(tags):
        role = "quiet" if tag in ("O", "none") else "ink"
        middle = left + step * place + 2.8
        canvas.small(middle, 9.6, tag.replace("-", "-\n"), role)
    canvas.shape(36, 27.6, "softmax over T")
    canvas.shape(36, 18.2, "(B, 2, T)")
    canvas.shape(36, 4.6, "softmax over K (B, T, K)", ha="center")
    first, last = best
    begin = left + step * first
    end = left + step * last + 5.6
    canvas.line((begin, 4.6), (end, 4.6), role="added", width=2.4)
    canvas.small((begin + end) / 2, 2.6, "the answer", "added")
    canvas.describe(f"""
        A question and a note as the two segments, read from top to bottom:
        "{" ".join(question)}" and "{" ".join(note)}", of shape (B, T). Below, for the
        tokens of the note, two rows of bars. The first row is the probability that the
        answer begins at this token, largest at "{note[first]}"; the second that it ends
        there, largest at "{note[last]}": the answer is
        "{" ".join(note[first : last + 1])}". The tokens of the question are crossed,
        for no answer is there; the softmax runs over the positions, (B, 2, T). Below
        that the tag of each token of the note: {", ".join(tags)}; here the softmax runs
        over the K tags of a token, (B, T, K).
    """)
    return canvas

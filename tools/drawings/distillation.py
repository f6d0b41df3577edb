"""Drawings of distillation: the student, and its losses."""

from tools.drawings.primitives import HATCHES, PADDING, SMALL, Canvas


def neighbours_student():
    canvas = Canvas(62)
    words = ["not", "a", "good", "film", ""]
    width = 32  # of a word's vector
    hidden = 64
    here = words.index("good")
    roles = {here - 1: "ink", here: "added", here + 1: "ink"}
    hatches = {here - 1: HATCHES["head 2"], here: None, here + 1: HATCHES["head 3"]}

    canvas.shape(1, 3.9, "(B, T)")
    canvas.shape(1, 14.6, f"(B, T, {width})")
    for place, token in enumerate(canvas.tokens(10, 2.6, words, 7, 6.2)):
        middle = token.top[0]
        canvas.arrow(token.top, (middle, 12.8))
        role = roles.get(place, "quiet")
        hatch = hatches.get(place)
        if words[place] == "":
            role = "mask"
            hatch = PADDING
        canvas.cells(middle - 0.8, 13, 2, 1, role, hatch=hatch)
        if place in roles:  # they stand together above the word
            row = here - place  # −1 is the lowest
            above = 27.1 + 1.1 * (place - here)
            canvas.arrow((middle, 16.4), (above, 22.8))
            y = 26.2 + 3.2 * row
            canvas.cells(26.3, y, 2, 1, role, hatch=hatch)
    canvas.small(12, 27.8, "Neighbours", ha="left")
    canvas.shape(1, 27.8, f"(B, T, {3 * width})")
    note = "the word before,\nthe word itself,\nthe word after"
    canvas.small(30, 27.8, note, ha="left")
    canvas.arrow((27.1, 32.6), (27.1, 35.6))
    canvas.box(19.3, 35.8, 15.6, 3.4, "dense, ReLU")
    canvas.shape(1, 37.5, f"(B, T, {hidden})")
    canvas.arrow((22.8, 39.2), (19.8, 42.8))
    canvas.arrow((31.4, 39.2), (34.4, 42.8))
    canvas.box(12.3, 43, 13, 3.4, "mean")
    canvas.box(28.9, 43, 13, 3.4, "maximum")
    canvas.shape(1, 49, f"(B, {2 * hidden})")
    canvas.arrow((18.8, 46.4), (24.4, 50.6))
    canvas.arrow((35.4, 46.4), (29.8, 50.6))
    dense = canvas.box(21.9, 50.8, 10.4, 3.4, "dense")
    canvas.arrow(dense.top, (27.1, 57.2))
    canvas.text(27.1, 58.8, "logit z")
    canvas.shape(1, 58.8, "(B, 1)")
    canvas.describe(f"""
        The student, read from bottom to top, with the words "not a good film" and one
        place of padding, (B, T). Each word has a vector, (B, T, {width}). The vectors
        of the word before, of the word and of the word after stand together,
        (B, T, {3 * width}); drawn for "good". A dense layer with ReLU makes
        (B, T, {hidden}); then mean and maximum over all words, side by side,
        (B, {2 * hidden}), and a dense layer makes the logit z, (B, 1).
    """)
    return canvas


def distillation():
    canvas = Canvas(72)
    teacher_width = 192
    student_width = 128
    words = canvas.tokens(14.6, 2.6, ["a", "dull", "film", ""], 5.8, 5.2)
    canvas.shape(14.6, 7.1, "(B, T)")
    canvas.shape(44, 7.1, "(B, T)")

    canvas.part(1, 9.4, 19, 31.6, "encoder")
    canvas.small(11.4, 39.4, "teacher: fixed", ha="left")
    canvas.line((14.4, 3.9), (5.2, 3.9), (5.2, 11.8), arrow=True)
    canvas.line((12, 3.9), (12, 11.8), arrow=True)
    counts = canvas.box(2, 12, 6.6, 5, "counts", size=SMALL)
    canvas.box(9.6, 12, 9.4, 5, "BERT")
    canvas.arrow((14.3, 17), (14.3, 20.4))
    bert_vector = canvas.cells(9.5, 20.6, 1, 8, "value", side=1.2)
    canvas.shape(14.9, 23.7, f"(B, {teacher_width})")
    canvas.arrow((14.3, 21.8), (14.3, 25.8))
    dense = canvas.box(10.1, 26, 8.4, 3.2, "dense")
    canvas.arrow((5.2, counts.top[1]), (5.2, 33.6))
    canvas.arrow(dense.top, (14.3, 33.6))
    joined = canvas.box(3, 33.8, 15, 3.6, "joined")
    canvas.arrow(joined.top, (10.5, 44.4))
    canvas.text(10.5, 46, "t", weight="bold")
    canvas.shape(2, 46, "(B, 1)")

    canvas.part(32, 9.4, 19, 31.6, "token")
    canvas.small(33, 39.4, "student", "added", ha="left")
    canvas.line(words[-1].right, (41.5, 3.9), (41.5, 11.8), arrow=True)
    neighbours = canvas.box(33.4, 12, 16.2, 5, "neighbours", "added")
    canvas.arrow(neighbours.top, (41.5, 20.4), "added")
    vector = canvas.cells(36.7, 20.4, 1, 6, "added")
    canvas.shape(43, 23.7, f"(B, {student_width})")
    canvas.arrow(vector.top, (41.5, 25.8), "added")
    dense = canvas.box(37.3, 26, 8.4, 3.2, "dense", "added")
    canvas.arrow(dense.top, (41.5, 44.4), "added")
    canvas.text(41.5, 46, "z", "added", weight="bold")

    # The hint: dashed, for it belongs to one variant only.
    canvas.small(26.4, 17.6, "hint", "value")
    canvas.line(vector.left, (30.6, 21.2), role="added", dashed=True, arrow=True)
    hint = canvas.box(22.4, 19.6, 8, 3.2, "dense", "added")
    canvas.line(hint.top, (26.4, 27.8), role="added", dashed=True, arrow=True)
    canvas.shape(26.8, 25.3, f"(B, {teacher_width})")
    way = bert_vector.right, (21.2, 21.2), (21.2, 29.8), (22.2, 29.8)
    canvas.line(*way, role="value", dashed=True, arrow=True)
    error = canvas.box(22.4, 28, 8, 3.6, "MSE")
    canvas.line(error.top, (26.4, 63.3), role="value", dashed=True, arrow=True)
    canvas.text(27.2, 55.4, "weight", "value", ha="left")

    way = (40, 46), (16.5, 46), (16.5, 52.6)
    canvas.line(*way, role="added", arrow=True)
    canvas.arrow((10.5, 47.6), (10.5, 52.6))
    soft = "T² ·\nCE(σ(t / T), σ(z / T))"
    canvas.box(2, 52.8, 19, 5.4, soft, size=SMALL)
    canvas.arrow((41.5, 47.6), (41.5, 52.6), "added")
    label = canvas.marked(43.8, 44.7, "label y", 7.2)
    canvas.arrow((47.7, label.top[1]), (47.7, 52.6))
    canvas.box(36, 52.8, 15, 5.4, "CE(y, σ(z))", size=SMALL)
    canvas.line((11.5, 58.2), (11.5, 64.6), (25.2, 64.6), arrow=True)
    canvas.text(10.6, 61.4, "α", ha="right")
    canvas.line((43.5, 58.2), (43.5, 64.6), (27.6, 64.6), arrow=True)
    canvas.text(44.4, 61.4, "1 − α", ha="left")
    total = canvas.node(26.4, 64.6)
    canvas.arrow(total.top, (26.4, 68.2))
    canvas.text(26.4, 69.9, "loss")
    canvas.describe(f"""
        A teacher and a student read the same reviews; both are read from bottom to top.
        The teacher, on the left, has two halves: counted words and pairs, and BERT,
        which reads pieces of words, (B, T), and makes a vector of {teacher_width}
        numbers, (B, {teacher_width}), and a logit with a dense layer. A box joins the
        logits of both halves to the logit t, (B, 1), which is kept; the teacher isn't
        trained. The student, on the right, reads words and makes a vector of
        {student_width} numbers, (B, {student_width}), and its logit z. Three losses are
        added: alpha times the squared temperature T times the cross-entropy of both
        softened answers; 1 minus alpha times the cross-entropy of the label y and z;
        and, dashed, in one variant only, the hint: a dense layer makes {teacher_width}
        numbers of the student's vector, and their mean squared error against BERT's
        vector counts times a weight.
    """)
    return canvas

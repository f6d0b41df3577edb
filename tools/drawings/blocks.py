"""Drawings of the blocks of a Transformer."""

import numpy as np

from tools.drawings.primitives import SMALL, Canvas

FEED_FORWARD = "feed-forward\nD → 4D → D"


def _sub_layer(canvas, path, low, name, norm_first=False, role="ink"):
    """Draw what hangs beside the residual path at x = `path`, from y = `low` upwards.

    The vector leaves the path, goes through the part, and is added to the path; the
    norm stands before the part, or on the path after the sum.

    Args:
        role: of the arrow into the part.
    Returns:
        (box, top): the part's box, and where the path goes on.
    """
    left = path + 5.2
    width = 13.6
    middle = left + width / 2
    height = 2 + 1.6 * len(name.split("\n"))
    floor = low + 3
    canvas.line((path, low), (middle, low), (middle, floor), role=role, arrow=True)
    if norm_first:
        norm = canvas.box(left, floor, width, 2.8, "layer norm", size=SMALL)
        floor += 5.2
        canvas.arrow(norm.top, (middle, floor), role)
    box = canvas.box(left, floor, width, height, name, size=SMALL)
    level = floor + height + 2.4
    plus = canvas.node(path, level)
    canvas.line(box.top, (middle, level), plus.right, role="added", arrow=True)
    if norm_first:
        return box, level + 3
    canvas.box(path - 4.2, level + 2.4, 8.4, 2.8, "layer norm", size=SMALL)
    return box, level + 7.8


def _legend(canvas):
    """Explain the thick grey path and the purple arrows."""
    canvas.residual((5, 1.4), (5, 4.2), head=False)
    canvas.small(6.4, 2.8, "residual path: x itself", ha="left")
    canvas.arrow((27, 2.8), (23.5, 2.8), "added")
    canvas.small(28, 2.8, "what a part adds", "added", ha="left")


def encoder_block():
    canvas = Canvas(63)
    parts = ["self-attention\nmixes the tokens", f"{FEED_FORWARD}\neach token alone"]
    for left, path, name in (1, 6.2, "post-norm"), (27, 30, "pre-norm"):
        canvas.part(left, 9, 24.6, 43, "encoder")
        canvas.text(left + 12.3, 60.4, name, weight="bold")
        low = 11.6
        for part in parts:
            norm_first = name == "pre-norm"
            _, low = _sub_layer(canvas, path, low, part, norm_first)
        canvas.residual((path, 8), (path, 52.6))
        canvas.shape(path, 56.2, "(B, T, D)", ha="center")
        canvas.small(path, 6.6, "x (B, T, D)")
    _legend(canvas)
    canvas.describe("""
        The encoder block in two forms, read from bottom to top. A thick grey line, the
        residual path, carries x of shape (B, T, D) straight through the block. Two
        parts hang beside it: first self-attention, where each token looks at all
        tokens, then the feed-forward network, which works on each token by itself and
        goes from D to 4D and back to D numbers. What a part gives is added to the path.
        In the post-norm form a layer norm stands on the path after each sum. In the
        pre-norm form the norms stand before the parts, and nothing stands on the path.
    """)
    return canvas


def encoder_stack():
    canvas = Canvas(56)
    words = ["a", "fine", "film", ""]
    tokens = canvas.tokens(11, 3, words, 8, 7, size=10)
    canvas.shape(1, 4.3, "(B, T)")
    embedding = canvas.box(11, 9, 31, 3.4, "token embedding + positions")
    canvas.shape(1, 10.7, "(B, T, D)")
    canvas.arrow(embedding.top, (26.5, 15.6))
    canvas.stack(11, 15.7, 29, 5, "N encoder blocks", "encoder")
    canvas.shape(1, 18.2, "(B, T, D)")
    canvas.shape(1, 27, "(B, T, D)")
    for token, word in zip(tokens, words, strict=True):
        middle = token.top[0]
        canvas.arrow(token.top, (middle, 8.9))
        canvas.arrow((middle, 22.8), (middle, 26.2))
        if word:
            canvas.cells(middle - 3, 26.3, 1, 4, "ink", side=1.5)
            canvas.arrow((middle, 27.9), (middle, 31.3))
        else:
            canvas.weights(middle - 3, 26.3, np.full((1, 4), np.nan), 1.5, 1.5)
    name = "masked pooling:\nmean and maximum of real tokens"
    pooling = canvas.box(11, 31.4, 31, 5, name)
    canvas.arrow(pooling.top, (26.5, 39.5))
    canvas.cells(20.5, 39.6, 1, 8, "ink", side=1.5)
    canvas.shape(1, 40.4, "(B, 2D)")
    canvas.arrow((26.5, 41.2), (26.5, 44.4))
    dense = canvas.box(18, 44.4, 17, 3.4, "dense, sigmoid")
    canvas.arrow(dense.top, (26.5, 51.2))
    canvas.text(26.5, 52.8, "probability of “positive”")
    canvas.shape(1, 52.8, "(B, 1)")
    for height in 19.2, 33.9:  # the mask goes to the blocks and to the pooling
        way = tokens[-1].right, (46, 4.3), (46, height), (42.2, height)
        canvas.line(*way, role="quiet", dashed=True, arrow=True)
    canvas.shape(46.8, 25, "mask\n(B, T)")
    canvas.describe("""
        A classifier of film reviews, read from bottom to top. The tokens "a fine film"
        and one of padding, of shape (B, T), get token embeddings and positions, shape
        (B, T, D). N encoder blocks follow, one above the other, and keep this shape.
        Then masked pooling takes the mean and the maximum over the real tokens only and
        gives one vector for each review, shape (B, 2D). A dense layer with a sigmoid
        turns it into the probability that the review is positive. A dashed line shows
        that the mask goes from the tokens to the blocks and to the pooling, so that
        padding has no influence; the vector of the padding is crossed.
    """)
    return canvas


def reviews_classifier():
    canvas = Canvas(60, 68)
    words = ["what", "seems", "messy", "…", "clever"]
    tokens = canvas.tokens(1, 2, words, 6.2, 5.6)
    embedding = canvas.box(
        1, 9, 30.4, 4.4, "embedding + position\n(lesson 06)", size=SMALL
    )
    for token in tokens:
        canvas.arrow(token.top, (token.top[0], 8.9))
    canvas.arrow(embedding.top, (16.2, 17.4))
    canvas.stack(1, 17.5, 26.4, 11.6, "4 encoder blocks", "encoder")
    canvas.arrow((16.2, 31.2), (16.2, 39.4))
    canvas.shape(17.4, 36.6, "(B, T, D)")
    mean = canvas.box(4, 39.5, 24.4, 3.4, "mean over the words", size=SMALL)
    canvas.arrow(mean.top, (16.2, 46.9))
    canvas.shape(17.4, 45, "(B, D)")
    dense = canvas.box(8, 47, 16.4, 3.4, "dense, sigmoid", size=SMALL)
    canvas.arrow(dense.top, (16.2, 55))
    canvas.text(16.2, 57, "probability of “positive”")

    canvas.part(37, 8, 30, 47, "encoder")
    canvas.line((29.6, 23.3), (36.8, 23.3), role="quiet", dashed=True)
    canvas.text(52, 58, "what is in a block", weight="bold")
    path = 42
    low = 10.4
    steps = (("self-attention\nin heads", 1), ("feed-forward\nnetwork", 4))
    for name, step in steps:
        box, above = _sub_layer(canvas, path, low, name, norm_first=True)
        canvas.marked(box.x + box.width + 0.9, box.centre[1] - 1.3, str(step), 2.6)
        canvas.marked(box.x + box.width + 0.9, low + 3.1, "3", 2.6)
        canvas.marked(path - 4.1, above - 4.3, "2", 2.6)
        low = above
    canvas.residual((path, 6.4), (path, 51.4))
    canvas.small(path, 5, "x (B, T, D)")
    canvas.residual((38, 1), (38, 3.4), head=False)
    canvas.small(39.4, 2.2, "x itself", ha="left")
    canvas.arrow((54, 2.2), (50.5, 2.2), "added")
    canvas.small(55, 2.2, "what a part adds", "added", ha="left")
    canvas.describe("""
        The classifier of this lesson, from bottom to top. The words of a review, "what
        seems messy … clever", get an embedding and a position, which lesson 06
        explains. Four encoder blocks follow, of shape (B, T, D), then the mean over the
        words, shape (B, D), and a dense layer with a sigmoid: the probability of
        "positive". Beside it stands what is in a block, with the numbers of the
        lesson's steps. A thick grey line carries x itself straight up. Two parts hang
        beside it: self-attention in heads (step 1) and the feed-forward network (step
        4). Each reads x through a layer norm (step 3), and what it gives is added to
        the line (step 2, the residual connection).
    """)
    return canvas


def decoder_block():
    canvas = Canvas(74)
    path = 7
    canvas.part(1, 9, 28.6, 58.8, "decoder")
    canvas.small(path, 6.6, "x (B, T, D)")
    name = "causal\nself-attention"
    box, low = _sub_layer(canvas, path, 11.6, name, norm_first=True)
    causal = np.where(np.tri(4), 0.35, np.nan)
    canvas.weights(31.6, box.centre[1] - 3.6, causal, 1.8, 1.8)
    canvas.shape(39.8, box.centre[1], "looks at itself\nand at earlier\npositions")

    canvas.small(20, low + 1.5, "queries", "query", ha="left")
    name = "cross-attention\nto the source"
    box, low = _sub_layer(canvas, path, low, name, norm_first=True, role="query")
    source = canvas.part(40, box.y - 4, 11, box.height + 8, "encoder")
    canvas.small(*source.centre, "output\nof the\nencoder")
    canvas.shape(source.centre[0], source.y - 1.6, "(B, S, D)", ha="center")
    y = box.centre[1]
    canvas.arrow((40, y + 1), (25.8, y + 1), "key")
    canvas.small(34.8, y + 2.2, "keys", "key")
    canvas.arrow((40, y - 1), (25.8, y - 1), "value")
    canvas.small(34.8, y - 2.2, "values", "value")

    box, low = _sub_layer(canvas, path, low, FEED_FORWARD, norm_first=True)
    canvas.shape(31.6, box.centre[1], "each token by itself")
    canvas.residual((path, 8), (path, 68.4))
    canvas.shape(path, 72, "(B, T, D)", ha="center")
    _legend(canvas)
    canvas.describe("""
        The decoder block, read from bottom to top. The residual path, a thick grey
        line, carries the target x of shape (B, T, D). Three parts hang beside it, and
        what each gives is added to the path; a layer norm stands before each part, and
        nothing stands on the path. First causal self-attention: each position looks at
        itself and at earlier ones, so in its little map all later cells are crossed.
        Second cross-attention: the queries come from the path, the keys and values from
        the encoder's output of shape (B, S, D); so each target word looks at the source
        words. Third the feed-forward network, from D to 4D and back to D numbers, for
        each token by itself.
    """)
    return canvas


def modern_block():
    canvas = Canvas(66)
    canvas.part(1, 9, 24, 46, "decoder")
    canvas.text(13, 63.6, "2017", weight="bold")
    canvas.shape(13, 60, "3 blocks, then logits (B, T, V)", ha="center")
    canvas.small(13, 6.2, "words + waves (B, T, D)")
    path = 6.2
    middle = 18
    feed_forward = "ReLU network\nD → 4D → D"
    for low, name in (11.6, "self-attention\nin H heads"), (32, feed_forward):
        way = (path, low), (middle, low), (middle, low + 3)
        canvas.line(*way, arrow=True)
        box = canvas.box(11.4, low + 3, 13, 5.2, name, size=SMALL)
        plus = canvas.node(path, low + 10.6)
        canvas.line(box.top, (middle, low + 10.6), plus.right, arrow=True)
        canvas.box(2, low + 13, 8.4, 2.8, "layer norm", size=SMALL)
    canvas.residual((path, 8), (path, 56))
    canvas.small(middle, 51.8, "with biases")

    canvas.part(27, 9, 24, 46, "decoder")
    canvas.text(39, 63.6, "today", weight="bold")
    canvas.shape(39, 60, "3 blocks, RMSNorm, logits (B, T, V)", ha="center")
    canvas.small(39, 6.2, "words alone (B, T, D)", "added")
    path = 31
    middle = 43
    attention = "attention: rotary,\nfewer key heads,\nQK-norm"
    feed_forward = "SwiGLU\nD → 2 × F → D"
    for low, height, name in (11.6, 8.4, attention), (33.2, 5.2, feed_forward):
        way = (path, low), (middle, low), (middle, low + 2.4)
        canvas.line(*way, arrow=True)
        norm = canvas.box(36, low + 2.4, 14, 2.8, "RMSNorm", "added", size=SMALL)
        canvas.arrow(norm.top, (middle, low + 7.4))
        box = canvas.box(36, low + 7.4, 14, height, name, "added", size=SMALL)
        level = low + height + 9.8
        plus = canvas.node(path, level)
        canvas.line(box.top, (middle, level), plus.right, arrow=True)
    canvas.residual((path, 8), (path, 56))
    canvas.small(middle, 51.8, "no biases", "added")
    canvas.small(26, 2.2, "in colour: what has changed", "added")
    canvas.describe("""
        The block of 2017 beside today's, from bottom to top. A thick grey line, the
        residual path, carries x of shape (B, T, D) through both; two parts hang beside
        it. 2017: words and waves go in; self-attention, then a feed-forward network
        with a ReLU, D to 4D to D; a layer norm stands on the path after each sum;
        biases everywhere. Today, with what has changed in colour: the words alone go
        in; an RMSNorm stands before each part, and nothing on the path; attention has
        rotary positions, fewer key heads and QK-norm; the feed-forward network is a
        SwiGLU, D to two times F to D; there are no biases. Three blocks follow each
        other, and then logits (B, T, V); today an RMSNorm stands between.
    """)
    return canvas


def gated_feed_forward():
    canvas = Canvas(47)
    x = 11
    canvas.text(x, 44.6, "with a ReLU", weight="bold")
    canvas.small(x, 4.6, "x")
    canvas.shape(x + 2, 4.6, "(B, T, D)")
    for start, low, name in (6.4, 10, "up"), (13.4, 20, "ReLU"), (23.4, 33, "down"):
        canvas.arrow((x, start), (x, low))
        canvas.box(x - 6, low, 12, 3.4, name, size=SMALL)
    canvas.shape(x + 1.2, 16.8, "4D")
    canvas.shape(x + 1.2, 28, "4D")
    canvas.arrow((x, 36.4), (x, 40))
    canvas.shape(x + 1.2, 38.4, "D")

    x = 37.5
    canvas.text(x, 44.6, "with a gate", weight="bold")
    canvas.small(x, 4.6, "x")
    canvas.shape(x + 2, 4.6, "(B, T, D)")
    canvas.line((x, 6.4), (x, 7.8), (x - 7.5, 7.8), (x - 7.5, 10), arrow=True)
    canvas.line((x, 7.8), (x + 7.5, 7.8), (x + 7.5, 10), arrow=True)
    gate = canvas.box(24, 10, 12, 3.4, "gate", "added", size=SMALL)
    up = canvas.box(39, 10, 12, 3.4, "up", size=SMALL)
    canvas.shape(31.2, 16.8, "F")
    canvas.shape(46.2, 16.8, "F")
    silu = canvas.box(24, 20, 12, 3.4, "silu", "added", size=SMALL)
    canvas.arrow(gate.top, silu.bottom, "added")
    canvas.line(silu.top, (30, 28), (36.3, 28), role="added", arrow=True)
    canvas.line(up.top, (45, 28), (38.7, 28), arrow=True)
    canvas.node(x, 28, "×")
    canvas.arrow((x, 29.2), (x, 33))
    canvas.shape(38.7, 31.1, "F")
    down = canvas.box(31.5, 33, 12, 3.4, "down", size=SMALL)
    canvas.arrow(down.top, (x, 40))
    canvas.shape(38.7, 38.4, "D")
    canvas.describe("""
        Two feed-forward networks, from bottom to top. With a ReLU: x of D numbers goes
        through the matrix up to 4D numbers, the ReLU sets negative ones to 0, and the
        matrix down leads back to D. With a gate: x goes through two matrices, gate and
        up, to F numbers each; the gate goes through a silu; both are multiplied, number
        by number, and the matrix down leads back to D. F is chosen so that both
        networks have as many weights.
    """)
    return canvas

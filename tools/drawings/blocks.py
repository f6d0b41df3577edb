"""Drawings of the blocks: the residual path, and the parts that hang beside it."""

import numpy as np

from tools.drawings.primitives import SMALL

FEED_FORWARD = "feed-forward\nD → 4D → D"


def sub_layer(canvas, path, low, name, width=13.6, norm_first=False, role="ink"):
    """Draw what hangs beside the residual path at x = `path`, from y = `low` upwards.

    The vector leaves the path, goes through the part, and is added to the path; the
    norm stands before the part, or on the path after the sum.

    Args:
        role: of the arrow into the part.
    Returns:
        (box, top): the part's box, and where the path goes on.
    """
    left, height = path + 5.2, 2 + 1.6 * len(name.split("\n"))
    middle, floor = left + width / 2, low + 3
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


def legend(canvas, x, y):
    """Explain the thick grey path and the coloured arrows."""
    canvas.residual((x, y - 1.4), (x, y + 1.4), head=False)
    canvas.text(x + 1.4, y, "residual path: x itself", size=SMALL, ha="left")
    canvas.arrow((x + 22, y), (x + 18.5, y), "added")
    canvas.text(x + 23, y, "what a part adds", "added", SMALL, ha="left")


def encoder_block(canvas):
    """The encoder block in two forms, read from bottom to top. A thick grey line, the
    residual path, carries x of shape (B, T, D) straight through the block. Two parts
    hang beside it: first self-attention, where each token looks at all tokens, then
    the feed-forward network, which works on each token by itself and goes from D to 4D
    and back to D numbers. What a part gives is added to the path. In the post-norm form
    a layer norm stands on the path after each sum. In the pre-norm form the norms stand
    before the parts, and nothing stands on the path."""
    parts = "self-attention\nmixes the tokens", f"{FEED_FORWARD}\neach token alone"
    forms = (1, 6.2, "post-norm", False), (27, 30, "pre-norm", True)
    for left, path, name, norm_first in forms:
        canvas.part(left, 9, 24.6, 43, "encoder")
        low = 11.6
        for part in parts:
            _, low = sub_layer(canvas, path, low, part, norm_first=norm_first)
        canvas.residual((path, 8), (path, 52.6))
        canvas.text(left + 12.3, 60.4, name, weight="bold")
        canvas.shape(path, 56.2, "(B, T, D)", ha="center")
        canvas.text(path, 6.6, "x (B, T, D)", size=SMALL)
    legend(canvas, 5, 2.8)


def decoder_block(canvas):
    """The decoder block, read from bottom to top. The residual path, a thick grey line,
    carries the target x of shape (B, T, D). Three parts hang beside it, and what each
    gives is added to the path; a layer norm stands before each part, and nothing stands
    on the path. First causal self-attention: each position looks at itself and at
    earlier ones, so in its little map all later cells are crossed. Second
    cross-attention: the queries come from the path, the keys and values from the
    encoder's output of shape (B, S, D); so each target word looks at the source words.
    Third the feed-forward network, from D to 4D and back to D numbers, for each token
    by itself."""
    path, low, form = 7, 11.6, {"norm_first": True}
    box, low = sub_layer(canvas, path, low, "causal\nself-attention", **form)
    weights = np.where(np.tri(4), 0.35, np.nan)
    canvas.weights(31.6, box.centre[1] - 3.6, weights, 1.8, 1.8)
    canvas.shape(39.8, box.centre[1], "looks at itself\nand at earlier\npositions")
    start = low
    name = "cross-attention\nto the source"
    box, low = sub_layer(canvas, path, low, name, role="query", **form)
    canvas.text(box.centre[0] + 1, start + 1.5, "queries", "query", SMALL, ha="left")
    source = canvas.part(40, box.y - 4, 11, box.height + 8, "encoder")
    canvas.text(*source.centre, "output\nof the\nencoder", size=SMALL)
    canvas.shape(source.centre[0], source.y - 1.6, "(B, S, D)", ha="center")
    for shift, role, up in (1, "key", 1.2), (-1, "value", -1.2):
        y = box.centre[1] + shift
        canvas.arrow((40, y), (box.x + box.width, y), role)
        canvas.text(34.8, y + up, f"{role}s", role, SMALL)
    box, low = sub_layer(canvas, path, low, FEED_FORWARD, **form)
    canvas.shape(31.6, box.centre[1], "each token by itself")
    canvas.residual((path, 8), (path, 68.4))
    legend(canvas, 5, 2.8)


def encoder_stack(canvas):
    """A classifier of film reviews, read from bottom to top. The tokens "a fine film"
    and one of padding, of shape (B, T), get token embeddings and positions, shape
    (B, T, D). N encoder blocks follow, one above the other, and keep this shape. Then
    masked pooling takes the mean and the maximum over the real tokens only and gives
    one vector for each review, shape (B, 2D). A dense layer with a sigmoid turns it
    into the probability that the review is positive. A dashed line shows that the mask
    goes from the tokens to the blocks and to the pooling, so that padding has no
    influence; the vector of the padding is crossed."""

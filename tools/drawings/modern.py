"""Drawings of the modern block; their parts stand in drawings.toml."""


def modern_block(canvas):
    """The block of 2017 beside today's, from bottom to top. A thick grey line, the
    residual path, carries x of shape (B, T, D) through both; two parts hang beside it.
    2017: words and waves go in; self-attention, then a feed-forward network with a
    ReLU, D to 4D to D; a layer norm stands on the path after each sum; biases
    everywhere. Today, with what has changed in colour: the words alone go in; an
    RMSNorm stands before each part, and nothing on the path; attention has rotary
    positions, fewer key heads and QK-norm; the feed-forward network is a SwiGLU, D to
    two times 8/3 D to D; there are no biases. Three blocks follow each other, and then
    logits (B, T, V); today an RMSNorm stands between."""


def gated_feed_forward(canvas):
    """Two feed-forward networks, from bottom to top. With a ReLU: x of D numbers goes
    through the matrix up to 4D numbers, the ReLU sets negative ones to 0, and the
    matrix down leads back to D. With a gate: x goes through two matrices, gate and up,
    to 8/3 D numbers each; the gate goes through a silu; both are multiplied, number by
    number, and the matrix down leads back to D. Both have 8 D times D weights."""


def grouped_queries(canvas):
    """Four query heads, q1 to q4, and the key and value heads that they read, in three
    forms. All heads: each query head has a key and a value head of its own, and the
    cache keeps 8 d numbers for a token. Grouped: q1 and q2 share the first of two, q3
    and q4 the second, and the cache keeps 4 d. Multi-query: all four share one, and the
    cache keeps 2 d."""


def state_or_mask(canvas):
    """The same computation twice, for tokens 1 to 4. Left, with a state: a matrix of
    shape (d, d) goes from token to token; at each it fades by the decay, the key and
    value are added, and the query reads it; it never grows. Right, with a mask: the
    product of all queries and keys, shape (T, T), times a mask that is paler the longer
    ago the key was, with later keys crossed, and then times the values."""

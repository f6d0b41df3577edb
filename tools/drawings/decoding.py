"""Drawings of decoding: the cache, and a step of beam search."""


def cache(canvas):
    """The third step of a decoder's self-attention, read from bottom to top. The tokens
    "[start]" and "la" were read in the steps before; their keys k and values v stand in
    the cache. Only the newest token, "casa", of shape (R, 1, D), is multiplied by the
    three matrices. That gives a query, a key and a value; key and value join the cache,
    which then holds three of each, (R, H, 3, d). The query is multiplied with all three
    keys; softmax gives three weights, and the values times their weights, added up, are
    the new vector of "casa". No other query, key, value or row of weights is made."""


def beam_step(canvas):
    """A step of beam search with K = 2 and a vocabulary of four words, read from top to
    bottom. Two beginnings have the log-probabilities −1.6, "el", and −0.7, "la". A
    table of two rows and four columns, (B, K · V), holds the sums after each next word.
    The best two of all eight cells are dark, both in the row of "la": "la casa" −1.0
    and "la mesa" −2.1. They are the new beginnings, and both take over the cache of
    "la"; that of "el" is dropped. The third best cell, "el libro" −2.3, is kept as a
    number only: the best that was dropped."""

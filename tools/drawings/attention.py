"""Drawings of attention itself: mixing, queries with keys and values, heads."""

import numpy as np


def softmax(scores):
    """Return weights from 0 to 1 whose sum over the last axis is 1."""
    exponentials = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def three_words(canvas):
    """The word "bank" looks at the three words "deep", "river" and "bank". Each of them
    has two numbers, for water and for money: (1, 0), (2, 0) and (1, 1). They are its
    query q, its key k and its value v. The query of "bank" times each key, divided by
    the root of 2, gives the scores 0.71, 1.41 and 1.41. Softmax turns them into weights
    with the sum 1: 0.20, 0.40 and 0.40. Each value is multiplied by the weight of its
    word. The sum of the products, 1.4 for water and 0.4 for money, is the new vector of
    "bank"."""


def query_key_value(canvas):
    """Each token's vector x is multiplied by three trained matrices and gives a query,
    a key and a value: the matrix X of shape (T, D) becomes Q, K and V of shape (T, d).
    All queries times all keys, divided by the root of d, are scores of shape (T, T).
    Softmax makes each row sum to 1. These weights times the values are the outputs,
    one vector for each token, of shape (T, d)."""


def heads(canvas):
    """Attention with several heads, here four. Each token's query, key and value have D
    numbers, here twelve. They are cut into H parts of D/H numbers. Each head does
    attention with its own part only, so it has its own map of weights of shape (T, T).
    The results of the heads are joined, side by side, to D numbers again, and
    multiplied by one more trained matrix, W_O. The shapes are (B, T, D), then
    (B, H, T, D/H), and (B, T, D) at the end."""


def recall(canvas):
    """Six facts are read one after the other. Each is a label, its key, and a content,
    its value: A 3, B 7, C 1, D 5, E 2, F 8. With the last one comes a question: what
    was in B? Above, self-attention: the question is a query, it meets the key B in one
    step, however far away it stands, and brings back the value 7. Below, a recurrent
    network: each fact goes into the state, one vector of D numbers, and each step
    writes over a part of it. Of the fact B, drawn in green, less is left at each of the
    four steps until the question. Shapes: the facts (B, T, D), the state (B, D)."""


def in_blocks(canvas):
    """Attention in blocks. The table of all scores, T rows for queries and T columns
    for keys, is never stored. It is cut into four by four blocks. Only one block is
    computed at a time: here that of the second block of queries and the third block of
    keys and values. Blocks to its left are done, and their numbers are thrown away;
    those to its right are still to come. Of the blocks that are done three things are
    kept for each query: the largest score m, the sum of the powers l, and the mix of
    values o, of shape (T, d). When a block has a larger score, l and o are first
    multiplied by e to the old m minus the new m."""


def head_removed(canvas):
    """Taking one head out of four. The results of the heads stand side by side, two
    columns from each, shape (T, D). They are multiplied by the output matrix W_O of
    shape (D, D), in which two rows belong to each head. The rows of head 2 are crossed:
    they are 0. So the output, (T, D), is a sum of four parts, one from each head, and
    the part of head 2 is 0. The three others are as before, and head 2 itself computes
    as before: nobody hears it."""

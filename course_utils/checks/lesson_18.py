"""Checks of the exercises of lesson 18."""

import numpy as np

from course_utils.checks.compare import Case, compare


def cross_attention_flops(function):
    """Check `cross_attention_flops(batch, target, source, width)`, a whole number."""
    cases = []
    for sizes, hint in (
        ((1, 1, 1, 1), "the number of products: four projections, scores, the mix"),
        ((1, 2, 2, 4), "2 for each product: a multiplication and an addition"),
        ((1, 2, 5, 4), "the rows: queries and outputs have T, keys and values S"),
        ((3, 2, 5, 4), "the batch: every product is made for each row"),
    ):
        batch, target, source, width = sizes
        projections = 2 * 2 * batch * (target + source) * width * width
        expected = projections + 2 * 2 * batch * target * source * width
        label = f"B, T, S, D = {sizes}"
        cases.append(Case(sizes, expected, label, hint))
    return compare(function, cases, "the shapes of the six products")


def training_bytes(function):
    """Check `training_bytes(weights, slots, policy)`, a whole number."""
    cases = []
    for weights, slots, policy, hint in (
        (1000, 0, "float32", "the gradients: one number for each weight"),
        (1000, 2, "float32", "the slots: each is as large as the weights"),
        (1000, 2, "mixed_bfloat16", "where mixed precision keeps weights: float32"),
        (1000, 2, "bfloat16", "bfloat16 without 'mixed': every number has 2 bytes"),
    ):
        expected = (2 if policy == "bfloat16" else 4) * weights * (2 + slots)
        label = f"weights {weights}, slots {slots}, {policy}"
        cases.append(Case((weights, slots, policy), expected, label, hint))
    return compare(function, cases, "what is kept: weights, gradients, slots")


def join_gradients(function):
    """Check `join_gradients(gradients, tokens)`: W arrays, W numbers -> one array."""
    rng = np.random.default_rng(18)
    gradients = rng.normal(size=(3, 2, 4))
    cases = []
    for tokens, hint in (
        ([5, 5, 5], "equal shares: then it is the plain mean"),
        ([1, 2, 7], "the weight of a gradient: its share of all real tokens"),
        ([4, 0, 4], "a worker without real tokens: it doesn't count"),
    ):
        expected = np.average(gradients, axis=0, weights=tokens)
        label = f"tokens {tokens}"
        cases.append(Case((gradients, np.array(tokens)), expected, label, hint))
    return compare(function, cases, "the weights of the mean")

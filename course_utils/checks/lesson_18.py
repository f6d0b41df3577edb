"""Checks of the exercises of lesson 18."""

import numpy as np

from course_utils.checks.compare import Case, compare, solution


def cross_attention_flops(function):
    """Check `cross_attention_flops(batch, target, source, width)`, a whole number."""
    cases = [
        Case(sizes, f"B, T, S, D = {sizes}", hint)
        for sizes, hint in (
            ((1, 1, 1, 1), "the number of products: four projections, scores, the mix"),
            ((1, 2, 2, 4), "2 for each product: a multiplication and an addition"),
            ((1, 2, 5, 4), "the rows: queries and outputs have T, keys and values S"),
            ((3, 2, 5, 4), "the batch: every product is made for each row"),
        )
    ]
    hint = "the shapes of the six products"
    return compare(function, solution("18", "cross_attention_flops"), cases, hint)


def training_bytes(function):
    """Check `training_bytes(weights, slots, policy)`, a whole number."""
    cases = [
        Case((1000, slots, policy), f"weights 1000, slots {slots}, {policy}", hint)
        for slots, policy, hint in (
            (0, "float32", "the gradients: one number for each weight"),
            (2, "float32", "the slots: each is as large as the weights"),
            (2, "mixed_bfloat16", "where mixed precision keeps weights: float32"),
            (2, "bfloat16", "bfloat16 without 'mixed': every number has 2 bytes"),
        )
    ]
    hint = "what is kept: weights, gradients, slots"
    return compare(function, solution("18", "training_bytes"), cases, hint)


def join_gradients(function):
    """Check `join_gradients(gradients, tokens)`: W arrays, W numbers -> one array."""
    gradients = np.random.default_rng(18).normal(size=(3, 2, 4))
    cases = [
        Case((gradients, np.array(tokens)), f"tokens {tokens}", hint)
        for tokens, hint in (
            ([5, 5, 5], "equal numbers of tokens: then it is the plain mean"),
            ([1, 2, 7], "the weight of a gradient: its part of all real tokens"),
            ([4, 0, 4], "a worker without real tokens: it doesn't count"),
        )
    ]
    hint = "the weights of the mean"
    return compare(function, solution("18", "join_gradients"), cases, hint)

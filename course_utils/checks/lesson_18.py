"""Checks of the exercises of lesson 18."""

import numpy as np

from course_utils.checks.compare import Case, compare, rows, solution


def cross_attention_flops(function):
    """Check `cross_attention_flops(batch, target, source, width)`, a whole number."""
    cases = [
        Case(tuple(sizes), f"B, T, S, D = {tuple(sizes)}", hint)
        for *sizes, hint in rows("18", "cross_attention_flops")
    ]
    hint = "the shapes of the six products"
    return compare(function, solution("18", "cross_attention_flops"), cases, hint)


def training_bytes(function):
    """Check `training_bytes(weights, slots, policy)`, a whole number."""
    cases = [
        Case((1000, slots, policy), f"weights 1000, slots {slots}, {policy}", hint)
        for slots, policy, hint in rows("18", "training_bytes")
    ]
    hint = "what is kept: weights, gradients, slots"
    return compare(function, solution("18", "training_bytes"), cases, hint)


def join_gradients(function):
    """Check `join_gradients(gradients, tokens)`: W arrays, W numbers -> one array."""
    gradients = np.random.default_rng(18).normal(size=(3, 2, 4))
    cases = [
        Case((gradients, np.array(tokens)), f"tokens {tokens}", hint)
        for tokens, hint in rows("18", "join_gradients")
    ]
    hint = "the weights of the mean"
    return compare(function, solution("18", "join_gradients"), cases, hint)

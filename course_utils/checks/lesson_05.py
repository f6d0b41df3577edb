"""Checks of the exercises of lesson 05."""

import numpy as np

from course_utils.checks.compare import Case, compare, solution


def encoder_weight_count(function):
    """Check `count_weights(embed_dim, dense_dim)` of an encoder block."""
    cases = [
        Case(sizes, f"embed_dim, dense_dim = {sizes}")
        for sizes in ((2, 3), (64, 64), (256, 32))
    ]
    hint = (
        "the parts one by one: four attention matrices and two dense layers with "
        "biases, and a scale and a shift in each of the two normalisations"
    )
    return compare(function, solution("05", "count_weights"), cases, hint)


def masked_mean(function):
    """Check `masked_mean(x, mask)`: the mean over the real tokens only."""
    x = np.random.default_rng(5).normal(size=(2, 4, 3))
    some = np.array([[1, 1, 0, 0], [1, 1, 1, 1]], dtype=bool)
    cases = [
        Case((x, np.ones((2, 4), bool)), "a batch without padding"),
        Case((x, some), "a batch with padding", "what you divide by"),
    ]
    hint = "the axis of the sum: tokens are axis 1"
    return compare(function, solution("05", "masked_mean"), cases, hint)


def pre_norm_block(function):
    """Check `pre_norm_block(x, norm_1, attend, norm_2, feed_forward)`."""
    x = np.array([[1.0, -2.0], [0.5, 3.0]])
    parts = (lambda a: a - 1, lambda a: 2 * a, lambda a: a + 3, lambda a: a * a)
    nothing = (lambda a: a * 0,) * 4
    cases = [
        Case((x, *nothing), "sub-layers that return 0", "the two residual sums"),
        Case((x, *parts), "four simple functions"),
    ]
    hint = "the order: normalise, transform, then add to what came before normalising"
    return compare(function, solution("05", "pre_norm_block"), cases, hint)

"""Checks of the exercises of lesson 05."""

import numpy as np

from course_utils.checks.compare import Case, compare


def encoder_weight_count(function):
    """Check `count_weights(embed_dim, dense_dim)` of an encoder block."""
    cases = [
        Case(sizes, _encoder_weights(*sizes), f"embed_dim, dense_dim = {sizes}")
        for sizes in ((2, 3), (64, 64), (256, 32))
    ]
    hint = (
        "the parts one by one: four attention matrices with biases, two dense layers "
        "with biases, and a scale and a shift in each of the two normalisations"
    )
    return compare(function, cases, hint)


def _encoder_weights(embed_dim, dense_dim):
    attention = 4 * (embed_dim * embed_dim + embed_dim)
    feed_forward = 2 * embed_dim * dense_dim + dense_dim + embed_dim
    return attention + feed_forward + 2 * 2 * embed_dim


def masked_mean(function):
    """Check `masked_mean(x, mask)`: the mean over the real tokens only."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(2, 4, 3))
    some = np.array([[1, 1, 0, 0], [1, 1, 1, 1]], dtype=bool)
    expected = np.stack([x[0, :2].mean(axis=0), x[1].mean(axis=0)])
    cases = [
        Case((x, np.ones((2, 4), bool)), x.mean(axis=1), "a batch without padding"),
        Case((x, some), expected, "a batch with padding", "what you divide by"),
    ]
    return compare(function, cases, "the axis of the sum: tokens are axis 1")


def pre_norm_block(function):
    """Check `pre_norm_block(x, norm_1, attend, norm_2, feed_forward)`."""
    x = np.array([[1.0, -2.0], [0.5, 3.0]])
    parts = (lambda a: a - 1, lambda a: 2 * a, lambda a: a + 3, lambda a: a * a)
    x_1 = x + parts[1](parts[0](x))
    expected = x_1 + parts[3](parts[2](x_1))
    nothing = (lambda a: a * 0,) * 4
    cases = [
        Case((x, *nothing), x, "sub-layers that return 0", "the two residual sums"),
        Case((x, *parts), expected, "four simple functions"),
    ]
    hint = "the order: normalise, transform, then add to what came before normalising"
    return compare(function, cases, hint)

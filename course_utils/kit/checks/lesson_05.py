"""Checks of the exercises of lesson 05."""

import numpy as np

from course_utils.kit.checks.answers import lesson_05 as answers
from course_utils.kit.checks.compare import Case, compare


def parameter_count(function):
    """Check `count_parameters(embed_dim, dense_dim)` of an encoder block."""
    cases = [
        Case(sizes, f"embed_dim, dense_dim = {sizes}")
        for sizes in ((2, 3), (64, 64), (256, 32))
    ]
    hint = "the parts one by one, and which parameters of each are vectors"
    return compare(function, answers.count_parameters, cases, hint)


def attention_pool(function):
    """Check `attention_pool(x, mask, query, num_heads)`: a query pools the tokens."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(2, 4, 6))
    query = 3 * rng.normal(size=6)
    full = np.ones((2, 4), bool)
    some = np.array([[1, 1, 0, 0], [1, 1, 1, 1]]) > 0
    cases = [
        Case((x, full, 0 * query, 1), "a query of zeros", "the axis of the tokens"),
        Case((x, full, query, 1), "one head", "the scores, and the root under them"),
        Case((x, full, query, 2), "two heads", "the columns and the root of a head"),
        Case((x, some, query, 3), "padding", "the mask, which acts before the softmax"),
        Case((x, some, 1000 * query, 3), "large scores", "the largest score of a row"),
    ]
    with np.errstate(all="ignore"):
        return compare(function, answers.attention_pool, cases, "the shapes")


def mended_attention(function):
    """Check `mended_attention(x, mask, num_heads)`, in which two faults were."""
    x = np.random.default_rng(6).normal(size=(2, 4, 6))
    full = np.ones((2, 4), bool)
    some = np.array([[1, 1, 0, 0], [1, 1, 1, 1]]) > 0

    def proof(attention):
        """Return the outputs of real tokens, for two kinds of padding."""

        def outputs(x, mask, heads):
            real = mask[..., None]
            found = attention(x, mask, heads), attention(x * real, mask, heads)
            return None if found[0] is None else [one * real for one in found]

        return outputs

    cases = [
        Case((x, full, 1), "one head, no padding", "what was right before"),
        Case((x, full, 3), "three heads", "which numbers of x a head gets, and gives"),
        Case((x, some, 3), "padding", "the axis that the mask is on"),
    ]
    right = answers.mended_attention
    return compare(proof(function), proof(right), cases, "the shapes")


def difference_by_depth(function):
    """Check `difference_by_depth(x, update, depth, factor)`; an update acts once."""
    rng = np.random.default_rng(7)
    x = rng.normal(size=(5, 8))
    matrices = rng.normal(size=(3, 8, 8)) / 3

    def with_updates(function):
        """Return the function with another update for each depth."""

        def differences(x, depth, factor):
            stack = iter(matrices)
            return function(x, lambda x: np.tanh(x @ next(stack)), depth, factor)

        return differences

    cases = [
        Case((x, 0, 1.0), "depth 0", "the pairs: each once, none with itself"),
        Case((x, 3, 0.0), "the factor 0", "what is multiplied by the factor"),
        Case((x, 3, 0.5), "the factor 0.5", "what is added, and how often"),
        Case((x, 3, 2.0), "the factor 2", "what is multiplied by the factor"),
    ]
    hint = "the number of results: depth + 1; each depth calls `update` once"
    right = answers.difference_by_depth
    return compare(with_updates(function), with_updates(right), cases, hint)

"""Checks of the exercises of lesson 04."""

import numpy as np

from course_utils.kit.checks.answers import lesson_04 as answers
from course_utils.kit.checks.compare import Case, compare


def noun_finder(function):
    """Check `noun_finder()`: W_q and W_k that send each kind of word to another one."""
    words = np.array([[0, 1, 2], [1, 2, 2], [2, 0, 1]])  # article, adjective, noun

    def reached(matrices):
        """Return for each word of each sentence whether 0.99 of its weight is right."""
        w_q, w_k = (np.asarray(one, "float64") for one in matrices)
        scores = w_q[words] @ w_k[words].swapaxes(1, 2) / np.sqrt(w_k.shape[1])
        powers = np.exp(scores - scores.max(axis=2, keepdims=True))
        wanted = np.where(words == 2, 1, 2)[..., None] == words[:, None]
        return (powers * wanted).sum(axis=2) >= 0.99 * powers.sum(axis=2)

    hint = "the query of each kind (a row of W_q), its key, and how far scores differ"
    cases = [Case((), "the words of three sentences (1: the weight is there)")]
    return compare(function, answers.noun_finder, cases, hint, reached)


def batch_self_attention(function):
    """Check self-attention for a batch of texts with padding, causal or not."""
    rng = np.random.default_rng(4)
    x = rng.normal(size=(2, 5, 4))
    matrices = tuple(rng.normal(size=(3, 4, 3)))
    padding = "the mask of the padding: at which words may no row look?"
    largest = "the largest score of a row"
    cases = [
        Case((x[:, :1], *matrices, [1, 1], False), "texts of one word", "the values"),
        Case((x, *matrices, [5, 5], False), "no padding, not causal", "the root"),
        Case((x, *matrices, [5, 5], True), "no padding, causal", "the causal mask"),
        Case((x, *matrices, [5, 3], False), "three words, padded to five", padding),
        Case((x, *matrices, [5, 3], True), "three words, causal", "the joined masks"),
        Case((50 * x, *matrices, [5, 2], False), "large scores", largest),
    ]

    def of_real_words(function):
        def masked(x, w_q, w_k, w_v, lengths, causal):
            result = function(x, w_q, w_k, w_v, lengths, causal)
            real = np.arange(x.shape[1]) < np.array(lengths)[:, None]
            if np.shape(result)[:2] != real.shape:
                return result
            return np.where(real[..., None], result, 0.0)

        return masked

    right = of_real_words(answers.batch_self_attention)
    with np.errstate(all="ignore"):
        return compare(of_real_words(function), right, cases, "the shapes")


def mended_causal_attention(function):
    """Check `mended_causal_attention(query, key, value)`, in which a fault was."""
    query, key, value = np.random.default_rng(5).normal(size=(3, 4, 4))
    product = "the last product: whose weights does a row of it use?"
    cases = [
        Case((query[:1], key[:1], value[:1]), "one word", "the mask"),
        Case((query, key, np.ones((4, 1))), "values of 1", product),
        Case((query, key, value), "four words", product),
        Case((query[:, :3], key[:, :3], value), "three numbers a query", "the root"),
        Case((1e4 * query, key, value), "large scores", "the largest score of a row"),
    ]
    with np.errstate(all="ignore"):
        return compare(function, answers.mended_causal_attention, cases, "the shapes")


def attended_words(function):
    """Check `attended_words(weights)` by its properties."""
    some = np.random.default_rng(6).dirichlet(np.ones(5), size=(2, 3))
    cases = [
        Case((np.full((2, 4), 0.25),), "four equal weights", "the sign, and the e"),
        Case((np.eye(3),), "all weight on one word", "the weights of 0"),
        Case((np.array([[0.5, 0.5, 0.0]]),), "two halves", "the logarithm's base: e"),
        Case((np.array([[0, 1], [0.5, 0.5]]),), "one word, then two", "weights of 0"),
        Case((some,), "two heads of three words", "the axis: a row is the last one"),
    ]
    with np.errstate(all="ignore"):
        return compare(function, answers.attended_words, cases, "the entropy")

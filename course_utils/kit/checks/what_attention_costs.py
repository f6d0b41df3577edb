"""Checks of the exercises of the lesson "What attention costs"."""

import numpy as np

from course_utils.kit.checks.answers import what_attention_costs as answers
from course_utils.kit.checks.compare import Case, compare
from course_utils.scaling import timing

LONG = 3_000  # an array with LONG × LONG numbers takes 69 MB


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


def window_attention(function):
    """Check attention in a window, on short texts and on a long one."""
    rng = np.random.default_rng(4)
    query, key, value = rng.normal(size=(3, 6, 3))
    long = tuple(rng.normal(size=(3, LONG, 2)))
    whole = "the root under the scores, and the ends of the text"
    largest = "the largest score of a row"
    cases = [
        Case((query, key, value, 0), "window 0", "what is left: the word itself"),
        Case((query, key, value, 6), "a window of all words", whole),
        Case((query, key, value[:, :2], 1), "window 1", "the ends of the text"),
        Case((-3e3 * abs(query), abs(key), value, 2), "scores far below 0", largest),
        Case((*long, 2), f"{LONG:,} words", "the scores to skip"),
    ]

    def limited(*case):
        results = []
        used = timing.numpy_peak_bytes(lambda: results.append(function(*case)))
        if used > LONG**2 / 2:
            raise MemoryError(f"the call needs {used / 2**20:.0f} MB")
        return results[0]

    return compare(limited, answers.window_attention, cases, "the shapes")


def mended_attention(function):
    """Check `mended_attention(query, key, value)`, in which two faults were."""
    query, key, value = np.random.default_rng(5).normal(size=(3, 4, 4))
    twice = query, np.tile(key, (2, 1)), np.tile(value, (2, 1))
    axis = "the axis of the sums: a row, one query"
    root = "what stands under the root"
    cases = [
        Case((query, key, np.ones((4, 1))), "values of 1", axis),
        Case((query, key, value), "four words of four numbers", axis),
        Case(twice, "every word twice", root),
        Case((query[:2, :3], key[:3, :3], value[:3, :2]), "two queries", root),
    ]
    return compare(function, answers.mended_attention, cases, "the shapes")


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

"""Checks of the exercises of lesson 01."""

import numpy as np

from course_utils.kit.checks.compare import CORRECT, Case, compare, rows, solution


def negative_probabilities(function):
    """Check how often each word is drawn as a negative."""
    cases = [Case((np.array(n),)) for n in ([81, 16, 1], [5, 5], [7, 0, 1000])]
    hint = "the power of each count, and what it is divided by"
    return compare(function, solution("01", "negative_probabilities"), cases, hint)


def head_with_distance(function):
    """Check `head_with_distance(queries, keys, values, slope)`."""
    q, k, v = np.random.default_rng(1).normal(size=(3, 5, 4))
    largest = "the largest score of a row"
    cases = [
        Case((0 * q, k, v, 0.0), "queries of zeros", "who may be looked at"),
        Case((q, k, v, 0.0), "the slope 0", "the scores, and the root under them"),
        Case((q, k, v, 0.7), "the slope 0.7", "the distance |t − s|, and its sign"),
        Case((900 * q, k, v, 2.0), "large scores", largest),
        Case((900 * k, k, v, 0.0), "a word like itself", "the largest *other* score"),
        Case((-3e3 * abs(q), abs(k), v, 0.0), "scores far below 0", largest),
        Case((q[:, :3], k[:, :3], v, 0.7), "three columns", "the root of the width"),
    ]
    with np.errstate(all="ignore"):
        right = solution("01", "head_with_distance")
        return compare(function, right, cases, "the shapes")


def mended_step(function):
    """Check one step of negative sampling, in which two faults were."""
    u, c = np.random.default_rng(2).normal(size=(2, 5, 3))
    cases = [
        Case((u, c, 0, 1, np.array(drawn, int), 0.5), f"the negatives {drawn}", h)
        for drawn, h in rows("01", "mended_step")
    ]
    other = u, c, 3, 2, np.array([1, 4]), 0.1
    cases.append(Case(other, "another pair, the rate 0.1", "centre, context and rate"))
    right = solution("01", "mended_step")
    return compare(function, right, cases, "what is returned", tuple)


def _nearest(vectors, labels, new):
    """Give each new vector the label of the nearest one, as a reader of section 6."""
    distances = ((new[:, None] - np.asarray(vectors)) ** 2).sum(axis=-1)
    return np.asarray(labels)[distances.argmin(axis=1)]


def _counting(vectors, labels, new):
    """Be right as often as there are labels."""
    return np.arange(len(new)) < len(labels)


_seen = set()


def _growing(vectors, labels, new):
    """Be right where the sample holds the one before it; three labels begin anew."""
    sample = {*map(tuple, np.asarray(vectors).tolist())}
    holds = len(labels) == 3 or _seen <= sample
    _seen.clear()
    _seen.update(sample)
    return np.full(len(new), holds)


def accuracy_by_labels(function):
    """Check an experiment by its properties, for its draws may be other ones."""
    rng, right = np.random.default_rng(3), solution("01", "accuracy_by_labels")
    labels = np.repeat(["money", "river"], [40, 20])
    x = rng.normal(size=(60, 2)) + (labels == "money")[:, None]
    given, far = (x, labels), (x + 99 * (labels == "money")[:, None], labels)
    part = x[20:], labels[20:]
    three = x[:21], np.repeat(["fig", "river", "money"], [9, 7, 5])
    forty, shuffle = (np.zeros((40, 2)), np.ones(40) > 0), "one shuffle for all sizes"
    cases = [
        Case((_nearest, part, given, (20, 99), 0), "all labels", "what a reader gets"),
        Case((_nearest, far, far, (1, 3), 1), "senses far apart", "n of *each* sense"),
        Case(
            (_counting, three, forty, (1, 2, 4), 0), "labels counted", "first n of each"
        ),
        Case((_growing, three, forty, (1, 2, 4), 0), "samples that grow", shuffle),
    ]
    answer = compare(function, right, cases, "the results: one for each size")
    if answer != CORRECT:
        return answer

    def draws(view):
        """Return whether a seed gives the same again, and whether others differ."""

        def facts(*arguments):
            runs = [np.array(view(*arguments, (2,), s)) for s in (*range(20), 0)]
            return np.array_equal(runs[0], runs[-1]), len(np.unique(runs)) > 1

        return facts

    case = Case((_nearest, given, given), "20 seeds")
    return compare(draws(function), draws(right), [case], "the draw")

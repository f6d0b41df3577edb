"""Checks of the exercises of lesson 01."""

import numpy as np

from course_utils.kit.checks.answers import lesson_01 as answers
from course_utils.kit.checks.compare import CORRECT, Case, compare


def negative_probabilities(function):
    """Check how often each word is drawn as a negative."""
    cases = [
        Case((np.array([81, 16, 1]),)),
        Case((np.array([5, 5]),)),
        Case((np.array([7, 0, 1000]),)),
    ]
    hint = "the power of each count, and what it is divided by"
    return compare(function, answers.negative_probabilities, cases, hint)


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
        return compare(function, answers.head_with_distance, cases, "the shapes")


def mended_step(function):
    """Check one step of negative sampling, in which two faults were."""
    u, c = np.random.default_rng(2).normal(size=(2, 5, 3))
    hints = {
        (): "the pair alone, both tables as they were before",
        (3,): "the table that a negative's gradient belongs to",
        (3, 3, 4): "a negative that is drawn twice",
        (3, 1): "the true context among the negatives",
        (1, 3, 1): "the true context drawn twice",
        (0, 3): "the centre among the negatives: it counts as any other",
    }
    cases = []
    for drawn, hint in hints.items():
        negatives = np.array(drawn, int)
        name = f"the negatives {list(drawn)}"
        cases.append(Case((u, c, 0, 1, negatives, 0.5), name, hint))
    other = (u, c, 3, 2, np.array([1, 4]), 0.1)
    cases.append(Case(other, "another pair, the rate 0.1", "centre, context and rate"))
    return compare(function, answers.mended_step, cases, "what is returned", tuple)


def _nearest(vectors, labels, new):
    """Give each new vector the label of the nearest one, as an example of `decide`."""
    distances = ((new[:, None] - np.asarray(vectors)) ** 2).sum(axis=-1)
    return np.asarray(labels)[distances.argmin(axis=1)]


def _counting(vectors, labels, new):
    """Be right as often as there are labels."""
    return np.arange(len(new)) < len(labels)


_seen = set()


def _growing(vectors, labels, new):
    """Be right where the sample holds the one before it; three labels begin anew."""
    sample = set(map(tuple, np.asarray(vectors).tolist()))
    holds = len(labels) == 3 or _seen <= sample
    _seen.clear()
    _seen.update(sample)
    return np.full(len(new), holds)


def accuracy_by_labels(function):
    """Check an experiment by its properties, for its draws may be other ones."""
    rng = np.random.default_rng(3)
    labels = np.repeat(["money", "river"], [40, 20])
    is_money = (labels == "money")[:, None]
    x = rng.normal(size=(60, 2)) + is_money
    given = (x, labels)
    far = (x + 99 * is_money, labels)
    part = (x[20:], labels[20:])
    three = (x[:21], np.repeat(["fig", "river", "money"], [9, 7, 5]))
    forty = (np.zeros((40, 2)), np.ones(40, bool))
    first = "first n of each"
    shuffle = "one shuffle for all sizes"
    cases = [
        Case((_nearest, part, given, (20, 99), 0), "all labels", "what `decide` gets"),
        Case((_nearest, far, far, (1, 3), 1), "senses far apart", "n of *each* kind"),
        Case((_counting, three, forty, (1, 2, 4), 0), "labels counted", first),
        Case((_growing, three, forty, (1, 2, 4), 0), "samples that grow", shuffle),
    ]
    right = answers.accuracy_by_labels
    answer = compare(function, right, cases, "the results: one for each size")
    if answer != CORRECT:
        return answer

    def draws(experiment):
        """Return whether a seed gives the same again, and whether others differ."""

        def facts(*arguments):
            runs = [np.array(experiment(*arguments, (2,), seed)) for seed in range(20)]
            again = np.array(experiment(*arguments, (2,), 0))
            return np.array_equal(runs[0], again), len(np.unique(runs)) > 1

        return facts

    case = Case((_nearest, given, given), "20 seeds")
    return compare(draws(function), draws(right), [case], "the draw")

"""Checks of the exercises of lesson 14."""

from course_utils.kit.checks.compare import Case, by_arrays, compare, rows, solution


def calibrated_by_hand(function):
    """Check exercise 1, by hand: accuracies at three thresholds."""
    hint = "which log-odds lie above 0, above 2.5 and above the median"
    return compare(function, solution("14", "calibrated_by_hand"), [Case(())], hint)


def rouge_l(function):
    """Check exercise 2, build: the F1 of the longest common subsequence."""
    cases = [
        Case((one.split(), other.split()), f"{one!r} and {other!r}", hint)
        for one, other, hint in rows("14", "rouge_l")
    ]
    return compare(function, solution("14", "rouge_l"), cases, "the table")


def own_examples_out(function):
    """Check exercise 3, diagnose: examples among which the review isn't."""
    cases = [
        Case((review, [tuple(example) for example in pool], shots), name, hint)
        for review, pool, shots, name, hint in rows("14", "own_examples_out")
    ]
    right, hint = solution("14", "own_examples_out"), "what may be an example"
    return compare(function, right, cases, hint, lambda pairs: tuple(map(tuple, pairs)))


def disagreement(function):
    """Check exercise 4, investigate: rate of disagreement, accuracy of the majority."""
    hint = "the axis: prompts are rows, reviews are columns"
    return by_arrays(function, "14", "disagreement", hint)

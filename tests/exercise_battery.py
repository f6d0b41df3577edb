"""What every exercise owes: an answer proved by hand, a check that knows mistakes."""

import functools
import importlib
import tomllib
import types
from pathlib import Path
from unittest import mock

import numpy as np

from course_utils.kit.checks.compare import Case, compare
from tools import lessons
from tools.extract_answers import SOLUTIONS, read_exercises

MISTAKES, BY_HAND = (
    tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text("utf-8"))
    for name in ("mistakes", "by_hand")
)


def solution_notebook(lesson):
    """Return the path of a lesson's solution notebook."""
    return lessons.path_of(lesson, SOLUTIONS)


def right_answers(lesson, change=("", "")):
    """Return the functions of the solution notebook, read from the notebook itself.

    Args:
        lesson: such as "05", or the name of a further lesson.
        change: a text of the answers and what stands there instead.
    """
    source, names = read_exercises(solution_notebook(lesson))[1], {}
    assert change[0] in source, f"no answer of lesson {lesson} holds {change[0]!r}"
    exec(source.replace(*change), names)
    return types.SimpleNamespace(**names)


def proof_of(lesson, check):
    """Return `proof` of the exercise that a check of a lesson, such as "05", has."""
    return functools.partial(proof, lesson, check)


def by_hand(lesson, check):
    """Return `proof` of an exercise for its values by hand: (arguments, value) each."""
    return lambda *rows: proof(lesson, check, by_hand=rows)


def proof(lesson, check, *wrong, by_hand=(), right=()):
    """Return the test of an exercise.

    Args:
        lesson, check: those of `proof_of`.
        wrong: what the check rejects: functions, or pairs (text, other text) that
            change the right answer, as those of mistakes.toml. One text more, and the
            check has to say it.
        by_hand: list of (arguments, value), worked out without the answer's code; those
            of by_hand.toml are added, where several values are a tuple, and lists of
            numbers become arrays in the tables "arrays".
        right: what it accepts besides the answers of the solution notebook.
    """
    names = read_exercises(solution_notebook(lesson))[0][check]
    wrong += tuple(map(tuple, MISTAKES.get(lesson, {}).get(check, ())))
    plain = BY_HAND.get(lesson, {})
    rows = [(row, list) for row in plain.get(check, ())]
    rows += [(row, np.array) for row in plain.get("arrays", {}).get(check, ())]
    for (inputs, *values), kind in rows:
        inputs = [kind(x) if isinstance(x, list) else x for x in inputs]
        by_hand = [*by_hand, (inputs, tuple(values) if values[1:] else values[0])]

    def parts(mistake):
        """Return a wrong answer, and the words that the check has to say."""
        if callable(mistake):
            return mistake, ""
        if callable(mistake[0]):
            return mistake
        changed = right_answers(lesson, mistake[:2])
        return getattr(changed, names[0]), "".join(mistake[2:])

    def agrees(answer):
        """Return whether an answer gives the values by hand."""
        for arguments, value in by_hand:
            case = Case(arguments, "a case by hand")
            if compare(answer, lambda *_, v=value: v, [case], "") != "correct":
                return False
        return True

    def test():
        module = importlib.import_module(
            f"course_utils.kit.checks.{lessons.checks_of(lesson)}"
        )
        own, run = right_answers(lesson), getattr(module, check)
        answers = [getattr(own, name) for name in names]
        assert by_hand and len(wrong) >= 2
        for answer in answers:
            assert agrees(answer)
        for answer in (*answers, *right):
            assert run(answer) == "correct"
        assert run(mock.Mock(side_effect=NotImplementedError)) == "not attempted"
        for mistake in (*wrong, *STRANGE):
            function, words = parts(mistake)
            with np.errstate(all="ignore"):  # an overflow may be the mistake
                answer = run(function)
            assert answer.startswith("wrong: ") and "; look at " in answer, mistake
            assert words in answer
        # Would the notebook's answer become one of the wrong ones, a value by hand
        # says so; all but one, because a mistake can be another one than the values.
        with np.errstate(all="ignore"):
            assert sum(agrees(parts(mistake)[0]) for mistake in wrong) <= 1

    test.check = check
    return test


def _arrays_in_an_array(*arguments):
    result = np.empty(3, dtype=object)
    result[:] = [np.zeros(2)] * 3
    return result


# Whatever a learner's function does, a check answers and never raises.
STRANGE = (
    (mock.Mock(side_effect=KeyError("x")), "raises KeyError"),
    (lambda *arguments: None, "without a return"),
    (lambda one, two, three, four, five, six: 0, "raises TypeError"),
    lambda *arguments: object(),
    lambda *arguments: [[1], [1, 2]],
    lambda *arguments: float("nan"),
    _arrays_in_an_array,
)

"""Every exercise has a check and a test; whatever it is given, a check answers."""

import importlib
import inspect
import pkgutil

import numpy as np
import pytest
from exercise_battery import rejects

from course_utils.kit import checks
from tools import lessons
from tools.extract_answers import read_exercises


def checks_of(module_name):
    """Return the checks of a lesson by their names."""
    module = importlib.import_module(f"{checks.__name__}.{module_name}")
    return {
        name: function
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__ and not name.startswith("_")
    }


MODULES = [info.name for info in pkgutil.iter_modules(checks.__path__)]
LESSONS = [name for name in MODULES if name not in ("answers", "compare")]
CHECKS = [(lesson, name) for lesson in LESSONS for name in checks_of(lesson)]


SOLUTIONS = {
    lessons.checks_of(lessons.key(p)): p
    for p in lessons.find(lessons.SOLUTIONS)
    if read_exercises(p)[0]  # a page may have no checked exercise
}


def test_every_lesson_with_solutions_has_checks():
    assert sorted(LESSONS) == sorted(SOLUTIONS)


@pytest.mark.parametrize("lesson", LESSONS)
def test_an_exercise_stands_in_lesson_solution_check_and_test(lesson):
    solution = SOLUTIONS[lesson]
    lesson_path = lessons.NOTEBOOKS / solution.relative_to(lessons.SOLUTIONS)
    solved = read_exercises(solution)[0]
    asked = read_exercises(lesson_path)[0]
    names = set(checks_of(lesson))
    assert names
    assert names == set(solved) == set(asked)
    name_of_test = f"test_lesson_{lesson.removeprefix('lesson_')}"
    tests = vars(importlib.import_module(name_of_test))
    for name in names:
        # The learner writes the function that the solution writes.
        assert asked[name][-1] == solved[name][0]
        for kind in ("accepts", "rejects", "by_hand"):
            assert f"test_{name}_{kind}" in tests


def not_attempted(*arguments):
    raise NotImplementedError


def raises(*arguments):
    raise KeyError("x")


def returns_nothing(*arguments):
    pass


def takes_eight_arguments(one, two, three, four, five, six, seven, eight):
    return 0


def returns_an_object(*arguments):
    return object()


def returns_a_ragged_list(*arguments):
    return [[1], [1, 2]]


def returns_nan(*arguments):
    return float("nan")


def returns_arrays_in_an_array(*arguments):
    result = np.empty(3, dtype=object)
    result[:] = [np.zeros(2)] * 3
    return result


@pytest.mark.parametrize("lesson, name", CHECKS)
def test_a_check_never_raises(lesson, name):
    check = checks_of(lesson)[name]
    assert check(not_attempted) == "not attempted"
    rejects(check, raises, "raises KeyError")
    rejects(check, returns_nothing, "without a return")
    rejects(check, takes_eight_arguments, "raises TypeError")
    rejects(check, returns_an_object)
    rejects(check, returns_a_ragged_list)
    rejects(check, returns_nan)
    rejects(check, returns_arrays_in_an_array)

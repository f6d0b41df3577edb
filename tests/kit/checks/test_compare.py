"""A comparison names the difference."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_utils.kit.checks.compare import Case, compare, describe_difference


@pytest.mark.parametrize(
    ("result", "expected", "words"),
    [
        (None, 1, "nothing returned"),
        ([1, 2], [1, 2, 3], "wrong shape"),
        ("a", "b", "expected 'b'"),
        ("1", 1, "wrong kind"),
        (float("nan"), 1.0, "max difference inf"),
        (1, (1, 2), "expected 2 values"),
        ((1, 3), (1, 2), "max difference 1"),
        ([1.0, 2.5], [1.0, 2.0], "max difference 0.5: expected 2, got 2.5 at (1,)"),
        ([[1], [1, 2]], [1, 2], "wrong kind"),
        ({7}, [7], "wrong kind of result: expected [7], got {7}"),
    ],
)
def test_each_kind_of_difference_is_named(result, expected, words):
    assert words in ": ".join(describe_difference(result, expected))


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=8), st.integers(0, 7))
def test_equal_is_equal_and_changed_is_not(values, place):
    values = np.array(values)
    assert describe_difference(values, values.tolist()) is None
    both = [values.tolist(), [1]], (values, np.array([True]))
    assert describe_difference(*both) is None
    changed = values.copy()
    changed[place % len(values)] += 1.0
    assert describe_difference(changed, values)[0] == "max difference 1"


def test_an_answer_may_change_the_arrays_that_it_gets():
    def doubled_in_place(x):
        x *= 2
        return x

    cases = [Case((np.ones(2),))] * 2
    assert compare(doubled_in_place, lambda x: x + x, cases, "the factor") == "correct"


@pytest.mark.parametrize(
    "case, words",
    [
        (Case((1,)), "input (1,): expected 2, got 1; look at that line"),
        (Case((1,), "a case", "this"), "a case: expected 2, got 1; look at this"),
        (Case(([1, 2], 1)), "input ([1, 2], 1): expected 2, got 1; look at that line"),
    ],
)
def test_a_wrong_answer_names_the_case_and_where_to_look(case, words):
    answer = compare(lambda *x: x[-1], lambda *x: x[-1] + 1, [case], hint="that line")
    assert answer == f"wrong: max difference 1 for {words}"

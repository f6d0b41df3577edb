"""Each check accepts a right answer, rejects plausible wrong ones, and never raises."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_utils.checks import compare as checks


def stub(*arguments):
    raise NotImplementedError


def raises(*arguments):
    raise KeyError("x")


def nothing(*arguments):
    return None


def count_weights(embed_dim, dense_dim):
    attention = 4 * (embed_dim**2 + embed_dim)
    dense = embed_dim * dense_dim + dense_dim + dense_dim * embed_dim + embed_dim
    return attention + dense + 4 * embed_dim


def masked_mean(x, mask):
    total = (x * mask[..., None]).sum(axis=1)
    return total / mask.sum(axis=1, keepdims=True)


def pre_norm_block(x, norm_1, attend, norm_2, feed_forward):
    x = x + attend(norm_1(x))
    return x + feed_forward(norm_2(x))


def post_norm_block(x, norm_1, attend, norm_2, feed_forward):
    x = norm_1(x + attend(x))
    return norm_2(x + feed_forward(x))


def residual_of_normalised(x, norm_1, attend, norm_2, feed_forward):
    x = norm_1(x)
    x = x + attend(x)
    return x + feed_forward(norm_2(x))


def concatenate_positions(tokens, positions):
    rows = positions[: tokens.shape[1]]
    rows = np.broadcast_to(rows, (len(tokens), *rows.shape))
    return np.concatenate([tokens, rows], axis=-1)


def last_positions(tokens, positions):
    return concatenate_positions(tokens, positions[-tokens.shape[1] :])


def positions_first(tokens, positions):
    both = concatenate_positions(tokens, positions)
    return np.roll(both, positions.shape[1], axis=-1)


def row(position, embed_dim, exponent=2, pair=2):
    column = np.arange(embed_dim)
    angle = position / 10_000 ** (exponent * (column // pair) / embed_dim)
    return np.where(column % 2 == 0, np.sin(angle), np.cos(angle))


def halves(position, embed_dim):
    speed = 10_000 ** (-2 * np.arange(embed_dim // 2) / embed_dim)
    return np.concatenate([np.sin(position * speed), np.cos(position * speed)])


def shift_matrix(distance, embed_dim, sign=1):
    matrix = np.zeros((embed_dim, embed_dim))
    for i in range(0, embed_dim, 2):
        angle = sign * distance / 10_000 ** (i / embed_dim)
        sine, cosine = np.sin(angle), np.cos(angle)
        matrix[i : i + 2, i : i + 2] = [[cosine, sine], [-sine, cosine]]
    return matrix


def same_speed(distance, embed_dim):
    return np.kron(np.eye(embed_dim // 2), shift_matrix(distance, 2))


# check -> (solution, wrong answers)
EXERCISES = {
    "encoder_weight_count": (
        count_weights,
        [
            lambda d, f: count_weights(d, f) - 4 * d,  # no normalisations
            lambda d, f: 4 * d * d + 2 * d * f + 4 * d,  # no biases
            lambda d, f: count_weights(d, f) + 4 * d * d,  # key_dim = embed_dim
        ],
    ),
    "masked_mean": (
        masked_mean,
        [
            lambda x, mask: x.mean(axis=1),
            lambda x, mask: (x * mask[..., None]).mean(axis=1),
            lambda x, mask: masked_mean(x, mask)[0],
        ],
    ),
    "pre_norm_block": (pre_norm_block, [post_norm_block, residual_of_normalised]),
    "concatenate_positions": (concatenate_positions, [last_positions, positions_first]),
    "sinusoidal_row": (
        row,
        [halves, lambda p, d: row(p, d, 1), lambda p, d: row(p, d, 1, 1)],
    ),
    "shift_matrix": (
        shift_matrix,
        [lambda k, d: shift_matrix(k, d, -1), same_speed, lambda k, d: np.eye(d)],
    ),
}


@pytest.mark.parametrize("name", EXERCISES)
def test_a_check_accepts_the_solution_and_rejects_wrong_answers(name, capsys):
    check, (solution, wrong_answers) = getattr(checks, name), EXERCISES[name]
    assert check(solution) == "correct"
    assert len(wrong_answers) >= 2
    for wrong in wrong_answers:
        answer = check(wrong)
        assert answer.startswith("wrong: ") and "; look at " in answer
    assert check(stub) == "not attempted"
    assert check(raises).startswith("wrong: ") and "KeyError" in check(raises)
    assert check(nothing).startswith("wrong: ")
    assert capsys.readouterr().out.splitlines()[0] == "correct"


def test_a_difference_is_measured_and_placed():
    answer = checks.compare(
        lambda: np.array([1.0, 2.5]),
        [checks.Case((), np.array([1.0, 2.0]), "the case")],
        hint="the sum",
    )
    assert answer == (
        "wrong: max difference 0.5 for the case: expected 2, got 2.5 at (1,); "
        "look at the sum"
    )


@pytest.mark.parametrize(
    ("result", "expected", "words"),
    [
        (None, 1, "nothing returned"),
        ([1, 2], [1, 2, 3], "wrong shape"),
        ("a", "b", "expected 'b'"),
        (float("nan"), 1.0, "max difference inf"),
        (1, (1, 2), "expected 2 values"),
        ((1, 3), (1, 2), "max difference 1"),
        ([[1], [1, 2]], [1, 2], "wrong"),
    ],
)
def test_each_kind_of_difference_is_named(result, expected, words):
    assert words in checks.describe_difference(result, expected)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=8), st.integers(0, 7))
def test_equal_is_equal_and_changed_is_not(values, place):
    values = np.array(values)
    assert checks.describe_difference(values, values.tolist()) == ""
    changed = values.copy()
    changed[place % len(values)] += 1.0
    assert "max difference 1" in checks.describe_difference(changed, values)


def test_an_answer_may_change_the_arrays_that_it_gets():
    shared = np.ones(2)

    def doubled_in_place(x):
        x *= 2
        return x

    cases = [checks.Case((shared,), [2.0, 2.0]), checks.Case((shared,), [2.0, 2.0])]
    assert checks.compare(doubled_in_place, cases, "the factor") == "correct"


def test_case_hint_replaces_the_common_one():
    case = checks.Case((1,), 2, hint="this line")
    answer = checks.compare(lambda x: x, [case], hint="that line")
    assert answer.endswith("for input (1,): expected 2, got 1; look at this line")

import numpy as np
from exercise_battery import proof_of, right_answers
from numpy import array, cos, sin

right = right_answers("06")

X, ROWS = array([[[1], [2]], [[3], [4]]]), array([[7, 8], [9, 0], [5, 5]])

test_concatenate_positions = proof_of("06", "concatenate_positions")(
    ("positions[:length]", "positions[-length:]"),
    ("[tokens, rows]", "[rows, tokens]"),
    by_hand=[((X, ROWS), [[[1, 7, 8], [2, 9, 0]], [[3, 7, 8], [4, 9, 0]]])],
)


def halves(position, embed_dim):
    speed = 10_000 ** (-2 * np.arange(embed_dim // 2) / embed_dim)
    return np.concatenate([np.sin(position * speed), np.cos(position * speed)])


test_sinusoidal_row = proof_of("06", "sinusoidal_row")(
    halves,
    ("2 * (column // 2)", "column // 2"),
    ("2 * (column // 2)", "column"),
    by_hand=[((0, 4), [0, 1, 0, 1]), ((3, 4), [sin(3), cos(3), sin(0.03), cos(0.03)])],
)

TURN = np.eye(4) * [cos(2), cos(2), cos(0.02), cos(0.02)]
TURN[[0, 1, 2, 3], [1, 0, 3, 2]] = sin(2), -sin(2), sin(0.02), -sin(0.02)

test_shift_matrix = proof_of("06", "shift_matrix")(
    ("b = distance", "b = -distance"),
    ("10_000 ** (i / embed_dim)", "1"),  # the same speed for all pairs
    lambda distance, width: np.eye(width),
    (lambda distance, width: np.eye(width + 1), "wrong shape"),
    by_hand=[((0, 4), np.eye(4)), ((2, 4), TURN)],
)


def test_a_shift_of_far_positions_is_a_product_with_the_matrix():
    later = right.shift_matrix(13, 8) @ right.sinusoidal_row(200, 8)
    np.testing.assert_allclose(later, right.sinusoidal_row(213, 8), atol=1e-12)

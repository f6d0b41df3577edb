from exercise_battery import proof_of, right_answers
from numpy import array

right = right_answers("04")

# d = 1: 4 n against 2 n², which are equal at n = 2.
test_length_where_pairs_dominate = proof_of("04", "length_where_pairs_dominate")(
    lambda d: 2 * d,
    lambda d: d + 1,
    lambda d: 4 * d + 1,
    lambda d: d * d,
    by_hand=[((1,), 3), ((64,), 129)],
)

REAL = array([[True, True, True, False]])

test_window_mask = proof_of("04", "window_mask")(
    ("near[None]", "np.tril(near)[None]"),  # the past only
    ("<= window", "< window"),
    ("real[:, None, :]", "real[:, :, None]"),
    ("real[:, None, :]", "np.full((len(real), 1, 1), True)"),
    by_hand=[((REAL, 1), [[[1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 0], [0, 0, 1, 0]]])],
)


def all_pairs(query, key, value):
    weights = right.phi(query) @ right.phi(key).T
    return weights @ value / weights.sum(axis=1, keepdims=True)


# φ(0) = 1 and φ(2) = 3, so the second key weighs three times as much as the first.
KEYS, VALUES = array([[0.0], [2.0]]), array([[8.0], [0.0]])

test_linear_attention = proof_of("04", "linear_attention")(
    (all_pairs, "MB"),  # the same numbers, but from a table of all pairs
    ("mixed / (query @ key.sum(axis=0))[:, None]", "mixed"),
    ("phi(query), phi(key)", "query, key"),
    ("key.sum(axis=0)", "query.sum(axis=0)"),
    by_hand=[((array([[-1.0], [5.0]]), KEYS, VALUES), [[2.0], [2.0]])],
)

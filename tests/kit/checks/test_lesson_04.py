from exercise_battery import by_hand, proof_of
from numpy import array, exp, eye, log, ones, tri, where


def full_table(query, key, value, window):
    """Attend in a window, but make all scores."""
    scores = query @ key.T / query.shape[1] ** 0.5
    near = tri(*scores.shape, k=window) * tri(*scores.shape, k=window).T
    scores = where(near, scores, -1e9)
    weights = exp(scores - scores.max(axis=1, keepdims=True))
    return weights @ value / weights.sum(axis=1, keepdims=True)


TO_NOUN, TO_ADJECTIVE = [0, 0, 20], [0, 20, 0]
BY_HAND = array([TO_NOUN, TO_NOUN, TO_ADJECTIVE]), eye(3)

test_noun_finder = proof_of("04", "noun_finder")(
    lambda: (20 * eye(3), eye(3)),  # each kind looks for itself
    by_hand=[((), BY_HAND)],
    right=[lambda: (array([[20], [20], [-20]]), array([[0], [-1], [1]]))],
)

# The scores are 0 or 4 (log 3 / 2) / √4 = log 3, so a weight is 1 or 3.
QUERY, KEY = ones((3, 4)), array([[0] * 4, [log(3) / 2] * 4, [0] * 4])
VALUE = array([[8.0], [0], [4]])

test_window_attention = proof_of("04", "window_attention")(
    (full_table, "MB"),  # the same numbers
    by_hand=[
        ((QUERY, KEY, VALUE, 1), [[2], [12 / 5], [1]]),
        ((QUERY, KEY, VALUE, 0), VALUE),
        ((-999 * QUERY, ones((3, 4)), VALUE, 1), [[4], [4], [2]]),
    ],
)

ONES, TWO = ones((2, 1)), array([[0], [log(3)]])

test_mended_attention = by_hand("04", "mended_attention")(
    ((ONES, TWO, array([[8.0], [4.0]])), [[5], [5]]),
    ((ONES[:1], TWO, eye(2)), [[0.25, 0.75]]),
)

test_attended_words = proof_of("04", "attended_words")(
    lambda weights: 1 / (weights**2).sum(axis=-1),  # another number of words
    by_hand=[
        ((array([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]]),), [2, 1]),
        ((array([[0.25, 0.75]]),), [4 / 3**0.75]),
    ],
)

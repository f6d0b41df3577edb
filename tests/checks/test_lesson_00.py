from exercise_battery import proof_of
from numpy import array, exp, eye, log

test_three_weights = proof_of("00", "three_weights")(
    (lambda: [1 / 3] * 3, "the powers"),
    (lambda: [0.0, 0.0, 1.0], "the powers"),
    (lambda: [1, 1, 2], "their sum"),
    (lambda: [0.25, 0.75], "wrong shape"),
    by_hand=[((), [0.25, 0.25, 0.5])],
)

# A score of √2 · log 3 becomes log 3: the first key gets 3 of 4 parts.
TWO = array([2**0.5 * log(3), 0.0]), eye(2), array([[4.0, 0.0], [0.0, 8.0]])
ONE = log([3.0]), array([[1.0], [0.0]]), array([[4.0], [8.0]])
LARGE = array([2000.0]), array([[1.0], [0.0]]), array([[4.0], [8.0]])

test_attend = proof_of("00", "attend")(
    ("np.sqrt(len(query))", "len(query)", "the square root"),
    ("np.sqrt(len(query))", "1", "the square root"),
    ("np.sqrt(len(query))", "np.sqrt(2)", "the square root"),
    ("weights @ values", "weights @ keys", "what is mixed"),
    ("return weights, weights @ values", "return weights", "expected 2 values"),
    (
        "np.exp(scores - scores.max())\n    weights",
        "np.exp(scores)\n    weights",
        "largest",
    ),
    by_hand=[
        (TWO, ([0.75, 0.25], [3.0, 2.0])),
        (ONE, ([0.75, 0.25], [5])),
        (LARGE, ([1.0, 0.0], [4.0])),
    ],
)


def weights_over(axis, root=0.5):
    def weights(queries, keys):
        powers = exp(queries @ keys.T / keys.shape[1] ** root)
        return powers / powers.sum(axis=axis, keepdims=True)

    return weights


TWO_QUERIES = array([[2**0.5 * log(3), 0.0], [0.0, 0.0]]), eye(2)

test_mended_weights = proof_of("00", "mended_weights")(
    (weights_over(None), "the sum of each row"),
    (weights_over(0), "the sum of each row"),
    weights_over(1, root=0),
    by_hand=[(TWO_QUERIES, [[0.75, 0.25], [0.5, 0.5]])],
)

test_shortest_length = proof_of("00", "shortest_length")(
    (lambda: 4.0, "0.1 below it"),
    (lambda: 10.0, "at your length"),
    by_hand=[((), 4.1)],
)

import numpy as np
from exercise_battery import proof_of
from numpy import array, exp, eye, log

test_softmax = proof_of("00", "softmax")(
    (lambda scores: scores / scores.sum(), "the power of e"),
    (np.exp, "the sum that you divide by"),
    (lambda scores: exp(scores) / exp(scores).sum(), "the largest score"),
    by_hand=[
        ((log([1.0, 2.0, 5.0]),), [0.125, 0.25, 0.625]),
        ((array([1000.0, 1000.0]),), [0.5, 0.5]),
    ],
)

# A score of √2 · log 3 becomes log 3: the first key gets 3 of 4 parts.
TWO = array([2**0.5 * log(3), 0.0]), eye(2), array([[4.0, 0.0], [0.0, 8.0]])
ONE = log([3.0]), array([[1.0], [0.0]]), array([[4.0], [8.0]])

test_attend = proof_of("00", "attend")(
    ("np.sqrt(len(query))", "len(query)", "the square root"),
    ("np.sqrt(len(query))", "1", "the square root"),
    ("np.sqrt(len(query))", "np.sqrt(2)", "the square root"),
    ("weights @ values", "weights @ keys", "what is mixed"),
    ("return weights, weights @ values", "return weights", "expected 2 values"),
    by_hand=[(TWO, ([0.75, 0.25], [3.0, 2.0])), (ONE, ([0.75, 0.25], [5]))],
)

test_query_for_river = proof_of("00", "query_for_river")(
    (lambda: (2, 0), "'river' gets 0.673"),
    (lambda: (0, 10), "the direction"),
    (lambda: (10, 10), "the direction"),
    (lambda: (np.nan, 0), "expected 0.9"),
    (lambda: [[10, 0]], "expected (2,)"),
    by_hand=[((), [10.0, 0.0])],
    right=[lambda: [10, 0], lambda: array([10.0, -10.0])],
)

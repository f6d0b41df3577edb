from exercise_battery import by_hand, proof_of
from numpy import array, eye, log

test_three_weights = proof_of("00", "three_weights")(
    (lambda: [1 / 3] * 3, "how often"),
    (lambda: [0.0, 0.0, 1.0], "how often"),
    (lambda: [1, 1, 2], "they add up to 4.00"),
    (lambda: [0.25, 0.75], "ValueError"),
)

# A score of √2 · log 3 becomes log 3: the first key gets 3 of 4 parts.
TWO = array([2**0.5 * log(3), 0.0]), eye(2), array([[4.0, 0.0], [0.0, 8.0]])
ONE = log([3.0]), array([[1.0], [0.0]]), array([[4.0], [8.0]])
LARGE = array([2000.0]), array([[1.0], [0.0]]), array([[4.0], [8.0]])

test_attend = by_hand("00", "attend")(
    (TWO, ([0.75, 0.25], [3.0, 2.0])),
    (ONE, ([0.75, 0.25], [5])),
    (LARGE, ([1.0, 0.0], [4.0])),
)


TWO_QUERIES = array([[2**0.5 * log(3), 0.0], [0.0, 0.0]]), eye(2)

test_mended_weights = by_hand("00", "mended_weights")(
    (TWO_QUERIES, [[0.75, 0.25], [0.5, 0.5]]),
    ((array([[0.0, 0.0], [3000.0, 0.0]]), eye(2)), [[0.5, 0.5], [1.0, 0.0]]),
)

test_river_curve = by_hand("00", "river_curve")(
    ((array([0.0, 2**0.5 * log(4)]),), [1 / 3, 4 / 6]),
)

from exercise_battery import proof_of
from numpy import array, log, ones, zeros

from course_utils.checks.lesson_01 import _nearest as nearest

test_negative_probabilities = proof_of("01", "negative_probabilities")(
    by_hand=[(([81, 16, 1],), [0.75, 2 / 9, 1 / 36]), (([4, 4],), [0.5, 0.5])],
)

# Three words with equal queries and keys; the values are 1, 2 and 4.
X, V = zeros((3, 1)), array([[1.0], [2.0], [4.0]])

test_head_with_distance = proof_of("01", "head_with_distance")(
    # Without a slope the mean of the others; with log 3 a neighbour weighs three times.
    by_hand=[
        ((X, X, V, 0.0), [[3.0], [2.5], [1.5]]),
        ((X, X, V, log(3)), [[2.5], [2.5], [1.75]]),
        (
            (array([[999.0], [0], [0]]), array([[0], [1.0], [0]]), V, 0.0),
            [[2], [2.5], [1.5]],
        ),
    ],
)

ONES = ones((3, 1)) * log(3) ** 0.5  # σ(log 3) is ¾, so the pair misses ¼
UP, DOWN = array([[1.25], [1.0], [1.0]]), array([[1.0], [1.25], [0.25]])

test_mended_step = proof_of("01", "mended_step")(
    by_hand=[
        ((ONES, ONES, 0, 1, [], 1.0), (ONES * UP, ONES * [[1.0], [1.25], [1.0]])),
        ((ONES, ONES, 0, 1, [1, 2], 1.0), (ONES * [[0.5], [1], [1]], ONES * DOWN)),
    ],
)

LINE = array([[0.0], [4.0], [8.0]]), array(["river", "money", "money"])
NEW = array([[1.9], [2.1]])

test_accuracy_by_labels = proof_of("01", "accuracy_by_labels")(
    by_hand=[
        ((nearest, LINE, (array([[-1.0], [9]]), LINE[1][:2]), (1, 9), 0), [1.0, 1.0]),
        ((nearest, LINE, (NEW, LINE[1][:2]), (2, 9), 0), [1.0, 1.0]),
        ((nearest, LINE, (NEW, LINE[1][1:]), (2,), 5), [0.5]),
    ],
)

from exercise_battery import by_hand
from numpy import arange, array, log, ones, zeros

from course_utils.kit.checks.lesson_01 import _counting, _growing
from course_utils.kit.checks.lesson_01 import _nearest as nearest

test_negative_probabilities = by_hand("01", "negative_probabilities")(
    (([81, 16, 1],), [0.75, 2 / 9, 1 / 36]), (([4, 4],), [0.5, 0.5])
)

# Three words with equal queries and keys; the values are 1, 2 and 4.
X, V = zeros((3, 1)), array([[1.0], [2.0], [4.0]])

ONE_TWO_ONE = array([[1.0], [2], [1]])
KEYS = array([[0.0], [log(3) / 3], [0]]) * ones(9)  # a score is 9 (log 3 / 3) / √9

test_head_with_distance = by_hand("01", "head_with_distance")(
    # Without a slope the mean of the others; with log 3 a neighbour weighs three times.
    ((X, X, V, 0.0), [[3.0], [2.5], [1.5]]),
    ((X, X, V, log(3)), [[2.5], [2.5], [1.75]]),
    ((array([[999.0], [0], [0]]), array([[0], [1], [0]]), V, 0.0), [[2], [2.5], [1.5]]),
    ((array([[-999.0], [999], [0]]), ONE_TWO_ONE, V, 0.0), [[4], [2.5], [1.5]]),
    ((ones((3, 9)), KEYS, V, 0.0), [[2.5], [2.5], [1.75]]),
)

ONES = ones((3, 1)) * log(3) ** 0.5  # σ(log 3) is ¾, so the pair misses ¼
UP, DOWN = array([[1.25], [1.0], [1.0]]), array([[1.0], [1.25], [0.25]])

CENTRE = array([[0.25], [1.25], [1.0]])

test_mended_step = by_hand("01", "mended_step")(
    ((ONES, ONES, 0, 1, [], 1.0), (ONES * UP, ONES * [[1.0], [1.25], [1.0]])),
    ((ONES, ONES, 0, 1, [1, 2, 1], 1.0), (ONES * [[0.5], [1], [1]], ONES * DOWN)),
    ((ONES, ONES, 0, 1, [0], 1.0), (ONES * [[0.5], [1], [1]], ONES * CENTRE)),
)

LINE = array([[0.0], [4.0], [8.0]]), array(["river", "money", "money"])
NEW = array([[1.9], [2.1]])

THREE = LINE[0], array(["fig", "date", "bank"])
SIXTY = arange(60.0)[:, None], array(["a", "b", "c"]).repeat(20)
TEN = zeros((10, 1)), ones(10) > 0

test_accuracy_by_labels = by_hand("01", "accuracy_by_labels")(
    ((nearest, LINE, (array([[-1.0], [9]]), LINE[1][:2]), (1, 9), 0), [1.0, 1.0]),
    ((nearest, LINE, (NEW, LINE[1][:2]), (2, 9), 0), [1.0, 1.0]),
    ((nearest, LINE, (NEW, LINE[1][1:]), (2,), 5), [0.5]),
    ((_counting, LINE, TEN, (1, 2), 0), [0.2, 0.3]),
    ((_counting, THREE, TEN, (1,), 0), [0.3]),
    ((_growing, SIXTY, TEN, (1, 2, 3), 0), [1.0, 1.0, 1.0]),
)

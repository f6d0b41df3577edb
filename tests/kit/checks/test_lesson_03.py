from exercise_battery import by_hand, proof_of
from numpy import array, exp, log, ones, tanh, zeros

test_sharpness = by_hand("03", "sharpness")(
    ((0.9, 1, 0.0), log(9)),
    ((0.5, 4, -1.0), log(2)),
    ((0.8, 1, 0.5), log(16)),
)

NONE, ONE = zeros((1, 1)), ones((1, 1))
QUERY, KEYS, ROWS = array([1.0]), array([[0.0], [2.0], [0.0]]), array([[1.0], [0], [3]])

test_location_aware_scores = by_hand("03", "location_aware_scores")(
    ((QUERY, KEYS, array([1.0, 0, 0]), NONE, NONE, ROWS, ONE[0]), [0, tanh(1), 0]),
    ((QUERY, KEYS, array([0, 1.0, 0]), NONE, NONE, ROWS, ONE[0]), tanh([3, 0, 1])),
    ((QUERY, KEYS, zeros(3), ONE, ONE, ROWS, 2 * ONE[0]), 2 * tanh([1, 3, 1])),
)

# σ is 1 here: one step from its top a Gaussian is at exp(-1/2), two steps at exp(-2).
GAUSS = array([exp(-2), exp(-0.5), 1.0, exp(-0.5), 0])

NEXT = array([exp(-0.5), 1.0, 0])

test_mended_weights = by_hand("03", "mended_weights")(
    ((zeros(5), 0.5, array([1, 1, 1, 1, 0]) > 0, 2), GAUSS / GAUSS.sum()),
    ((zeros(4), 0.5, ones(4) > 0, 2), GAUSS[:4] / GAUSS.sum()),
    ((zeros(3), 0.5, array([1, 1, 0]) > 0, 2), NEXT / NEXT.sum()),
)

test_shifts = proof_of("03", "shifts")()

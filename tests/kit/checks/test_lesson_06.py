from exercise_battery import by_hand, proof_of
from numpy import array, cos, exp, ones, zeros

test_clock_products = proof_of("06", "clock_products")(
    lambda: (1, 1, 1, 0),
    lambda: (1, -1, 0, 0),
    lambda: (1, -1, 1),
    right=[lambda: array([1, -1, 1, 0])],
)

SLOPES = array([[[2.0**-4]], [[2.0**-8]]])  # of two heads
NEAR = 1 / (1 + exp(-SLOPES))  # the weight of the word itself, of two
OF_3 = 1 / (1 + exp(-(2.0 ** -array([[[8 / 3]], [[16 / 3]], [[8]]]))))
SAME = zeros((2, 2, 3))

test_penalised_weights = proof_of("06", "penalised_weights")(
    lambda queries, keys: ones((len(queries), *[queries.shape[1]] * 2)),
    by_hand=[
        ((SAME, SAME), array([[1, 0], [0, 1]]) * (2 * NEAR - 1) + 1 - NEAR),
        ((zeros((3, 2, 3)),) * 2, array([[1, 0], [0, 1]]) * (2 * OF_3 - 1) + 1 - OF_3),
    ],
)

ONE, TWO = array([[[[3.0, 4.0]]]]), array([[[[1.0, 0.0], [1.0, 0.0]]]])  # (1, 1, T, 2)
FAR = 1 / (1 + exp((1 - cos(1)) / 2**0.5))  # weight of the other of two tokens
VALUES = array([[[[1.0, 0.0], [0.0, 1.0]]]])

test_mended_attention = by_hand("06", "mended_attention")(
    ((ONE, ONE, ONE), ONE),
    ((TWO, TWO, VALUES), [[[[1 - FAR, FAR], [FAR, 1 - FAR]]]]),
)

SYMBOLS, SAID = array([[1, 2, 3, 4], [5, 6, 7, 8]]), array([[0, 1, 2, 4], [6, 5, 6, 5]])

test_explained_by_distance = by_hand("06", "explained_by_distance")(
    ((SAID, SYMBOLS, (0, 1, 3, -1)), [1 / 8, 4 / 6, 1 / 2, 1 / 6]),
)

from exercise_battery import by_hand, proof_of
from numpy import array, flipud, log, ones, tile, zeros

# 4 (2·2 + 2) + (2·3 + 3) + (3·2 + 2) + 2 (2 + 2)
test_encoder_weight_count = proof_of("05", "encoder_weight_count")(
    lambda d, f: 4 * d * d + 2 * d * f + 4 * d,  # no biases
    by_hand=[((2, 3), 24 + 9 + 8 + 8)],
)

X, MASK = array([[[1.0, 4.0], [0.0, 8.0], [9.0, 9.0]]]), array([[True, True, False]])

test_attention_pool = proof_of("05", "attention_pool")(
    (lambda x, mask, query, heads: x.mean(axis=1), "the scores"),
    # Two heads of one column: weights 3 to 1 in the first, equal ones in the second.
    by_hand=[
        ((X, MASK, zeros(2), 1), [[0.5, 6.0]]),
        ((X, MASK, array([log(3), 0.0]), 2), [[0.75, 6.0]]),
        ((X, MASK, array([2000.0, 2000.0]), 2), [[1.0, 8.0]]),
    ],
)

ONE = array([[[0.0, log(3) ** 0.5], [log(3) ** 0.5, 0.0]]])  # in each head, 1 and 0

test_mended_attention = by_hand("05", "mended_attention")(
    # √log 3 attends to itself with 3 of 4 parts, 0 to both alike.
    ((ONE, ones((1, 2), bool), 2), ONE.max() * array([[[0.5, 0.75], [0.75, 0.5]]])),
    ((ONE, array([[True, False]]), 2), tile(ONE[:, :1], (1, 2, 1))),
)

EYE, HALF = array([[1.0, 0.0], [0.0, 1.0]]), lambda x: x * 0 + 0.5
DEPTHS = (HALF, 1.0, 0.4), (HALF, 0.0, 0.0), (flipud, 2.0, 0.2)  # (2, 1) and (1, 2)

test_difference_by_depth = proof_of("05", "difference_by_depth")(
    by_hand=[((EYE, block, 1, scale), [1.0, left]) for block, scale, left in DEPTHS],
)

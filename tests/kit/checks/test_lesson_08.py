from exercise_battery import by_hand, proof_of
from numpy import array, diag, log

test_open_cells = proof_of("08", "open_cells")(
    (lambda: (25, 10, 20), "got 'too large'"),  # no padding
    (lambda: (9, 3, 6), "padded queries"),
    (lambda: (15, 3, 12), "got 'too small'"),
    (lambda: (15, 7), "ValueError"),
)

# 0.6 becomes 2.0667 - 1.0314 + 0.157969, and 0.8 becomes 2.7556 - 2.4448 + 0.665682.
test_orthogonalised = by_hand("08", "orthogonalised")(
    ((array([[3.0]]), 1), [[0.701]]),
    ((diag([3.0, 4.0]), 1), diag([1.193269, 0.976482])),
    ((array([[3.0], [0.0]]), 1), [[0.701], [0.0]]),
)

PADDED = array([[5, 6, 0]]), array([[2, 7]])

test_mended_masks = by_hand("08", "mended_masks")(
    (PADDED, ([[[1, 1, 0]]], [[[1, 0], [1, 1]]], [[[1, 1, 0]]])),
)

# Probabilities 3/4 and 1/4 at the first position, halves at the second.
TWO = array([[log([3.0, 1.0]), [5.0, 5.0]], [log([1.0, 3.0]), [2.0, 0.0]]])

test_loss_by_position = by_hand("08", "loss_by_position")(
    ((TWO, array([[1, 1], [1, 0]])), [(log(4) + log(4 / 3)) / 2, log(2)]),
)

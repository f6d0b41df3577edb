import numpy as np
from exercise_battery import by_hand, proof_of
from numpy import array

test_lora_by_hand = proof_of("13", "lora_by_hand")(
    (lambda: (147_456, 0.13), "expected 294912"),  # one of the two thin matrices
    (lambda: (24_576, 0.02), "in 12 blocks"),  # one block
    (lambda: (294_912, 0.0027), "per cent"),
    by_hand=[((), (294_912, 29_491_200 / 110_000_000))],
    right=[lambda: (294_912, 0.268)],
)

ONE, OTHER = array([1.0, 0]), array([0, 1.0])
BOTH, SAME = array([ONE, OTHER]), array([ONE, ONE])
# Rows (4, 0) and (4, 0), columns (4, 4) and (0, 0).
CONFUSED = (np.log1p(np.exp(-4)) + np.log1p(np.exp(4)) + 2 * np.log(2)) / 4

test_contrastive_loss = by_hand("13", "contrastive_loss")(
    ((2 * BOTH, 3 * BOTH, 1.0), np.log(1 + np.exp(-1))),
    ((array([5 * ONE]), array([OTHER]), 20.0), 0.0),
    ((SAME, BOTH, 4.0), CONFUSED),
    ((BOTH, BOTH, 900.0), 0.0),
    ((BOTH, SAME, 2000.0), (2000 + 2 * np.log(2)) / 4),
)

test_mended_vectors = proof_of("13", "mended_vectors")()
test_paired_difference = proof_of("13", "paired_difference")()

from exercise_battery import proof_of
from numpy import array

test_training_bytes = proof_of("18", "training_bytes")()

# Of 4 blocks two groups: 2 inputs and 2 blocks; of 5 blocks two: 2 · 3 + 3 · 2.
test_best_checkpoints = proof_of("18", "best_checkpoints")()

# Near 600 the numbers of bfloat16 are 4 apart, below 1 they are 1/256.
FAR = array([600.0]), array([[1.0], [1.0], [2.0]]), 1.0
test_mended_training = proof_of("18", "mended_training")(
    by_hand=[(FAR, [596.0]), ((array([1.0]), array([[0.005]]), 1.0), [0.99609375])]
)

# Nats for being small, or for having read a million bytes or a quarter of that.
SIZES, SECONDS = array([1e5, 1e6]), array([1e-5, 4e-5])
test_size_for = proof_of("18", "size_for")(
    by_hand=[
        ((array([1, 1, 1, 0, 1]), SIZES, SECONDS, 3.0), 1),
        ((array([0, 0.1, 1, 1, 1]), SIZES, SECONDS, 1 / 6), 0),
        ((array([0, 0.1, 1, 1, 1]), SIZES, SECONDS, 60.0), 1),
    ]
)

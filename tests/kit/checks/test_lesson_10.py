import numpy as np
from exercise_battery import proof_of
from numpy import array

test_bits_of_words = proof_of("10", "bits_of_words")()
test_forbidden = proof_of("10", "forbidden")()
test_contexts = proof_of("10", "contexts")()

IDS, AGAIN, ONE = array([[4, 5, 6], [7, 7, 4]]), array([[5, 4, 4]]), np.eye(9)
AHEAD = [True, True, False]

test_peeks = proof_of("10", "peeks")(
    lambda model, ids: np.zeros(ids.shape[1], bool),
    by_hand=[
        ((lambda ids: ONE[ids], IDS), [False] * 3),
        ((lambda ids: ONE[np.roll(ids, -1, axis=1)], IDS), AHEAD),
        ((lambda ids: ONE[np.roll(ids, -1, axis=1)], AGAIN), AHEAD),
        ((lambda ids: ONE[ids[:, [2, 2, 2]]], IDS), AHEAD),
    ],
)

import numpy as np
from exercise_battery import proof_of
from numpy import array

HAND = [((64, 4, 1), 1.5), ((2, 20, 5), 0.25)]
test_bits_of_words = proof_of("13", "bits_of_words")(by_hand=HAND)

RUNS = [(([5, 6, 7, 5, 6], 3), [7]), (([5, 5], 2), [5]), (([6, 5], 1), [5, 6])]
test_forbidden = proof_of("13", "forbidden")(by_hand=[*RUNS, (([8, 9], 4), [])])

IDS, ONE = array([[4, 5, 6], [7, 7, 4]]), np.eye(9)
test_peeks = proof_of("13", "peeks")(
    lambda model, ids: np.zeros(ids.shape[1], bool),
    by_hand=[
        ((lambda ids: ONE[ids], IDS), [False] * 3),
        ((lambda ids: ONE[np.roll(ids, -1, axis=1)], IDS), [True, True, False]),
        ((lambda ids: ONE[ids[:, [2, 2, 2]]], IDS), [True, True, False]),
    ],
)

BEFORE = [((array([7, 8, 9, 6]), 2, 2), ([[7, 8], [8, 9]], [9, 6]))]
BEFORE += [((array([7, 8, 9, 6]), 1, 3), ([[9]], [6]))]
test_contexts = proof_of("13", "contexts")(by_hand=BEFORE)

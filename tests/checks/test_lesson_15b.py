import numpy as np
from exercise_battery import proof_of
from numpy import array

test_calibrated_by_hand = proof_of("15b", "calibrated_by_hand")()


def bag(summary, right):
    both = sum(min(summary.count(w), right.count(w)) for w in set(summary))
    return 2 * both / max(len(summary) + len(right), 1)


test_rouge_l = proof_of("15b", "rouge_l")(
    (bag, "the order"),
    by_hand=[
        ((list("abcd"), list("axbxd")), 6 / 9),
        ((list("xyz"), list("zyx")), 2 / 6),
        (([], []), 0.0),
    ],
)

POOL = [("It is dull.", 0), ("It is  FUN. ", 1), ("Fun.", 1), ("Dull.", 0)]

test_own_examples_out = proof_of("15b", "own_examples_out")(
    by_hand=[
        (("it is fun.", POOL, 1), [POOL[0], POOL[2]]),
        (("Bad.", POOL, 2), [POOL[0], POOL[3], POOL[1], POOL[2]]),
    ]
)

LABELS = array([[1, 1, 0], [1, 0, 0], [1, 0, 1], [1, 1, 0]])

test_disagreement = proof_of("15b", "disagreement")(
    lambda labels, truth: (np.mean(labels.std(axis=0)), np.mean(labels == truth)),
    by_hand=[((LABELS, array([1, 0, 1])), (2 / 3, (1 + 0.5 + 0) / 3))],
)

import numpy as np
from exercise_battery import proof_of
from numpy import array

MAP = array([[0.6, 0.2, 0.2], [0.1, 0.5, 0.4], [0.2, 0.4, 0.4]])

test_role_share = proof_of("12", "role_weight")(
    ("mean()", "sum() / len(weights)"),
    lambda weights, d: np.roll(weights, -d, axis=1).trace() / len(weights),
    ("distance).mean", "-distance).mean"),
    by_hand=[((MAP, 0), 0.5), ((MAP, 1), 0.3), ((MAP, -1), 0.25), ((MAP, 2), 0.2)],
)

SQUARE = np.arange(1, 17).reshape(4, 4)

test_silence = proof_of("12", "silence")(
    ("quiet[head * width", "quiet[:, head * width"),
    ("kernel.copy()", "kernel", "has changed"),
    ("len(kernel) // num_heads", "num_heads"),
    ("head * width : (head + 1) * width", "head::num_heads"),
    by_hand=[
        ((SQUARE, 1, 4), [SQUARE[0], [0] * 4, SQUARE[2], SQUARE[3]]),
        ((SQUARE, 0, 2), [[0] * 4, [0] * 4, SQUARE[2], SQUARE[3]]),
    ],
)

# With both halves of the identity: ((1, 0), (½, ½)) @ ((½, ½), (0, 1)).
MAPS = array([[[[0.0, 1.0], [0.0, 1.0]]], [[[1.0, 0.0], [1.0, 0.0]]]])

test_rollout = proof_of("12", "rollout")(
    ("0.5 * block + 0.5 * np.eye(len(block))", "block"),
    ("in maps.mean(axis=1)", "in maps[::-1].mean(axis=1)"),
    ("maps.mean(axis=1)", "maps[:, 0]"),
    by_hand=[
        ((MAPS,), [[0.5, 0.5], [0.25, 0.75]]),
        ((MAPS.transpose(1, 0, 2, 3),), [[0.75, 0.25], [0.25, 0.75]]),
    ],
)

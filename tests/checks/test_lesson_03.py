import numpy as np
from exercise_battery import proof_of
from numpy import array, exp

NEAR = "np.abs(distance) <= half_width"

test_cosine_scores = proof_of("03", "cosine_scores")(
    ("query / np.linalg.norm(query, axis=1, keepdims=True)", "query"),
    ("np.linalg.norm(keys, axis=1, keepdims=True)", "(keys**2).sum(1)[:, None]"),
    ("np.linalg.norm(query, axis=1, keepdims=True)", "np.linalg.norm(query)"),
    by_hand=[
        ((array([[1.0, 0.0], [0.0, 2.0]]), array([[0.0, 7.0]])), [[0], [1]]),
        ((array([[3.0, 4.0]]), array([[5.0, 0.0], [-1.0, 0.0]])), [[0.6, -0.6]]),
    ],
)

test_monotonic_window = proof_of("03", "monotonic_window")(
    ("source_length - 1)", "target_length)"),
    (NEAR, "half_width + 1 - np.abs(distance)"),
    (NEAR, "np.abs(distance) < half_width"),
    (NEAR, "(distance <= 0) & (-distance <= half_width)"),
    ("source_length - 1", "source_length"),
    by_hand=[
        ((2, 4, 1), [[1, 1, 0, 0], [1, 1, 1, 0]]),
        ((4, 2, 0), [[1, 0], [0, 1], [0, 1], [0, 1]]),
    ],
)

# σ is 1 here: one step from its top a Gaussian is at exp(-1/2), two steps at exp(-2).
GAUSS = array([0.0, exp(-2), exp(-0.5), 1.0, exp(-0.5)])

test_predictive_weights = proof_of("03", "predictive_weights")(
    ("half_width / 2) ** 2", "half_width) ** 2"),
    ("scores - distance**2 / (2 * (half_width / 2) ** 2)", "scores"),
    ("np.abs(distance) <= half_width, nearer", "True, nearer"),
    ("powers / powers.sum()", "powers / np.exp(scores - nearer.max()).sum()"),
    by_hand=[((np.zeros(5), 3.0, 2), GAUSS / GAUSS.sum())],
)

from types import SimpleNamespace

import numpy as np
from exercise_battery import by_hand, proof_of
from numpy import array, log, zeros

# ½ after one step is σ(0); after two steps z = √½.
test_update_bias = proof_of("02", "update_bias")(
    lambda steps: np.log(steps / np.log(2)),  # about right, for many steps
    by_hand=[((1,), 0.0), ((2,), log(0.5**0.5 / (1 - 0.5**0.5)))],
)

STATES = array([[1.0]]), array([[2.0]])
HALF = array([[1.0]]), STATES, zeros((1, 4)), zeros((1, 4))
# f = σ(log 3) = ¾, the other gates are ½ and g = tanh 1: c becomes ¾ · 2 + ½ tanh 1.
C = 1.5 + 0.5 * np.tanh(1)

test_lstm_step = by_hand("02", "lstm_step")(
    ((*HALF, array([0.0, log(3), 1.0, 0.0])), (0.5 * np.tanh([[C]]), [[C]])),
)

# One unit, no input: z = σ(log 3) = ¾, r = ½, and the candidate is tanh(½ (1 · 1 + 2)).
ONE = array([[0.0]]), array([[1.0]]), zeros((1, 3)), array([[0.0, 0.0, 1.0]])
BIASES = array([[log(3), 0.0, 0.0], [0.0, 0.0, 2.0]])

test_mended_step = by_hand("02", "mended_step")(
    ((*ONE, BIASES), [[0.75 + 0.25 * np.tanh(1.5)]]),
)

TOKENS, WROTE = array([[2, 5, 6], [2, 7, 0]]), array([[11, 0, 13], [14, 15, 16]])
# Stands in for a generator: 0.9, 0.1, 0.9 in the first row, 0.1, 0.9, 0.1 in the other.
DRAWS = SimpleNamespace(random=lambda shape: np.resize([0.9, 0.1], shape))

test_mix_inputs = proof_of("02", "mix_inputs")(
    lambda tokens, wrote, rate, rng: tokens if rate < 0.5 else wrote,
    by_hand=[
        ((TOKENS, WROTE, 0.0, np.random.default_rng(0)), TOKENS),
        ((TOKENS, WROTE, 1.0, np.random.default_rng(0)), [[2, 11, 0], [2, 14, 0]]),
        ((TOKENS, WROTE, 0.5, DRAWS), [[2, 11, 6], [2, 7, 0]]),
    ],
)

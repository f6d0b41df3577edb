import numpy as np
from exercise_battery import proof_of
from numpy import array, log, zeros

# ½ after one step is σ(0); after two steps z = √½.
test_update_bias = proof_of("02", "update_bias")(
    ("0.5 ** (1 / steps)", "1 - 0.5 / steps", "ten steps"),
    ("np.log(z / (1 - z))", "z", "which b"),
    ("np.log(z / (1 - z))", "-np.log(z / (1 - z))", "ten"),
    lambda steps: np.log(steps / np.log(2)),  # about right, for many steps
    by_hand=[((1,), 0.0), ((2,), log(0.5**0.5 / (1 - 0.5**0.5)))],
)

STATES = array([[1.0]]), array([[2.0]])
HALF = array([[1.0]]), STATES, zeros((1, 4)), zeros((1, 4))
# f = σ(log 3) = ¾, the other gates are ½ and g = tanh 1: c becomes ¾ · 2 + ½ tanh 1.
C = 1.5 + 0.5 * np.tanh(1)

test_lstm_step = proof_of("02", "lstm_step")(
    ("i, f, g, o", "f, i, g, o", "what stays in c"),
    ("i, f, g, o", "i, f, o, g", "and h"),
    ("ops.tanh(g)", "ops.sigmoid(g)", "o, tanh"),
    ("* ops.tanh(c), c", "* c, c"),
    (" + h @ recurrent_kernel", "", "all weights"),
    ("* ops.tanh(c), c", "* ops.tanh(c)"),  # h alone
    by_hand=[((*HALF, array([0.0, log(3), 1.0, 0.0])), (0.5 * np.tanh([[C]]), [[C]]))],
)

# One unit, no input: z = σ(log 3) = ¾, r = ½, and the candidate is tanh(½ (1 · 1 + 2)).
ONE = array([[0.0]]), array([[1.0]]), zeros((1, 3)), array([[0.0, 0.0, 1.0]])
BIASES = array([[log(3), 0.0, 0.0], [0.0, 0.0, 2.0]])

test_mended_step = proof_of("02", "mended_step")(
    ("ops.sigmoid(x_z + h_z)", "ops.sigmoid(x_z)", "z and r"),
    ("z * h +", "z * r * h +", "any state"),
    (
        "x @ kernel + bias[0], 3, axis=-1)\n    h_z, h_r, h_c = ops.split("
        "h @ recurrent_kernel + bias[1]",
        "x @ kernel + bias[0] + bias[1], 3, axis=-1)\n    h_z, h_r, h_c = ops.split("
        "h @ recurrent_kernel",
        "what r acts on",
    ),
    ("x_z, x_r, x_c =", "x_r, x_z, x_c ="),
    ("z * h + (1 - z) *", "(1 - z) * h + z *", "what z keeps"),
    ("r * h_c", "h_c", "any state"),
    by_hand=[((*ONE, BIASES), [[0.75 + 0.25 * np.tanh(1.5)]])],
)

TOKENS, WROTE = array([[2, 5, 6], [2, 7, 0]]), array([[11, 12, 13], [14, 15, 16]])

test_mix_inputs = proof_of("02", "mix_inputs")(
    ("wrote[:, :-1]], axis=1)", "wrote[:, 1:]], axis=1)", "the shift"),
    ("[tokens[:, :1], wrote[:, :-1]], axis=1)", "[wrote], axis=1)", "[start]"),
    (" & (tokens != 0)", "", "padding"),
    ("< rate", "> rate", "nothing is replaced"),
    ("rng.random(tokens.shape)", "rng.random((len(tokens), 1))", "one for each token"),
    lambda tokens, wrote, rate, rng: tokens if rate < 0.5 else wrote,
    by_hand=[
        ((TOKENS, WROTE, 0.0, np.random.default_rng(0)), TOKENS),
        ((TOKENS, WROTE, 1.0, np.random.default_rng(0)), [[2, 11, 12], [2, 14, 0]]),
    ],
)

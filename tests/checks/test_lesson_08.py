import math

from exercise_battery import proof_of
from numpy import array

# 0.75, 0.5625, 0.42; and 0.99⁶⁸ is 0.505, 0.99⁶⁹ is 0.4998
test_steps_to_half = proof_of("08", "steps_to_half")(
    ("state >= 0.5", "state > 0.5"),
    ("state * z", "state - (1 - z)"),  # a linear fall
    by_hand=[((0.4,), 1), ((0.5,), 2), ((0.75,), 3), ((0.99,), 69)],
    right=[lambda z: math.floor(math.log(0.5) / math.log(z) + 1e-9) + 1],
)

FORWARD, BACKWARD = array([[[1], [2], [3]]]), array([[[7], [8], [9]]])

test_last_states = proof_of("08", "last_states")(
    ("mask.sum(axis=1) - 1", "-1"),  # at the padding
    ("backward[:, 0]", "backward[np.arange(len(forward)), last]"),
    ("[ends, backward[:, 0]]", "[backward[:, 0], ends]"),
    by_hand=[
        ((FORWARD, BACKWARD, array([[True, True, True]])), [[3, 7]]),
        ((FORWARD, BACKWARD, array([[True, True, False]])), [[2, 7]]),
    ],
)

test_brevity_penalty = proof_of("08", "brevity_penalty")(
    ("1.0 if c >= r else ", "", "longer than the references"),
    ("c >= r else float(np.exp(1 - r / c))", "c < r else float(np.exp(1 - c / r))"),
    ("return 0.0", "pass", "don't divide by 0"),
    by_hand=[((12, 10), 1.0), ((5, 10), math.exp(-1)), ((0, 10), 0.0)],
)

import numpy as np
from exercise_battery import proof_of
from numpy import array, ones

from course_utils.scaling import flops

# The course's own count is the third opinion.
test_cross_attention_flops = proof_of("18", "cross_attention_flops")(
    ("projections + scores_and_mix", "scores_and_mix", "four projections"),
    ("projections + scores_and_mix", "(projections + scores_and_mix) // 2"),
    ("target + source", "target + target", "keys and values S"),
    ("    projections =", "    batch = 1\n    projections =", "the batch"),
    ("projections + scores_and_mix", "projections + 3 * scores_and_mix // 2"),
    by_hand=[
        ((1, 1, 1, 1), 2 * 4 + 2 * 2),
        ((3, 2, 5, 4), 3 * (2 * 2 * (2 + 5) * 16 + 2 * 2 * 2 * 5 * 4)),
    ],
    right=[flops.attention_flops],
)

test_training_bytes = proof_of("18", "training_bytes")(
    ("1 + 1 + slots", "1 + slots", "gradients"),
    ("(1 + 1 + slots)", "2 + number_bytes * slots", "as large as the weights"),
    ('2 if policy == "bfloat16" else 4', "4", "without 'mixed'"),
    ('policy == "bfloat16"', '"bfloat16" in policy', "keeps weights"),
    by_hand=[
        ((10, 0, "float32"), 80),
        ((10, 2, "mixed_bfloat16"), 160),
        ((10, 2, "bfloat16"), 80),
    ],
)

GRADIENTS = ones((3, 2)) * array([[1.0], [2.0], [6.0]])

test_join_gradients = proof_of("18", "join_gradients")(
    ("tokens / np.sum(tokens)", "[1 / len(tokens)] * len(tokens)", "its part"),
    ("tokens / np.sum(tokens)", "[1] * len(tokens)", "plain mean"),
    ("tokens / np.sum(tokens)", "tokens"),
    ("tokens / np.sum(tokens)", "(1 / (tokens + 1)) / sum(1 / (tokens + 1))"),
    by_hand=[
        ((GRADIENTS, array([5, 5, 5])), [3.0, 3.0]),
        ((GRADIENTS, array([0, 3, 1])), [3.0, 3.0]),
        ((GRADIENTS, array([2, 1, 1])), [2.5, 2.5]),
    ],
    right=[lambda g, tokens: np.tensordot(tokens / sum(tokens), g, axes=1).tolist()],
)

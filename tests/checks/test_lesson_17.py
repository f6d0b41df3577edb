import numpy as np
from exercise_battery import proof_of
from numpy import array, log

COUNTED = np.arange(8).reshape(2, 4, 1)
COLOURED = np.arange(12).reshape(2, 2, 3)

test_patches = proof_of("17", "patches")(
    ("x.transpose(0, 2, 1, 3, 4)", "x", "must swap"),
    ("x.transpose(0, 2, 1, 3, 4)", "x.transpose(2, 0, 1, 3, 4)"),  # by columns
    ("x.transpose(0, 2, 1, 3, 4)", "x.transpose(0, 2, 4, 1, 3)", "colours"),
    ("width // size", "height // size", "height and width"),
    by_hand=[
        ((COUNTED, 2), [[0, 1, 4, 5], [2, 3, 6, 7]]),
        ((COLOURED, 2), [list(range(12))]),
        ((COLOURED, 1), COLOURED.reshape(4, 3)),
    ],
)

test_look_penalty = proof_of("17", "attention_penalty")(
    ("real @ weights", "weights.sum(axis=0)", "padding"),
    ("real @ weights", "weights.sum(axis=1)", "the axis"),
    ("np.square(1 - sums).sum()", "np.square(1 - sums).mean()", "no mean"),
    ("np.square(1 - sums)", "np.abs(1 - sums)"),
    ("np.square(1 - sums).sum()", "(1 - sums).sum() ** 2"),
    by_hand=[
        ((np.eye(2), np.ones(2)), 0.0),
        ((array([[1.0, 0.0], [1.0, 0.0]]), np.ones(2)), 2.0),
        ((array([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]), array([1.0, 0.0])), 1.5),
    ],
)

SCORES = log([3.0, 1.0])  # probabilities 3/4 and 1/4

test_one_look = proof_of("17", "reinforce_gradient")(
    ("(reward - baseline)", "reward", "subtract it"),
    ("(reward - baseline)", "(baseline - reward)", "the sign"),
    ("-powers / powers.sum()", "0 * powers"),
    ("(reward - baseline)", "(reward + baseline)"),
    ("-powers / powers.sum()", "-np.ones(len(scores)) / len(scores)", "softmax"),
    ("* change", "* change * (powers / powers.sum())[position]"),
    by_hand=[
        ((SCORES, 1, 5.0, 1.0), [-3.0, 3.0]),
        ((SCORES, 0, 0.0, 4.0), [-1.0, 1.0]),
        ((SCORES, 0, 7.0, 7.0), [0.0, 0.0]),
    ],
)

import numpy as np
from exercise_battery import by_hand, proof_of
from numpy import array, log

test_two_cells = proof_of("attention_on_images", "two_cells")(
    (lambda: (-0.25, 2.25, 0.375), "(reward − baseline)"),  # no baseline
    (lambda: (0.125, -1.125, -0.1875), "1 − p"),  # the sign of the other cell
    (lambda: (0.125, 1.125, 0.625), "expected 0.375"),  # not as often as drawn
    by_hand=[((), (1 / 8, 9 / 8, 3 / 8))],
)

# p is 3/4 and 1/4; the advantages are 2 and -2.
TWO = log(array([3.0, 1.0])), array([0, 1]), array([-1.0, -3.0])
# The advantages are 3, -1.5 and -1.5.
THREE = np.zeros(2), array([0, 0, 1]), array([0.0, -3.0, -3.0])


def without_probabilities(scores, drawn, rewards):
    """The advantages have the sum 0, so what is the same for all draws drops out."""
    advantages = (rewards - rewards.mean()) / (len(rewards) - 1)
    return advantages @ np.eye(len(scores))[drawn]


test_from_other_draws = proof_of("attention_on_images", "from_other_draws")(
    by_hand=[(TWO, [1.0, -1.0]), (THREE, [0.5, -0.5])], right=[without_probabilities]
)

MASKS = np.zeros((2, 4, 4), bool)
MASKS[0, 3, 3] = MASKS[1, 0, 1] = True  # the last of four cells, and the first

test_mended_pointing = by_hand("attention_on_images", "mended_pointing")(
    ((np.eye(4)[[3, 0, 1]], MASKS, [0, 1, -1]), 1.0),
    ((np.eye(4)[[3, 3]], MASKS, [0, 1]), 0.5),
)

RESCUED = "np.where(sums > 0, kept / np.maximum(sums, 1e-30), equal)"

test_moved = proof_of("attention_on_images", "moved")(
    (RESCUED, "kept / sums", "is 0"),
    (RESCUED, "equal", "proportion"),
)

from exercise_battery import proof_of
from numpy import array, eye, log

from course_utils.text.vectorizers import END, START

test_decoder_mask = proof_of("09", "decoder_mask")(
    ("target[:, None, :] != 0", "target[:, None, :] > -1"),
    ("target[:, None, :]", "target[:, :, None]"),
    ("dtype=bool))", "dtype=bool), -1)"),  # the past only
    by_hand=[((array([[5, 6, 0]]),), [[[1, 0, 0], [1, 1, 0], [1, 1, 0]]])],
)

# Probabilities 3/4 and 1/4; the target is 0.9 and 0.1.
test_smoothed_loss = proof_of("09", "smoothed_loss")(
    (
        "epsilon / len(logits))\n    target[label] +=",
        "epsilon / (len(logits) - 1))\n    target[label] =",
    ),
    ("log_probs).sum()", "log_probs)[label] / target[label]"),  # no smoothing
    by_hand=[
        ((log([3.0, 1.0]), 0, 0.0), log(4 / 3)),
        ((log([3.0, 1.0]), 0, 0.2), 0.9 * log(4 / 3) + 0.1 * log(4)),
    ],
)


def count_up(tokens):
    """Score START → 5 → 6 → 7 → END highest."""
    return eye(9)[{START: 5, 5: 6, 6: 7, 7: END}[tokens[-1]]]


test_greedy_tokens = proof_of("09", "greedy_tokens")(
    ("best == END", "False"),  # endless
    ("            break", "            return [*tokens[1:], END]"),
    ("tokens[1:]", "tokens"),
    ("len(tokens) <= max_length", "len(tokens) <= max_length + 1"),
    by_hand=[((count_up, 9), [5, 6, 7]), ((count_up, 2), [5, 6])],
)

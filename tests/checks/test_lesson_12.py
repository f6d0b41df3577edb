import numpy as np
from exercise_battery import proof_of
from numpy import array, log

test_even_roles = proof_of("12", "even_roles")(
    (lambda: (25 / 48, 13 / 48, 1 / 16), "expected 0.361111"),  # four rows
    (lambda: (1 / 4, 1 / 4, 1 / 4), "the four rows"),  # no mask
    (lambda: (25 / 48, 13 / 36, 1 / 4), "expected 0.0625"),  # the last row only
    by_hand=[((), ((1 + 1 / 2 + 1 / 3 + 1 / 4) / 4, 13 / 36, 1 / 16))],
)

# Head 1 has the values 1 and 2 and the row (3, 4) of W, head 2 the value 1 and (0, 2).
TWO_HEADS = (
    array([[[0.5, 0.5]], [[1.0, 0.0]]]),
    array([[[1.0], [2.0]], [[1.0], [1.0]]]),
    array([[3.0, 4.0], [0.0, 2.0]]),
)

test_arriving = proof_of("12", "arriving")(
    ("values @ rows", "values @ rows.transpose(0, 2, 1)", "raises"),
    ("(len(values), -1, kernel.shape[1])", "(-1, len(values), kernel.shape[1])"),
    ("weights * lengths[:, None]", "0 * weights + lengths[:, None]", "values, then W"),
    ("axis=-1)", "axis=-1, ord=1)"),
    by_hand=[(TWO_HEADS, [[[2.5, 5.0]], [[2.0, 0.0]]])],
)

SQUARE = np.arange(1, 17).reshape(4, 4)

test_mended_removal = proof_of("12", "mended_removal")(
    ("quiet[head * width", "quiet[:, head * width", "which stand together"),
    ("kernel.copy()", "kernel", "has changed"),
    ("len(kernel) // num_heads", "num_heads"),
    ("head * width : (head + 1) * width", "head::num_heads", "which stand together"),
    by_hand=[
        ((SQUARE, 1, 4), [SQUARE[0], [0] * 4, SQUARE[2], SQUARE[3]]),
        ((SQUARE, 0, 2), [[0] * 4, [0] * 4, SQUARE[2], SQUARE[3]]),
    ],
)

# The end has 3/4 where it is right, the other token 1/4; the second row is padding.
ODDS = (
    log(array([[[1, 1, 2], [1, 3, 12]], [[2, 1, 1], [1, 1, 1]]])),
    array([[1, 2], [0, 0]]),
)

test_end_probability = proof_of("12", "end_probability")(
    ("ends = labels == end", "ends = labels >= 0"),
    ("real = (labels != 0) & ~ends", "real = ~ends", "the rows of each mean"),
    (" - logits.max(axis=-1, keepdims=True)", "", "subtracted"),
    (
        "axis=-1, keepdims=True)\n    ends",
        "axis=1, keepdims=True)\n    ends",
        "softmax",
    ),
    by_hand=[((*ODDS, 2), (3 / 4, 1 / 4))],
)

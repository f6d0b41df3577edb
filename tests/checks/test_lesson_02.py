import numpy as np
from exercise_battery import proof_of
from numpy import array

from course_utils.text.vectorizers import END, START

LABELS = array([[5, 6, 7, END], [8, END, 0, 0]])

test_shift_right = proof_of("02", "shift_right")(
    ("np.where(labels == END, 0, labels)", "labels"),
    lambda labels: np.pad(labels[:, 1:], ((0, 0), (0, 1))),
    ("without_end[:, :-1]", "without_end"),
    by_hand=[
        ((LABELS,), [[START, 5, 6, 7], [START, 8, 0, 0]]),
        ((array([[END, 0]]),), [[START, 0]]),
    ],
)

X, STATE = array([[[1], [2]], [[3], [4]]]), array([[7, 8], [9, 0]])
REPEATED = "np.repeat(state[:, None], x.shape[1], axis=1)"

test_peeky_inputs = proof_of("02", "peeky_inputs")(
    ("[x, repeated]", "[repeated, x]"),
    ("[x, repeated]", "[x, repeated * np.eye(x.shape[1])[0][:, None]]"),
    (REPEATED, "np.tile(state, (x.shape[1], 1)).reshape(*x.shape[:2], -1)"),
    by_hand=[((X, STATE), [[[1, 7, 8], [2, 7, 8]], [[3, 9, 0], [4, 9, 0]]])],
)

test_first_errors = proof_of("02", "first_errors")(
    (" & (labels != 0)", ""),
    ("wrong.any(axis=1)", "True"),
    ("wrong.argmax(axis=1)", "wrong.shape[1] - 1 - wrong[:, ::-1].argmax(axis=1)"),
    by_hand=[
        ((array([[9, 9, 7, END], [8, 4, 4, END]]), LABELS), [0, 1]),
        ((array([[5, 6, 7, END], [8, END, 1, 1]]), LABELS), [-1, -1]),
    ],
)

import numpy as np
from exercise_battery import proof_of, right_answers
from numpy import array, log

right = right_answers("16")


def by_powers(logits, temperature):
    """The T-th root of the probabilities, and a new sum."""
    roots = np.exp(logits - logits.max(axis=1, keepdims=True)) ** (1 / temperature)
    return roots / roots.sum(axis=1, keepdims=True)


test_softened = proof_of("16", "softened")(
    ("logits / temperature", "logits * temperature", "where T divides"),
    ("logits / temperature", "logits"),
    lambda logits, temperature: right.soften_batch(logits, 1.0) / temperature,
    ("axis=1", "axis=0", "axis"),
    ("scores - scores.max(axis=1, keepdims=True)", "scores", "subtract it"),
    by_hand=[
        ((log([[1.0, 3.0]]), 1.0), [[0.25, 0.75]]),
        ((log([[1.0, 9.0], [4.0, 4.0]]), 2.0), [[0.25, 0.75], [0.5, 0.5]]),
        ((array([[1000.0, 1000.0]]), 1.0), [[0.5, 0.5]]),
    ],
    right=[by_powers],
)

FORMULA = "(1 - alpha) * hard + alpha * soft"
HARD = "cross_entropy(labels, student)"
# The logit 0 is the probability 1/2; 2 log 3 is 9/10, and 3/4 at T = 2.
ZERO, NINE = array([0.0]), array([2 * log(3)])

test_mixed_loss = proof_of("16", "mixed_loss")(
    ("temperature**2 * ", "", "T²"),
    ("student / temperature)", "student)"),
    (HARD, "cross_entropy(labels, student / temperature)", "T has no place"),
    (FORMULA, "alpha * hard + (1 - alpha) * soft", "the hard part"),
    ("labels == -1", "labels < -1", "no hard part"),
    (FORMULA, f"(labels != -1) * ({FORMULA})"),
    (FORMULA, f"np.mean({FORMULA})"),
    by_hand=[
        ((array([1.0]), NINE, ZERO, 1.0, 0.0), [log(2)]),
        ((array([-1.0]), ZERO, NINE, 2.0, 0.5), [2 * log(4) - log(3)]),
        ((array([1.0]), ZERO, NINE, 2.0, 1.0), [4 * (log(4) - log(3) / 2)]),
        ((array([1.0]), ZERO, NINE, 2.0, 0.5), [2 * log(4) - log(3) + log(10 / 9) / 2]),
    ],
)

TABLE = array([[1.27, -0.5, 0.016], [0.0, 0.0, 0.0], [-254.0, 2.0, 5.2]])
ROWS, STEPS = [[127, -50, 2], [0, 0, 0], [-127, 1, 3]], [0.01, 1.0, 2.0]

test_rows_as_int8 = proof_of("16", "rows_as_int8")(
    ("largest / 127", "largest.max() / 127", "one for each row"),
    ("np.round(table / steps[:, None])", "(table / steps[:, None])", "nearest"),
    ("np.where(largest == 0, 1.0, largest / 127)", "largest / 127", "can't divide"),
    ("np.abs(table).max(axis=1)", "np.maximum(table.max(axis=1), 1e-9)"),
    ('.astype("int8")', ""),
    ("), steps", "), 1 / steps"),
    by_hand=[((TABLE,), (ROWS, STEPS))],
)

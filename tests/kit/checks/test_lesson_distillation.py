import numpy as np
from exercise_battery import proof_of
from numpy import array, log

test_clear_review = proof_of("distillation", "clear_review")(
    (lambda: (4 / 5, 2 / 3, 0.6), "has to rise"),
    (lambda: (16 / 33, 4 / 17, -0.6), "the odds 16 : 1"),
    (lambda: (4 / 5, 2 / 3, -0.15), "expected -0.6"),  # without T²
    by_hand=[((), (0.8, 1 - 1 / 3, -0.6))],
)

test_serve_patiently = proof_of("distillation", "serve_patiently")()

HARD = "np.logaddexp(0, z) - labels * z"
# The logit 0 is the probability 1/2; 2 log 3 is 9/10, and 3/4 at T = 2.
ZERO, NINE = array([0.0]), array([2 * log(3)])

test_mended_loss = proof_of("distillation", "mended_loss")(
    (f"labels == -1, 0.0, {HARD}", f"labels < -1, 0.0, {HARD}", "no hard part"),
    (HARD, "np.logaddexp(0, z / temperature) - labels * z / temperature", "no place"),
    by_hand=[
        ((array([1.0]), NINE, ZERO, 1.0, 0.0), [log(2)]),
        ((array([-1.0]), ZERO, NINE, 2.0, 0.5), [2 * log(4) - log(3)]),
        ((array([1.0]), ZERO, NINE, 2.0, 1.0), [4 * (log(4) - log(3) / 2)]),
        ((array([1.0]), ZERO, NINE, 2.0, 0.5), [2 * log(4) - log(3) + log(10 / 9) / 2]),
    ],
)

RIGHT = array([[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 1, 0]], bool)  # the teacher first
DRAWS = array([[0, 0, 0, 0], [2, 2, 2, 2], [0, 1, 2, 3]])


def with_an_interval(teacher, students, draws):
    points = 100 * (students.mean(axis=0) - teacher)
    return points.mean(), np.percentile(points[draws].mean(axis=1), [2.5, 97.5])


test_lead = proof_of("distillation", "lead")(
    right=[with_an_interval],
    by_hand=[((RIGHT[0], RIGHT[1:], DRAWS), (12.5, 0.625, 95.625))],
)

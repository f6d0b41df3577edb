from exercise_battery import by_hand, proof_of
from numpy import array, log

test_even_roles = proof_of("what_attention_sees", "even_roles")(
    (lambda: (25 / 48, 13 / 48, 1 / 16), "expected 0.361111"),  # four rows
    (lambda: (1 / 4, 1 / 4, 1 / 4), "the four rows"),  # no mask
    (lambda: (25 / 48, 13 / 36, 1 / 4), "expected 0.0625"),  # the last row only
    by_hand=[((), ((1 + 1 / 2 + 1 / 3 + 1 / 4) / 4, 13 / 36, 1 / 16))],
)

test_arriving = proof_of("what_attention_sees", "arriving")()
test_mended_removal = proof_of("what_attention_sees", "mended_removal")()

# The end has 3/4 where it is right, the other token 1/4; the second row is padding.
ODDS = log(array([[[1, 1, 2], [1, 3, 12]], [[2, 1, 1], [1, 1, 1]]]))
LABELS = array([[1, 2], [0, 0]])

test_end_probability = by_hand("what_attention_sees", "end_probability")(
    ((ODDS, LABELS, 2), (3 / 4, 1 / 4)),
    ((ODDS + array([[0.0], [1000.0]]), LABELS, 2), (3 / 4, 1 / 4)),
)

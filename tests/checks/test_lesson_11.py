from exercise_battery import proof_of
from numpy import array, exp

test_narrow_beam = proof_of("11", "narrow_beam")(
    (lambda: (0.176, 0.187, 0.198, 0.154), "each step"),  # the second step's alone
    (lambda: (0.22, 0.187, 0.198, 0.22), "the seven"),
    (lambda: (0.176, 0.198, 0.198, 0.22), "the seven"),
)

TOP_OUT = array([0.4, 0.12, 0.12, 0.12, 0.12, 0.12])

test_typical = proof_of("11", "typical")(
    by_hand=[
        ((array([0.5, 0.25, 0.15, 0.1]), 0.6), [2 / 3, 1 / 3, 0, 0]),
        ((TOP_OUT, 0.5), [0, 0.2, 0.2, 0.2, 0.2, 0.2]),
        ((array([0.25, 0.5, 0.125, 0.125]), 0.25), [1, 0, 0, 0]),
        ((array([0.0, 0.25, 0.75]), 0.5), [0, 0, 1]),
    ],
)


class Ones:
    """A model whose encoder gives ones, and whose decoder has no block."""

    decoder_blocks = ()

    def encode(self, source):
        return 0 * array(source)[..., None] + 1


test_mended_memory = proof_of("11", "mended_memory")(
    by_hand=[((Ones(), array([[5, 4, 0]])), ([], [[True, True, False]]))],
)

TEXTS = ["a b c d", "a b"], ["a b c d", "a b"]

test_honest_bleu = proof_of("11", "honest_bleu")(
    by_hand=[
        (TEXTS, 100.0),
        ((["a b c d d"], ["a b c d"]), 100 * 0.2**0.25),
        ((["a b c d", ""], ["a b c d", "e f g h"]), 100 * exp(-1)),
        ((["a b c"], ["a b c"]), 0.0),
    ],
)

# The second setting is the best; the third comes near it on average only.
DRAWN = array([[40, 41, 42, 43, 44], [41, 42, 43, 44, 45], 5 * [42.9]])

test_setting_to_ship = proof_of("11", "setting_to_ship")(
    by_hand=[((DRAWN, [3, 2, 1], m), index) for m, index in ((0.5, 1), (1, 1), (3, 2))],
)

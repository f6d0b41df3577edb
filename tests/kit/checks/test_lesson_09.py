from exercise_battery import by_hand, proof_of
from numpy import array

test_narrow_beam = proof_of("09", "narrow_beam")(
    (lambda: (0.176, 0.187, 0.198, 0.154), "each step"),  # the second step's alone
    (lambda: (0.22, 0.187, 0.198, 0.22), "the seven"),
    (lambda: (0.176, 0.198, 0.198, 0.22), "the seven"),
)

test_typical = proof_of("09", "typical")()


class Ones:
    """A model whose encoder gives ones, and whose decoder has no block."""

    decoder_blocks = ()

    def encode(self, source):
        return 0 * array(source)[..., None] + 1


test_mended_memory = by_hand("09", "mended_memory")(
    ((Ones(), array([[5, 4, 0]])), ([], [[True, True, False]])),
    ((Ones(), array([[5, 4], [1, 0]])), ([], [[True, True], [True, False]])),
)

test_honest_bleu = proof_of("09", "honest_bleu")()

# The second setting is the best; the third comes near it on average only.
SKEW = array([[1.0, 1, 1, 9], [2, 2, 2, 2]])
LATE = array([[1.0] * 40, [0.9] * 39 + [-99]])  # 97.5 % of its draws are near
DRAWN = array([[40, 41, 42, 43, 44], [41, 42, 43, 44, 45], 5 * [42.9]])

test_setting_to_ship = proof_of("09", "setting_to_ship")(
    by_hand=[((DRAWN, [3, 2, 1], m), index) for m, index in ((0.5, 1), (1, 1), (3, 2))]
    + [((SKEW, [2, 1], 0.5), 0), ((LATE, [2, 1], 0.5), 1)],
)

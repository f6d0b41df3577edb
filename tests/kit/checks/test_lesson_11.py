import numpy as np
from exercise_battery import by_hand, proof_of

test_first_merges = proof_of("11", "first_merges")()
test_whole_words = proof_of("11", "whole_words")()
test_around = proof_of("11", "around")()


class Draws:
    """A generator whose draws are known: the positions, then what becomes of each."""

    def __init__(self, positions, *draws):
        self.positions, self.draws = positions, list(draws)

    def choice(self, open_positions, count, replace):
        assert not replace and count == len(self.positions)
        return np.array(self.positions)

    def random(self):
        return self.draws.pop(0)

    def integers(self, low, high):
        return low + 1


TEXT = [2, *range(21, 35), 3, 0]  # 14 tokens: 2 are chosen
HIDDEN = [2, 4, 6, *range(23, 35), 3, 0]
SHORT, PADDED = [2, *range(21, 32), 3], [2, *range(21, 30), 3, 0, 0, 0]

test_mended_masking = by_hand("11", "mended_masking")(
    ((TEXT, 50, Draws([2, 1], 0.1, 0.85)), (HIDDEN, [1, 2], [21, 22])),
    ((TEXT, 50, Draws([1, 2], 0.95, 0.99)), (TEXT, [1, 2], [21, 22])),
    (([2, 7, 8, 3], 50, Draws([1], 0.79)), ([2, 4, 8, 3], [1], [7])),
    ((SHORT, 50, Draws([1, 2], 0.1, 0.1)), ([2, 4, 4, *SHORT[3:]], [1, 2], [21, 22])),
    ((PADDED, 50, Draws([1], 0.1)), ([2, 4, *PADDED[2:]], [1], [21])),
)

import numpy as np
from exercise_battery import proof_of

test_first_merges = proof_of("14", "first_merges")(by_hand=[((), ("##ug", "zq", 0.05))])

PIECES = ["[CLS]", "un", "##watch", "##able", "films", "[SEP]"]

test_whole_words = proof_of("14", "whole_words")(
    by_hand=[
        ((PIECES, [4]), [4]),
        ((PIECES, [3]), [1, 2, 3]),
        ((PIECES, [4, 1]), [1, 2, 3, 4]),
        ((PIECES, [4, 1, 2]), [1, 2, 3, 4]),
        ((PIECES, []), []),
    ]
)


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

test_mended_masking = proof_of("14", "mended_masking")(
    by_hand=[
        ((TEXT, 50, Draws([2, 1], 0.1, 0.85)), (HIDDEN, [1, 2], [21, 22])),
        ((TEXT, 50, Draws([1, 2], 0.95, 0.99)), (TEXT, [1, 2], [21, 22])),
        (([2, 7, 8, 3], 50, Draws([1], 0.79)), ([2, 4, 8, 3], [1], [7])),
    ]
)

test_around = proof_of("14", "around")(
    by_hand=[
        (([7, 8, 9, 10, 11], 2, 1), ([2, 8, 4, 10, 3], 2)),
        (([7, 8, 9, 10, 11], 0, 2), ([2, 4, 8, 9, 3], 1)),
        (([7, 8, 9, 10, 11], 1, 9), ([2, 7, 4, 9, 10, 11, 3], 2)),
    ]
)

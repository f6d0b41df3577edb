import collections
import itertools
import math

from exercise_battery import proof_of
from numpy import array

test_count_pairs = proof_of("07", "count_pairs")(
    ("zip(words, words[1:])", "zip(words[::2], words[1::2])"),  # no overlap
    ("zip(words, words[1:])", "map(tuple, map(sorted, zip(words, words[1:])))"),
    ("counts.get(pair, 0) + 1", "1"),
    by_hand=[(("alone",), {}), (("b b b a",), {("b", "b"): 2, ("b", "a"): 1})],
    right=[lambda text: collections.Counter(itertools.pairwise(text.split()))],
)

# 0.25 / 0.0025; 0.16 / 0.0009 = 177.8; 0.21 / 0.0009 = 233.3; 0.25 / 0.0625
test_reviews_needed = proof_of("07", "reviews_needed")(
    ("math.ceil", "math.floor", "fewer would give a larger error"),
    ("math.ceil", "round", "not to the nearest"),
    ("math.ceil", "1 + math.floor"),
    lambda p, error: math.ceil(math.sqrt(p * (1 - p)) / error),
    by_hand=[
        ((0.5, 0.05), 100),
        ((0.8, 0.03), 178),
        ((0.7, 0.03), 234),
        ((0.5, 0.25), 4),
    ],
)

ONE, OTHER = array([1, 1, 1, 1, 1, 0], bool), array([1, 0, 0, 0, 0, 0], bool)

test_errors_apart = proof_of("07", "errors_apart")(
    ("np.sqrt(a + b)", "np.sqrt(len(one))"),
    ("np.sqrt(a + b)", "np.sqrt(np.sum(~(one & other)))"),
    ("abs(a - b)", "int(a) - int(b)"),
    ("return 0.0", "return float('nan')"),
    by_hand=[((ONE, OTHER), 2.0), ((OTHER, ONE), 2.0), ((ONE, ONE), 0.0)],
)

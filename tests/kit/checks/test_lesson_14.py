import difflib

import numpy as np
from exercise_battery import proof_of
from numpy import array

test_calibrated_by_hand = proof_of("14", "calibrated_by_hand")()


def bag(summary, right):
    both = sum(min(summary.count(w), right.count(w)) for w in set(summary))
    return 2 * both / max(len(summary) + len(right), 1)


def greedy(summary, right):
    at = both = 0
    for word in summary:
        if word in right[at:]:
            at, both = right.index(word, at) + 1, both + 1
    return 2 * both / max(len(summary) + len(right), 1)


def blocks(summary, right):
    matcher = difflib.SequenceMatcher(None, summary, right, autojunk=False)
    return matcher.ratio() if summary or right else 0.0


test_rouge_l = proof_of("14", "rouge_l")(
    (bag, "the order"),
    (greedy, "too soon"),
    (lambda summary, right: greedy(right, summary), "too soon"),
    (blocks, "too soon"),
)

# Each has two words of the review, "Fun." and "Old." have none.
POOL = [("Fun.", 1), ("Old.", 0), ("A slow one.", 0), ("A fun film.", 1)]
test_own_examples_out = proof_of("14", "own_examples_out")(
    by_hand=[(("A slow film.", POOL, 1), [("A slow one.", 0), ("A fun film.", 1)])],
)

LABELS = array([[1, 1, 0], [1, 0, 0], [1, 0, 1], [1, 1, 0]])

test_disagreement = proof_of("14", "disagreement")(
    lambda labels, truth: (np.mean(labels.std(axis=0)), np.mean(labels == truth)),
    by_hand=[((LABELS, array([1, 0, 1])), (2 / 3, (1 + 0.5 + 0) / 3))],
)

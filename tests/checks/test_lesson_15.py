import functools

import numpy as np
from exercise_battery import proof_of
from numpy import array

test_lora_by_hand = proof_of("15", "lora_by_hand")(
    (lambda: (147_456, 0.13), "expected 294912"),  # one of the two thin matrices
    (lambda: (24_576, 0.02), "in 12 blocks"),  # one block
    (lambda: (294_912, 0.0027), "per cent"),
    by_hand=[((), (294_912, 29_491_200 / 110_000_000))],
    right=[lambda: (294_912, 0.268)],
)


def by_recursion(summary, right):
    @functools.cache
    def common(i, j):
        if not i or not j:
            return 0
        if summary[i - 1] == right[j - 1]:
            return 1 + common(i - 1, j - 1)
        return max(common(i - 1, j), common(i, j - 1))

    words = len(summary) + len(right)
    return 2 * common(len(summary), len(right)) / words if words else 0.0


def bag(summary, right):
    both = sum(min(summary.count(w), right.count(w)) for w in set(summary))
    return 2 * both / max(len(summary) + len(right), 1)


test_rouge_l = proof_of("15", "rouge_l")(
    (bag, "the order"),
    ("max(table[i][j + 1], table[i + 1][j])", "0"),
    ("max(table[i][j + 1], table[i + 1][j])", "table[i][j + 1]"),
    ("2 * table[-1][-1] / words", "table[-1][-1] / max(len(right), 1)"),
    ("if words else 0.0", "", "two empty texts"),
    by_hand=[
        ((list("abcd"), list("axbxd")), 6 / 9),
        ((list("xyz"), list("zyx")), 2 / 6),
        (([], []), 0.0),
    ],
    right=[by_recursion],
)

# Means of the real pieces: (3, 4) and (0, 2).
STATES = array([[[2.0, 3], [4, 5], [9, 9]], [[0, 2], [7, 7], [7, 7]]])
REAL = array([[1, 1, 0], [1, 0, 0]])

test_mended_vectors = proof_of("15", "mended_vectors")(
    ("    return mean", "    mean = mean - mean.mean(axis=0)\n    return mean"),
    ("* mask[..., None]", "", "the padding"),
    (" / np.linalg.norm(mean, axis=-1, keepdims=True)", "", "the length, 1"),
    ("axis=-1, keepdims=True)", "keepdims=True)", "neither may change"),
    by_hand=[((STATES, REAL), [[0.6, 0.8], [0.0, 1.0]])],
)

LABELS = array([[1, 1, 0], [1, 0, 0], [1, 0, 1], [1, 1, 0]])

test_disagreement = proof_of("15", "disagreement")(
    ("(votes > 0) & (votes < 1)", "votes > 0"),
    ("labels.mean(axis=0)", "labels.mean(axis=1)"),
    ("np.where(votes == 0.5, 0.5, (votes > 0.5) == truth)", "(votes > 0.5) == truth"),
    lambda labels, truth: (np.mean(labels.std(axis=0)), np.mean(labels == truth)),
    by_hand=[((LABELS, array([1, 0, 1])), (2 / 3, (1 + 0.5 + 0) / 3))],
)

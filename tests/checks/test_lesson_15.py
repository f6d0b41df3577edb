import numpy as np
from exercise_battery import proof_of
from numpy import array, log

test_unknown_share = proof_of("15", "unknown_rate")(
    (
        lambda texts, unknown: np.mean([t.count(unknown) / len(t) for t in texts]),
        "all texts together",
    ),
    lambda texts, unknown: np.mean([unknown in text for text in texts]),
    ("tokens.count(unknown)", "1 - tokens.count(unknown)", "the unknown token"),
    ("tokens.count(unknown) / len(tokens)", "(unknown in tokens) / len(set(tokens))"),
    by_hand=[
        (([list("?a"), list("bcdefg")], "?"), 1 / 8),
        (([list("??bc"), list("d???")], "?"), 5 / 8),
        (([list("?")], "?"), 1.0),
    ],
)

test_candidate_shares = proof_of("15", "candidate_probabilities")(
    ("/ powers.sum()", "/ np.exp(logits - chosen.max()).sum()", "candidates alone"),
    ("np.exp(chosen - chosen.max())", "chosen + (chosen.sum() == 0)"),
    ("powers / powers.sum()", "np.sort(powers / powers.sum())[::-1]"),
    ("chosen - chosen.max()", "chosen", "subtracting the largest"),
    by_hand=[
        ((log([6.0, 1.0, 3.0, 9.0]), [1, 2]), [0.25, 0.75]),
        ((array([0.0, 1000.0, 1000.0]), [1, 2]), [0.5, 0.5]),
    ],
)


def by_a_loop(rows):
    pairs = [(i, j) for i in range(len(rows)) for j in range(i)]
    distances = [np.maximum(rows[i] - rows[j], 0).sum() for i, j in pairs]
    return sum(distances) / len(pairs)


SUM = "distances.sum() / (len(rows) * (len(rows) - 1))"

# The three distances are 1/2, 0 and 1/2.
test_mean_difference = proof_of("15", "mean_difference")(
    (".sum(axis=-1) / 2", ".sum(axis=-1)", "factor 1/2"),
    (SUM, "distances.mean()"),
    (SUM, "distances.max()", "each two different groups once"),
    (SUM, "np.abs(rows - rows.mean(axis=0)).sum(axis=-1).mean()"),
    ("np.abs(rows[:, None] - rows[None])", "((rows[:, None] - rows[None]) ** 2)"),
    by_hand=[((array([[0.5, 0.5], [0.0, 1.0], [0.5, 0.5]]),), 1 / 3)],
    right=[by_a_loop],
)

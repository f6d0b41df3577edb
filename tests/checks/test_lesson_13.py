import numpy as np
from exercise_battery import proof_of
from numpy import array, log

ROWS = log([[0.5, 0.5, 0.5], [0.03125, 0.7, 0.7]])
SCORED = array([[True, True, True], [True, False, False]])
ROW_SUMS = "(log_probs * scored).sum(axis=1) / scored.sum(axis=1)"

# The logarithms to base 2 of the four scored targets are -1, -1, -1, -5: 2 on average.
test_perplexity = proof_of("13", "perplexity")(
    ("-log_probs[scored]", "log_probs[scored]", "the sign"),
    ("np.exp(-", "2 ** (-"),
    ("-log_probs[scored]", "-log_probs", "divide by"),
    ("-log_probs[scored]", "-(log_probs * scored)"),
    ("-log_probs[scored].mean()", f"-({ROW_SUMS}).mean()", "not one for each row"),
    ("np.exp(-log_probs[scored].mean())", f"np.exp(-{ROW_SUMS}).mean()"),
    lambda log_probs, scored: 4.0,
    by_hand=[((log([[0.125, 0.125]]), SCORED[:1, :2]), 8.0), ((ROWS, SCORED), 4.0)],
    right=[lambda p, scored: np.exp(-(p * scored).sum() / scored.sum())],
)

SHORTER = array([0.5, 0.25, 0.25])
ADDED = "    if kinds == 0:\n        return shorter\n"

# Two kinds: (3 + 2 · 0.5) / 6, (1 + 2 · 0.25) / 6, (0 + 2 · 0.25) / 6.
test_witten_bell = proof_of("13", "witten_bell")(
    (ADDED, "", "never occurred"),
    ("np.count_nonzero(counts)", "counts.sum()", "kinds"),
    ("np.count_nonzero(counts)", "counts.any() * len(counts)"),
    ("np.count_nonzero(counts)", "int(counts.any())"),
    lambda counts, shorter: counts / max(counts.sum(), 1) / 2 + shorter / 2,
    by_hand=[
        ((array([0, 0, 0]), SHORTER), SHORTER),
        ((array([3, 1, 0]), SHORTER), [4 / 6, 1.5 / 6, 0.5 / 6]),
    ],
)


def by_a_loop(words, n):
    grams = [words[i : i + n] for i in range(len(words) - n + 1)]
    return sum(gram in grams[:i] for i, gram in enumerate(grams)) / max(len(grams), 1)


RATE = "1 - len(set(found)) / len(found)"

test_repeated_share = proof_of("13", "repetition_rate")(
    (RATE, "sum(found.count(n) > 1 for n in found) / len(found)", "the first time"),
    (RATE, "1 - len(set(words)) / len(words)"),
    ("len(words) - n + 1)", "0, len(words) - n + 1, n)", "overlap"),
    (RATE, "(len(found) - len(set(found))) / len(words)"),
    (" if found else 0.0", "", "less than n words"),
    (RATE, "len(set(found)) / len(found)"),
    by_hand=[
        ((list("abcd"), 1), 0.0),
        ((["so", "bad"] * 3, 2), 0.6),
        ((["very"] * 3 + ["good"], 2), 1 / 3),
        ((list("abab"), 4), 0.0),
        ((list("ab"), 4), 0.0),
    ],
    right=[by_a_loop],
)

import numpy as np
from exercise_battery import proof_of
from numpy import array, log

test_penalised = proof_of("11", "penalised")(
    ("5 + length", "6 + length", "length 1"),
    ("log_prob /", "log_prob *", "what you divide by"),
    ("((5 + length) / 6) ** alpha", "((5 + length) / 6 * alpha + 1)"),
    ("((5 + length) / 6) ** alpha", "((5 + length) ** alpha / 6)"),
    ("((5 + length) / 6) ** alpha", "length**alpha"),
    (" ** alpha", ""),
    by_hand=[((-2.0, 4, 0.0), -2.0), ((-2.0, 1, 0.7), -2.0), ((-3.0, 13, 2.0), -1 / 3)],
)


def nucleus_by_a_loop(probabilities, p):
    result, total = [0.0] * len(probabilities), 0.0
    while total < p:
        rest = [i for i in range(len(result)) if not result[i]]
        best = max(rest, key=lambda i: probabilities[i])
        result[best] = probabilities[best]
        total += probabilities[best]
    return [probability / total for probability in result]


test_nucleus = proof_of("11", "nucleus")(
    ("before < p", "before + probabilities[order] <= p", "it stays"),  # too few
    ("before < p", "before <= p", "equal to p"),  # one too many
    ("before < p", "probabilities[order] >= p"),
    ("kept / kept.sum()", "kept"),
    ("kept / kept.sum()", "np.sort(kept / kept.sum())[::-1]", "the order"),
    by_hand=[
        ((array([0.5, 0.25, 0.15, 0.1]), 0.6), [2 / 3, 1 / 3, 0, 0]),
        ((array([0.1, 0.2, 0.4, 0.3]), 0.8), [0, 2 / 9, 4 / 9, 3 / 9]),
        ((array([0.125, 0.5, 0.125, 0.25]), 0.75), [0, 2 / 3, 0, 1 / 3]),
        ((array([0.25, 0.625, 0.125]), 1.0), [0.25, 0.625, 0.125]),
        ((array([0.25, 0.625, 0.125]), 0.2), [0, 1, 0]),
    ],
    right=[nucleus_by_a_loop],
)


def k_of_each_beam(scores, log_probs, k):
    tokens = np.argsort(-log_probs, axis=1)[:, :k]
    parents = np.repeat(np.arange(len(scores)), tokens.shape[1])
    tokens = tokens.reshape(-1)
    return parents, tokens, scores[parents] + log_probs[parents, tokens]


ONE = array([0.0]), log([[0.1, 0.2, 0.15, 0.55]])
# A token of 0.9 doesn't save the beam that is far behind.
BEHIND = array([-0.5, -4.0]), log([[0.5, 0.3, 0.2], [0.05, 0.9, 0.05]])
RESULT = "return parents, tokens, extended[parents, tokens]"

test_beam_step = proof_of("11", "beam_step")(
    ("scores[:, None] + log_probs", "log_probs", "old scores"),
    ("extended[parents, tokens]", "log_probs[parents, tokens]"),
    k_of_each_beam,
    ("best =", "extended[extended < extended.max(1)[:, None]] = -99; best ="),
    ("return parents, tokens", "return tokens, parents", "order of the results"),
    ("log_probs.shape[1]", "len(scores)", "n // V"),
    (RESULT, RESULT.replace(",", "[::-1],", 2) + "[::-1]", "best first"),
    by_hand=[
        ((*ONE, 2), ([0, 0], [3, 1], log([0.55, 0.2]))),
        ((*BEHIND, 2), ([0, 0], [0, 1], log([0.5, 0.3]) - 0.5)),
        ((BEHIND[0] * 0, BEHIND[1], 2), ([1, 0], [1, 0], log([0.9, 0.5]))),
    ],
)

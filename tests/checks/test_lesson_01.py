from exercise_battery import proof_of
from numpy import array, log, zeros

test_skip_gram_pairs = proof_of("01", "skip_gram_pairs")(
    ("s != t", "True"),  # with itself
    ("s != t", "words[s] != centre"),
    ("max(0, t - window)", "t"),  # to the right only
    ("t + window + 1", "t + window"),
    ("max(0, t - window)", "max(0, t - window + 1)"),
    ("max(0, t - window)", "t - window"),  # the end comes before the beginning
    by_hand=[
        ((list("ab"), 3), [("a", "b"), ("b", "a")]),
        ((list("abb"), 1), [("a", "b"), ("b", "a"), ("b", "b"), ("b", "b")]),
        ((["rain"], 3), []),
    ],
)

# Three scores of 0 cost log 2 each; the sigmoid of log 3 is 3/4, that of 0 is 1/2.
test_negative_sampling_loss = proof_of("01", "negative_sampling_loss")(
    ("-(negatives @ centre)", "negatives @ centre"),
    ("-(negatives @ centre)", "-(negatives @ centre).mean()"),
    ("-(negatives @ centre)", "-(negatives @ context)"),  # of the other word
    ("np.logaddexp(0, -scores)", "-1 / (1 + np.exp(-scores))"),
    by_hand=[
        ((zeros(3), zeros(3), zeros((2, 3))), 3 * log(2)),
        ((array([1.0]), array([log(3)]), array([[0.0]])), log(8 / 3)),
        ((array([1.0]), array([0.0]), array([[-log(3)]])), log(8 / 3)),
    ],
)

# The mean of money is 6, so the middle between the two senses lies at 3.
LINE = array([[0.0], [4.0], [8.0]]), array(["river", "money", "money"])

test_nearest_centroid = proof_of("01", "nearest_centroid")(
    ("np.linalg.norm(new[:, None] - means[None], axis=-1)", "-new @ means.T"),
    ("argmin", "argmax"),
    lambda vectors, senses, new: senses[abs(new[:, None] - vectors).sum(-1).argmin(1)],
    by_hand=[((*LINE, array([[2.9], [3.1]])), ["river", "money"])],
)

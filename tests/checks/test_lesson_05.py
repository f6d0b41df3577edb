from exercise_battery import proof_of
from numpy import array

# 4 (2·2 + 2) + (2·3 + 3) + (3·2 + 2) + 2 (2 + 2)
test_encoder_weight_count = proof_of("05", "encoder_weight_count")(
    (" + 2 * 2 * embed_dim", ""),  # no normalisations
    lambda d, f: 4 * d * d + 2 * d * f + 4 * d,  # no biases
    ("4 * (embed_dim * embed_dim", "4 * (2 * embed_dim * embed_dim"),  # key_dim
    by_hand=[((2, 3), 24 + 9 + 8 + 8)],
)

X = array([[[1.0], [3.0]], [[2.0], [9.0]]])

test_masked_mean = proof_of("05", "masked_mean")(
    lambda x, mask: x.mean(axis=1),
    ("weights.sum(axis=1)", "x.shape[1]", "what you divide by"),
    ("weights.sum(axis=1)", "weights.sum(axis=1)[0]"),
    lambda x, mask: x[0].mean(axis=0),
    by_hand=[((X, array([[True, True], [True, False]])), [[2.0], [2.0]])],
)

# 1 + 2 (1 + 1) = 5, and 5 + 2 (2 · 5) = 25
test_pre_norm_block = proof_of("05", "pre_norm_block")(
    # The norms at the end; sums with what is normalised.
    lambda x, n_1, attend, n_2, dense: n_2((y := n_1(x + attend(x))) + dense(y)),
    lambda x, n_1, attend, n_2, dense: (y := n_1(x) + attend(n_1(x))) + dense(n_2(y)),
    by_hand=[((1.0, lambda x: x + 1, *[lambda x: 2 * x] * 3), 25.0)],
)

from exercise_battery import proof_of
from numpy import array

test_exchange = proof_of("18b", "exchange")(
    (lambda: (496.0, 19.84), "2 (W - 1) pieces"),  # all of it, once
    (lambda: (992.0, 39.68), "2 (W - 1) pieces"),  # all of it, to one and back
    (lambda: (434.0, 17.36), "2 (W - 1) pieces"),  # one way round
    by_hand=[((), (2 * 7 * 4 * 124 / 8, 2 * 7 * 4 * 124 / 8 / 25))],
)

# 4.32e21 = 120 N² for 6 billion, 96 GB; 1.8e18 for 122 million, 1.96 GB: halves of 3.2.
test_plan = proof_of("18b", "plan")(
    by_hand=[
        ((12000.0, 2.0, 4e14, 0.5, 64.0), (6.0, 120.0, 3, 2000.0)),
        ((3.0, 3.0, 1e15, 0.5, 3.2), (1.5**0.5 / 10, 2 * 1.5**0.5, 2, 0.5)),
    ]
)

test_token_weights = proof_of("18b", "token_weights")(
    by_hand=[((array([[5, 6, 7], [8, 0, 0]]),), [[0.25] * 3, [0.25, 0, 0]])]
)

# A signal of 2 and a noise of 24: 2 + 24 / 8 = 5 and 2 + 24 / 16 = 3.5.
test_noise_scale = proof_of("18b", "noise_scale")()

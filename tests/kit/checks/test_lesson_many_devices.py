from exercise_battery import proof_of

test_exchange = proof_of("many_devices", "exchange")(
    (lambda: (496.0, 19.84), "2 (W - 1) pieces"),  # all of it, once
    (lambda: (992.0, 39.68), "2 (W - 1) pieces"),  # all of it, to one and back
    (lambda: (434.0, 17.36), "2 (W - 1) pieces"),  # one way round
    by_hand=[((), (2 * 7 * 4 * 124 / 8, 2 * 7 * 4 * 124 / 8 / 25))],
)

# 4.32e21 = 120 N² for 6 billion, 96 GB; 1.8e18 for 122 million, 1.96 GB: halves of 3.2.
test_plan = proof_of("many_devices", "plan")()
test_token_weights = proof_of("many_devices", "token_weights")()

# A signal of 2 and a noise of 24: 2 + 24 / 8 = 5 and 2 + 24 / 16 = 3.5.
test_noise_scale = proof_of("many_devices", "noise_scale")()

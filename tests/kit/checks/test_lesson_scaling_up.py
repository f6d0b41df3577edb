from exercise_battery import proof_of

test_training_bytes = proof_of("scaling_up", "training_bytes")()

# Of 4 blocks two groups: 2 inputs and 2 blocks; of 5 blocks two: 2 · 3 + 3 · 2.
test_best_checkpoints = proof_of("scaling_up", "best_checkpoints")()

test_mended_training = proof_of("scaling_up", "mended_training")()
test_size_for = proof_of("scaling_up", "size_for")()

from exercise_battery import proof_of

# 12 / (1 + 0.693) is 7.09, and 6 / (1 + 1.204) only 2.7: a run of four needs four.
test_tokens_needed = proof_of("07", "tokens_needed")()
test_chrf = proof_of("07", "chrf")()
test_honest_counts = proof_of("07", "honest_counts")()
test_near_copies = proof_of("07", "near_copies")()

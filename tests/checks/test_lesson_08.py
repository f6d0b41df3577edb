from exercise_battery import proof_of

# 12 / (1 + 0.693) is 7.09, and 6 / (1 + 1.204) only 2.7: a run of four needs four.
test_tokens_needed = proof_of("08", "tokens_needed")()
# sal, sol: 2/3, 0, 0. casas, casa: precisions 4/5, 3/4, 2/3, 1/2; all recalls are 1.
CHRF = [(("sal", "sol"), 200 / 9), (("casas", "casa"), 91.367713), (("uno", "sal"), 0)]
test_chrf = proof_of("08", "chrf")(
    by_hand=[*CHRF, (("a b", "ab"), 100), (("casa azul", "casa azul"), 100)]
)
test_honest_counts = proof_of("08", "honest_counts")()
test_near_copies = proof_of("08", "near_copies")()

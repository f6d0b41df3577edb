from exercise_battery import proof_of

# 12 / (1 + 0.693) is 7.09, and 6 / (1 + 1.204) only 2.7: a run of four needs four.
test_tokens_needed = proof_of("08", "tokens_needed")(
    ("max(4, int(least))", "int(least)", "runs of four"),
    ("np.ceil(", "1 + np.floor(", "a whole number"),
    by_hand=[((12, 50), 8), ((10, 100), 10), ((6, 30), 4)],
)
# sal, sol: 2/3, 0, 0. casas, casa: precisions 4/5, 3/4, 2/3, 1/2; all recalls are 1.
CHRF = [(("sal", "sol"), 200 / 9), (("casas", "casa"), 91.367713), (("uno", "sal"), 0)]
test_chrf = proof_of("08", "chrf")(
    ("5 * p * r / (4 * p + r)", "2 * p * r / (p + r)", "precision and recall"),
    ('text.replace(" ", "")', "text", "spaces"),
    ("if own and theirs", "if own", "room for"),
    ("range(1, 7)", "range(1, 5)", "one to six"),
    ("if p + r else 0.0", "", "nothing in common"),
    by_hand=[*CHRF, (("a b", "ab"), 100), (("casa azul", "casa azul"), 100)],
)
COUNTS = [((list("aba"), [list("a"), list("abcc")]), [2, 1, 0, 0, 3, 2, 1, 0, 3, 4])]
COUNTS += [((list("aa"), [list("bcd"), list("b")]), [0, 0, 0, 0, 2, 1, 0, 0, 2, 1])]
test_honest_counts = proof_of("08", "honest_counts")(
    ("allowed |=", "allowed +=", "several references"),
    ("(own & allowed)", "own", "clipping"),
    ("key=lambda r: (abs(r - len(tokens)), r)", "default=0", "nearest"),
    ("(abs(r - len(tokens)), r)", "abs(r - len(tokens))", "the shorter"),
    by_hand=COUNTS,
)
TESTS, TRAINING = ["I see him!", "We go."], ["i see HER", "We all go."]
test_near_copies = proof_of("08", "near_copies")(
    ("(i, *words", "(*words", "the place"),
    ("text.lower()", "text", "capitals"),
    ('re.findall(r"\\w+", text.lower())', "text.lower().split()", "capitals"),
    ("words[i + 1 :]", "words[i + 2 :]"),
    by_hand=[((TESTS, TRAINING), [1, 0]), ((["We sing now."], ["Now we sing."]), [0])],
)

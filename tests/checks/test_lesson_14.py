import numpy as np
from exercise_battery import proof_of, right_answers
from numpy import array, log

right = right_answers("14")
VOCABULARY = {"un", "seen", "##seen", "##s", "##een", "film", "##ed", "u", "##n"}

test_cut_word = proof_of("14", "cut_word")(
    ("pieces.append(sign + ", "pieces.append(", "begin with ##"),
    ("fits[0]", "fits[-1]", "longest match"),
    ('return ["[UNK]"]', 'return [*pieces, "[UNK]"]', "all of the word"),
    lambda word, vocabulary: [word] if word in vocabulary else ["[UNK]"],
    by_hand=[
        (("film", VOCABULARY), ["film"]),
        (("un", VOCABULARY), ["un"]),
        (("unseen", VOCABULARY), ["un", "##seen"]),
        (("seened", VOCABULARY), ["seen", "##ed"]),
        (("unfilm", VOCABULARY), ["[UNK]"]),
        (("Ω", VOCABULARY), ["[UNK]"]),
    ],
)

# Probabilities 1/4 and 1/2; the row between them has no label.
LOGITS = log([[2.0, 1.0, 1.0], [8.0, 1.0, 1.0], [1.0, 1.0, 2.0]])

test_masked_loss = proof_of("14", "masked_loss")(
    ("np.flatnonzero(labels)", "np.arange(len(labels))", "label 0"),
    lambda logits, labels: right.masked_loss(logits, labels) * np.mean(labels > 0),
    ("np.mean(log_sums", "np.sum(log_sums"),
    ("logits - logits.max(axis=-1, keepdims=True)", "logits", "overflow"),
    (lambda *case: right.masked_loss(*case) / log(2), "natural logarithm"),
    by_hand=[
        ((np.zeros((2, 4)), array([1, 3])), log(4)),
        ((LOGITS + 1000, array([1, 0, 2])), log(8) / 2),
    ],
)

IN, SAME_WORD = "word in words]", "any(word == word_of[c]"
PIECES = ["[CLS]", "un", "##watch", "##able", "films", "[SEP]"]


def each_word_by_itself(pieces, chosen):
    return sum((right.whole_words(pieces, [index]) for index in chosen), [])


test_whole_words = proof_of("14", "whole_words")(
    (IN, f"{SAME_WORD} and place >= c for c in chosen)]", "before a chosen"),
    (IN, f"{SAME_WORD} and abs(place - c) < 2 for c in chosen)]"),
    (each_word_by_itself, "each position once"),
    lambda pieces, chosen: chosen,
    by_hand=[
        ((PIECES, [4]), [4]),
        ((PIECES, [3]), [1, 2, 3]),
        ((PIECES, [4, 1]), [1, 2, 3, 4]),
        ((PIECES, []), []),
    ],
)

"""Drawings of word vectors: how they are learned, and one head that mixes them."""


def skip_gram(canvas):
    """Skip-gram with negative sampling. In "the queen lent gold to him", the centre is
    "lent" and one of its contexts is "gold". Two more words, "june" and "cake",
    were drawn at random: the negatives. The centre has a vector u from the table of
    centres, here (1, 1); the others have vectors c from the table of contexts: (1, 0),
    (0, 1) and (−1, −1). Their scores u · c are 1, 1 and −2; the sigmoid makes 0.73,
    0.73 and 0.12 of them. Wanted are 1 for the context and 0 for the negatives. So
    "gold" is pulled nearer to u, "june" is pushed away, and "cake" hardly moves."""


def one_head(canvas):
    """One head of attention for the sentence "queen's gold, king's boat, queen's", then
    a covered word. Each word has a vector x. The covered word asks: its query q is made
    from the word before it, "queen's". Each other word is found by a key k, made from
    the word before it by the same matrix: "queen's" for "gold", "king's" for "boat".
    Query times key, through a softmax, gives the weights: 0.9 for "gold" and 0.1 for
    "boat", wherever they stand. Each word hands over a value v, made from its own
    vector. The sum of the values, each times its weight, is the vector of the covered
    word in this sentence, of shape (B, D). A last layer says which word it was."""

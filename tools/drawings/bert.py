"""Drawings of BERT: hidden tokens, the network with its heads, windows, answers."""


def masked_tokens(canvas):
    """How tokens are hidden, read from top to bottom. The text "[CLS] the plot makes no
    sense [SEP]", ids of shape (B, T). Three positions are chosen, to show the three
    cases: "plot" becomes [MASK], which happens to 80 % of the chosen ones; "no" becomes
    a random token, "car", 10 %; "sense" stays, 10 %. The encoder reads the changed
    text and gives a vector for every token, (B, T, D). Only the vectors at the three
    chosen positions go on, (B, M, D). The head gives each a score for every piece, (B,
    M, V), and the labels, (B, M), are what stood there before: plot, no, sense."""


def bert_pre_training(canvas):
    """BERT with the heads of its two tasks, read from bottom to top. The tokens "[CLS]
    the [MASK] [SEP] it drags [SEP]", of shape (B, T), get three vectors each, which are
    added: that of the token, that of its position, 0 to 6, and that of its segment, 0
    for the first four, 1 for the last three; a layer norm follows. N encoder blocks
    follow, one above the other, of shape (B, T, D). The vector of [CLS] goes to the
    next-sentence head, which gives one number, (B, 1): does the second segment follow?
    The vector of [MASK] goes to the head for masked tokens, which compares it with
    all V rows of the token table: (B, M, V). A purple line leads from the table at the
    bottom to this head, for the table is used twice."""


def bert_heads(canvas):
    """Three heads on one encoder, read from bottom to top. The encoder reads the tokens
    (B, T) and gives a vector for each, (B, T, D). Left, a label for the text: the mean
    over the tokens, (B, D), a dense layer with one number and a sigmoid: (B, 1). In the
    middle, an answer: a dense layer gives each token two scores, (B, 2, T), one for
    where the answer begins and one for where it ends; the softmax runs over the T
    positions. Right, a tag for each token: a dense layer with K numbers, (B, T, K); the
    softmax runs over the K tags. Only the heads begin at random."""


def windows_of_a_review(canvas):
    """A review that is longer than the encoder, read from top to bottom. Its pieces,
    (B, L), are cut into three windows, of which the last is filled up with padding.
    Each window gets its own [CLS] and [SEP], so the shape is (B, W, T). The windows go
    through the encoder as rows of one batch, (B · W, T, D). The vectors of all real
    tokens of all windows are averaged, (B, D); padding doesn't count. A dense layer
    with a sigmoid gives the probability that the review is positive, (B, 1)."""


def spans_and_tags(canvas):
    """A question and a note as the two segments, read from top to bottom: "[CLS] Who
    lives in Paris ? [SEP]" and "Old Ford likes Paris , the trees [SEP]", of shape (B,
    T). Below, for the tokens of the note, two rows of bars. The first row is the
    probability that the answer begins at this token, largest at "Old"; the second that
    it ends there, largest at "Ford": the answer is "Old Ford". The tokens of the
    question are crossed, for no answer is there; the softmax runs over the positions,
    (B, 2, T). Below that the tag of each token of the note: B-person, I-person, O,
    B-town, O, O, O; here the softmax runs over the K tags of a token, (B, T, K)."""

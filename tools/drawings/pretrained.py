"""Drawings of lessons 15 and 15b: vectors, what is trained, and how a model answers."""


def frozen_and_trained(canvas):
    """Above, three ways to train a classifier on a published BERT, read from bottom to
    top: pieces, embeddings, six blocks, the mean over the pieces, and a dense layer.
    What is trained is in colour. Frozen: only the dense layer, 385 weights. LoRA: the
    dense layer and thin matrices A and B inside of the blocks, 221,184 weights more.
    All weights: everything, 22.7 million. Below, the mechanism of LoRA. The input x of
    shape (B, T, D) goes two ways. Above through the large matrix W, (D, N), which stays
    as it is. Below through A, (D, r), where it has only r numbers, and through B,
    (r, N). The sum of both, (B, T, N), is the output."""


def from_prompt_to_label(canvas):
    """From a prompt to a label, read from top to bottom. The prompt has three parts: a
    beginning that is the same for all reviews, one review, and an end that is the same
    for all. It is cut into pieces with ids, shape (B, T). A language model of 30
    blocks, of which nothing is trained, reads them; keys and values of the beginning
    are computed once and kept in the cache. Only what it says at the last position
    counts: logits of shape (B, V), one for each piece. Two of them are in colour, that
    of "positive" and that of "negative". Their difference is the log-odds of the
    review. The log-odds of the same prompt with "N/A" in the review's place are
    subtracted. What is above 0 is called positive, the rest negative."""


def sentence_vectors(canvas):
    """A sentence becomes a vector, and a search, read from top to bottom. The pieces
    [CLS], a, man, eats, a full stop and [SEP], and one place of padding, go through six
    blocks, which give a vector for each place, (B, T, D); that of the padding is
    crossed out. Their mean over the real pieces, divided by its length, is the
    sentence's vector, (B, D). Below, a search: the vectors of N documents, a matrix
    (N, D), times the vector of a query is a column of N cosines. The largest of them,
    0.75, belongs to the first result."""


def spans_to_text(canvas):
    """Two tasks of T5, read from top to bottom. First its pre-training: of the sentence
    "She left her umbrella on the train again" two spans are taken out, "her umbrella"
    and "train". The encoder reads the rest, with the marks 0 and 1 in their places. The
    decoder writes mark 0, "her umbrella", mark 1, "train", mark 2. Second, a task: the
    same encoder reads "summarize:" and a review, and the same decoder writes a verdict,
    "The film is clever." Nothing is added to the network for a task."""

"""Drawings of lesson 15: what is trained of a published model, and how one answers."""


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

"""Drawings of the blocks: the residual path, and the parts that hang beside it."""


def encoder_block(canvas):
    """The encoder block in two forms, read from bottom to top. A thick grey line, the
    residual path, carries x of shape (B, T, D) straight through the block. Two parts
    hang beside it: first self-attention, where each token looks at all tokens, then
    the feed-forward network, which works on each token by itself and goes from D to 4D
    and back to D numbers. What a part gives is added to the path. In the post-norm form
    a layer norm stands on the path after each sum. In the pre-norm form the norms stand
    before the parts, and nothing stands on the path."""


def decoder_block(canvas):
    """The decoder block, read from bottom to top. The residual path, a thick grey line,
    carries the target x of shape (B, T, D). Three parts hang beside it, and what each
    gives is added to the path; a layer norm stands before each part, and nothing stands
    on the path. First causal self-attention: each position looks at itself and at
    earlier ones, so in its little map all later cells are crossed. Second
    cross-attention: the queries come from the path, the keys and values from the
    encoder's output of shape (B, S, D); so each target word looks at the source words.
    Third the feed-forward network, from D to 4D and back to D numbers, for each token
    by itself."""


def encoder_stack(canvas):
    """A classifier of film reviews, read from bottom to top. The tokens "a fine film"
    and one of padding, of shape (B, T), get token embeddings and positions, shape
    (B, T, D). N encoder blocks follow, one above the other, and keep this shape. Then
    masked pooling takes the mean and the maximum over the real tokens only and gives
    one vector for each review, shape (B, 2D). A dense layer with a sigmoid turns it
    into the probability that the review is positive. A dashed line shows that the mask
    goes from the tokens to the blocks and to the pooling, so that padding has no
    influence; the vector of the padding is crossed."""

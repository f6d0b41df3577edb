"""Drawings of what a training needs, and of how several devices share it."""


def training_memory(canvas):
    """Memory during one training step, drawn as columns over time. The weights and the
    two averages of Adam, twice as high, are there all the time. Forward, blocks 1 to 4
    each add their activations, so the columns grow like a staircase; at the loss the
    logits come on top, and the memory has its peak. Backward, blocks 4 to 1 free their
    activations one after the other, and each adds its gradients, which are as large as
    the weights in the end. Then the optimizer makes its step."""


def activation_checkpointing(canvas):
    """Three rows of four blocks; a block has four cells for what it computes. First
    row: all is kept, all cells are filled. Second row: only the inputs are kept, one
    cell in each block; the others are crossed. Third row: the backward pass is at block
    3, whose crossed cells were computed again from its input and are hatched; block 4
    is done and holds nothing any more, blocks 1 and 2 hold their inputs only."""


def data_parallel(canvas):
    """Data-parallel training with two workers side by side, read from bottom to top.
    Each has two rows of the batch: worker 0 has 8 real tokens, worker 1 has 3 and more
    padding, which is hatched. Both have a model with the same weights. Each computes
    the gradients of the mean loss over its own tokens and multiplies them by its part
    of all tokens, 8/11 and 3/11. A box across both, all-reduce, gives everybody the
    sum. Both make the same step of Adam, and so have the same weights again."""


def ring_all_reduce(canvas):
    """The ring all-reduce of four workers. Above, arrows lead from worker 0 to 1, 2, 3
    and back to 0. Below are three tables; a column is a worker, a row one of the four
    pieces a, b, c, d of its array. At first each worker has its own pieces. In each
    round it sends one piece to its right neighbour. After 3 rounds every worker has
    the sum, Σ, of one piece, on a diagonal. After 6 rounds everybody has all four sums.
    Each has sent 6 pieces of 4, which is one and a half times its array."""


def sharded_weights(canvas):
    """A matrix of weights in two pieces, each on a device of its own. Both devices have
    the whole input x, of shape (B, D). Device 0 has the left half of the columns of W,
    of shape (D, F), device 1 the right half; the other columns are crossed. So each
    computes its half of the columns of y. Where all of y is needed, the halves are
    gathered, and both have y, of shape (B, F)."""


def pipeline(canvas):
    """A pipeline of four devices, each with a quarter of the blocks; time runs to the
    right. A batch is cut into the parts 1 to 4. Device 0 computes part 1, hands it to
    device 1 and begins part 2, and so on: a staircase. Backward the staircase comes
    back from device 3 to device 0. What is hatched is idle: each device waits for 3 of
    7 steps in each direction."""

"""Drawings of masks: who may look at whom."""


def padding_mask(canvas):
    """Two sentences share one batch. "a very fine film" has four tokens; "not bad" has
    two and is filled up with two tokens of padding, drawn hatched. The mask says True
    for each word and False for padding. Below are the weights of both sentences. In the
    second, the columns of padding are grey and crossed: no token looks there, and these
    weights are 0, because their scores become minus infinity before softmax. The other
    two weights of each row have the sum 1. In the first, nothing is crossed."""


def causal_mask(canvas):
    """A square of weights for the five tokens "[start] la casa es azul". A row belongs
    to the token that looks, its query; a column to the token that is looked at, its
    key. Above the diagonal every cell is grey and crossed: no token looks at a later
    one, and these weights are 0. So the first row has one weight, 1.00, and the last
    row has five. The sum of each row is 1."""


def source_and_target_masks(canvas):
    """The three attentions of an encoder-decoder, each with its mask. Rows look,
    columns are looked at; crossed cells are not allowed. One: in the encoder the source
    "I am here" looks at the source, and the column of source padding is crossed, shape
    (S, S). Two: in the decoder the target "[start] estoy aquí" looks at the target;
    crossed are all later tokens and the column of target padding, shape (T, T). Three:
    in cross-attention the target looks at the source, and the column of source padding
    is crossed, shape (T, S)."""


def patterns(canvas):
    """Who attends to whom, for eight tokens; rows ask, columns are looked at, crossed
    cells are left out. First all pairs: T times T scores. Then causal: each token sees
    itself and those before it, about half of the pairs. Then a window of one token on
    each side: 3 scores in a row, so T times 3. Below, linear attention: it makes no
    pairs. First the keys, transposed, of shape (d, T) times the values (T, d) give one
    small matrix (d, d); then each query (1, d) times this matrix gives its output."""

"""One step of the recurrent captioner: read a word, then attend to the cells.

Shapes: B images, K rows that share an image, E width of a word's vector, U width of the
GRU's state, S cells, D their width.
"""

from keras import layers, ops

from course_utils.attention.multi_head import check_option, masked_softmax
from course_utils.attention.scored_attention import ScoredAttention
from course_utils.attention.scores import hard_weights

ATTENTIONS = ("mean", "soft", "hard")


class AttentionStep(layers.Layer):
    """A GRU cell whose new state attends to the cells of an image.

    Each step reads the newest word beside the context that the last one brought (Luong
    et al., 2015, section 3.3, "input feeding").

    Args:
        units: U.
        attention: "mean" gives all cells the same weight, "soft" mixes them by their
            scores, "hard" takes one: the best, or in training one that is drawn.
        score: see ``ScoredAttention``.
        draws: a Keras seed generator.

    Call arguments:
        words: (B, K, E) vectors of the newest words.
        states: (B, K, U).
        contexts: (B, K, D), what the last step brought.
        cells: (B, S, D).
        mixed: see ``choose``.
    Returns:
        The new states and contexts, the attention weights, and what was used of them,
        both (B, K, S).
    """

    def __init__(self, units, attention, score, draws, **kwargs):
        super().__init__(**kwargs)
        check_option("RecurrentCaptioner", "attention", attention, ATTENTIONS)
        self.units, self.kind, self.draws = units, attention, draws
        self.cell = layers.GRUCell(units, dtype=self.dtype_policy)
        self.attention = ScoredAttention(score, dtype=self.dtype_policy)

    def build(self, words_shape, cells_shape):
        width = cells_shape[-1]
        self.cell.build((None, words_shape[-1] + width))
        if self.kind != "mean":
            self.attention.build((None, None, self.units), (None, None, width))
        self.built = True

    def weigh(self, states, cells):
        """Return the weights (B, K, S) of all cells for states (B, K, U)."""
        if self.kind == "mean":
            ones = ops.ones_like(states[..., :1]) * ops.ones_like(cells[:, None, :, 0])
            return ones / ops.cast(ops.shape(cells)[1], ones.dtype)
        return masked_softmax(self.attention.scores(states, cells))

    def choose(self, weights, mixed=None):
        """Return what of the cells is used: of hard attention one, of others all.

        Args:
            weights: (B, K, S).
            mixed: (B, 1, 1), 1 where the mixture is used and 0 where a cell is drawn;
                None takes the best cell.
        """
        if self.kind != "hard":
            return weights
        if mixed is None:
            return hard_weights(weights)
        drawn = ops.stop_gradient(hard_weights(weights, self.draws))
        return mixed * weights + (1 - mixed) * drawn

    def call(self, words, states, contexts, cells, mixed=None):
        x = ops.concatenate([words, contexts], axis=-1)  # (B, K, E + D)
        rows = ops.reshape(x, (-1, x.shape[-1]))
        state, _ = self.cell(rows, [ops.reshape(states, (-1, self.units))])  # (R, U)
        states = ops.reshape(state, (-1, ops.shape(words)[1], self.units))
        weights = self.weigh(states, cells)
        used = self.choose(weights, mixed)
        return states, ops.matmul(used, cells), weights, used

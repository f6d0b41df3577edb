"""Attention with one head and any score, a local window, or a hard choice.

Shapes use the letters of the course: B batch, T target (query) length, S source (key)
length, Q and K widths of queries and keys, U units.
"""

import keras
from keras import layers, ops

from course_utils.arguments import check_attention_mask, check_option, check_sizes
from course_utils.attention.scores import (
    SAME_WIDTH,
    SCORES,
    additive_score,
    check_same_width,
    cosine_score,
    dot_score,
    general_score,
    hard_weights,
    location_score,
    scaled_dot_score,
)
from course_utils.attention.transformer import join_masks, masked_softmax
from course_utils.saving import register

WINDOWS = (None, "monotonic", "predictive")
SELECTIONS = ("soft", "argmax", "sample")


@register
class ScoredAttention(layers.Layer):
    """Attention with one head and the score function of your choice.

    Padding takes care of itself, as in ``MultiHeadAttention``: when ``value`` carries
    a Keras mask, no query attends to its padded tokens, and the output carries the mask
    of ``query``. A row in which nothing may be attended gets equal weights.

    A *window* keeps each query near one position p of the source (Luong et al., 2015,
    section 3.2): only keys from p − half_width to p + half_width get weight. With
    "monotonic", p is the position of the query, but never past the last real key. With
    "predictive", p = S · sigmoid(vᵀ tanh(W q)) is learned, S being the number of
    real keys, and a Gaussian with σ = half_width / 2 prefers keys near p; it goes into
    the scores before the softmax, so that rows sum to 1 (in the paper it multiplies the
    weights after it).

    Args:
        score: "cosine", "additive", "location", "general", "dot" or "scaled_dot".
        units: U, width of the hidden layers of "additive" and "predictive"; None takes
            the width of the query.
        max_length: number of positions that "location" has weights for.
        window: None (global), "monotonic" or "predictive".
        half_width: how many keys a window reaches to each side.
        selection: "soft" mixes the values; "argmax" and "sample" take one value, see
            ``hard_weights``.
        seed: of "sample".

    Call arguments:
        query: (B, T, Q).
        value: (B, S, K), keys and values at once.
        attention_mask: boolean, (T, S) or (B, T, S), or with 1 in place of a size;
            True = attend.
        return_attention_scores: also return the weights (B, T, S).
        value_mask: (B, S) boolean, True = real token; Keras fills it in.
        positions: (T,) positions of the queries for "monotonic"; None counts from 0.
    Returns:
        (B, T, K), and the weights when asked for.
    Raises:
        ValueError: for an unknown or missing option, widths that differ where the score
            needs equal ones, more keys than ``max_length``, or a mask that doesn't fit.

    Example:
        >>> x = keras.random.normal((2, 5, 8))
        >>> tuple(ScoredAttention("additive", units=4)(x, x).shape)
        (2, 5, 8)
    """

    def __init__(
        self,
        score="scaled_dot",
        units=None,
        max_length=None,
        window=None,
        half_width=2,
        selection="soft",
        seed=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        check_option("ScoredAttention", "score", score, SCORES)
        check_option("ScoredAttention", "window", window, WINDOWS)
        check_option("ScoredAttention", "selection", selection, SELECTIONS)
        if score == "location" and max_length is None:
            raise ValueError(
                "ScoredAttention: the score 'location' has weights for each position "
                "of the source; pass max_length, the largest number of keys."
            )
        check_sizes("ScoredAttention", half_width=half_width)
        if units is not None:
            check_sizes("ScoredAttention", units=units)
        if max_length is not None:
            check_sizes("ScoredAttention", max_length=max_length)
        self.score = score
        self.units = units
        self.max_length = max_length
        self.window = window
        self.half_width = half_width
        self.selection = selection
        self.seed = seed
        self.seed_generator = None
        if selection == "sample":
            self.seed_generator = keras.random.SeedGenerator(seed)
        self.supports_masking = True

    def build(self, query_shape, value_shape=None):
        if value_shape is None:
            value_shape = query_shape
        width = query_shape[-1]
        key_width = value_shape[-1]
        if self.score in SAME_WIDTH:
            check_same_width(self.score, query_shape, value_shape)
        units = self.units or width
        if self.score == "cosine":
            self.log_sharpness = self.add_weight(
                name="log_sharpness", shape=(), initializer="zeros"
            )
        elif self.score == "additive":
            self.w_query = self.add_weight(name="w_query", shape=(width, units))
            self.w_keys = self.add_weight(name="w_keys", shape=(key_width, units))
            self.v = self._vector("v", units)
        elif self.score == "general":
            self.kernel = self.add_weight(name="kernel", shape=(width, key_width))
        elif self.score == "location":
            shape = (width, self.max_length)
            self.kernel = self.add_weight(name="kernel", shape=shape)
        if self.window == "predictive":
            self.w_place = self.add_weight(name="w_place", shape=(width, units))
            self.v_place = self._vector("v_place", units)

    def _vector(self, name, units):
        """Add a learned vector, as one column of a glorot_uniform matrix."""
        limit = (6 / (units + 1)) ** 0.5
        initializer = keras.initializers.RandomUniform(-limit, limit)
        return self.add_weight(name=name, shape=(units,), initializer=initializer)

    def scores(self, query, keys):
        """Return the unnormalised scores (B, T, S)."""
        if self.score == "cosine":
            return cosine_score(query, keys, ops.exp(self.log_sharpness))
        if self.score == "additive":
            return additive_score(query, keys, self.w_query, self.w_keys, self.v)
        if self.score == "location":
            return location_score(query, keys, self.kernel)
        if self.score == "general":
            return general_score(query, keys, self.kernel)
        if self.score == "dot":
            return dot_score(query, keys)
        return scaled_dot_score(query, keys)

    def places(self, query, value, value_mask=None, positions=None):
        """Return p, the middle of each query's window: (B, T, 1) or (1, T, 1)."""
        if value_mask is None:
            lengths = ops.cast(ops.shape(value)[1], "float32")
        else:
            lengths = ops.sum(ops.cast(value_mask, "float32"), axis=1)
            lengths = ops.reshape(lengths, (-1, 1, 1))  # (B, 1, 1)
        if self.window == "monotonic":
            if positions is None:
                positions = ops.arange(ops.shape(query)[1])
            positions = ops.reshape(ops.cast(positions, "float32"), (1, -1, 1))
            return ops.minimum(positions, ops.maximum(lengths - 1, 0))
        hidden = ops.tanh(ops.matmul(query, self.w_place))  # (B, T, U)
        share = ops.sigmoid(ops.sum(hidden * self.v_place, axis=-1, keepdims=True))
        return lengths * ops.cast(share, "float32")

    def call(
        self,
        query,
        value,
        attention_mask=None,
        return_attention_scores=False,
        value_mask=None,
        positions=None,
    ):
        scores = self.scores(query, value)  # (B, T, S)
        mask = attention_mask
        if mask is not None:
            mask = ops.convert_to_tensor(mask)
            check_attention_mask("ScoredAttention", mask.shape, scores.shape)
        if value_mask is not None:
            mask = join_masks(mask, ops.expand_dims(value_mask, 1))  # (B, 1, S)
        if self.window is not None:
            place = self.places(query, value, value_mask, positions)
            keys = ops.cast(ops.arange(ops.shape(value)[1]), "float32")
            distance = keys - place  # (B, T, S)
            mask = join_masks(mask, ops.abs(distance) <= self.half_width)
            if self.window == "predictive":
                sigma = self.half_width / 2
                gaussian = -ops.square(distance / sigma) / 2
                scores = ops.cast(scores, "float32") + gaussian
        weights = ops.cast(masked_softmax(scores, mask), self.compute_dtype)
        if self.selection != "soft":
            weights = hard_weights(weights, self.seed_generator)
        output = ops.matmul(weights, value)
        return (output, weights) if return_attention_scores else output

    def compute_output_spec(
        self,
        query,
        value,
        attention_mask=None,
        return_attention_scores=False,
        value_mask=None,
        positions=None,
    ):
        # Without this, some backends try `call` with lengths above ``max_length``.
        batch, target_length, _ = query.shape
        _, source_length, width = value.shape
        output = keras.KerasTensor((batch, target_length, width), self.compute_dtype)
        if not return_attention_scores:
            return output
        scores_shape = (batch, target_length, source_length)
        return output, keras.KerasTensor(scores_shape, self.compute_dtype)

    def get_config(self):
        config = super().get_config()
        config["score"] = self.score
        config["units"] = self.units
        config["max_length"] = self.max_length
        config["window"] = self.window
        config["half_width"] = self.half_width
        config["selection"] = self.selection
        config["seed"] = self.seed
        return config

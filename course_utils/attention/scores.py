"""Score functions, local windows and hard choice behind one attention layer.

Attention asks of each source position: how well does it fit this query? Papers differ
in the *score* that answers; the softmax and the mixture after it are the same.

| score | formula | source |
|---|---|---|
| cosine | β · cos(q, k) | Graves et al. (2014), equations 5 and 6 |
| additive | vᵀ tanh(W q + U k) | Bahdanau et al. (2015), A.1.2 |
| location | (W q)ₛ | Luong et al. (2015), equation 8 |
| general | qᵀ W k | Luong et al. (2015), equation 7 |
| dot | qᵀ k | Luong et al. (2015), equation 7 |
| scaled_dot | qᵀ k / √D | Vaswani et al. (2017), equation 1 |

Shapes use the letters of the course: B batch, T target (query) length, S source (key)
length, D width.
"""

import keras
from keras import layers, ops

from course_utils.attention.multi_head import check_sizes, join_masks, masked_softmax
from course_utils.attention.quantization import QuantizedParts

SCORES = ("cosine", "additive", "location", "general", "dot", "scaled_dot")
WINDOWS = (None, "monotonic", "predictive")
SELECTIONS = ("soft", "argmax", "sample")
SAME_WIDTH = ("cosine", "dot", "scaled_dot")  # these pair the columns of both sides


def dot_score(query, keys):
    """Score by the product: (B, T, D), (B, S, D) -> (B, T, S).

    Example:
        >>> query, keys = ops.array([[[1.0, 2.0]]]), ops.array([[[3.0, 4.0]]])
        >>> ops.convert_to_numpy(dot_score(query, keys)).tolist()
        [[[11.0]]]
    """
    _check_same_width("dot", query.shape, keys.shape)
    return ops.matmul(query, ops.swapaxes(keys, -1, -2))


def scaled_dot_score(query, keys):
    """Score by the product, divided by √D: (B, T, D), (B, S, D) -> (B, T, S)."""
    _check_same_width("scaled_dot", query.shape, keys.shape)
    return dot_score(query / query.shape[-1] ** 0.5, keys)


def cosine_score(query, keys, sharpness=1.0):
    """Score by the angle alone, times a sharpness β: (B, T, D), (B, S, D) -> (B, T, S).

    Without β, all scores lie between −1 and 1 and no weight can come near 1.
    """
    _check_same_width("cosine", query.shape, keys.shape)
    return sharpness * dot_score(_unit_length(query), _unit_length(keys))


def general_score(query, keys, kernel):
    """Score by a bilinear form.

    Args:
        query: (B, T, Q).
        keys: (B, S, K).
        kernel: (Q, K) learned matrix W.
    Returns:
        (B, T, S) scores.
    """
    return dot_score(ops.matmul(query, kernel), keys)


def additive_score(query, keys, w_query, w_keys, v):
    """Score each key against each query with a network of one hidden layer.

    Args:
        query: (B, T, Q).
        keys: (B, S, K).
        w_query: (Q, U) learned matrix W.
        w_keys: (K, U) learned matrix U.
        v: (U,) learned vector.
    Returns:
        (B, T, S) scores.
    """
    query = ops.expand_dims(ops.matmul(query, w_query), -2)  # (B, T, 1, U)
    keys = ops.expand_dims(ops.matmul(keys, w_keys), -3)  # (B, 1, S, U)
    return ops.sum(ops.tanh(query + keys) * v, axis=-1)


def location_score(query, keys, kernel):
    """Score each *place* from the query alone; what stands there doesn't matter.

    Args:
        query: (B, T, Q).
        keys: (B, S, K), only S counts.
        kernel: (Q, M) learned matrix W, one column for each of M places.
    Returns:
        (B, T, S) scores.
    Raises:
        ValueError: there are more than M keys.
    """
    length, places = keys.shape[-2], kernel.shape[-1]
    if length is not None and length > places:
        raise ValueError(
            f"location_score: there are {length} keys, but weights for {places} places "
            f"only; shorten the source or make max_length larger."
        )
    return ops.matmul(query, kernel)[..., : ops.shape(keys)[-2]]


def hard_weights(weights, seed=None):
    """Choose one key for each query: weight 1 for it, 0 for all others.

    No gradient passes through the choice. Xu et al. (2015), section 4.1, sample it and
    train with an estimate of the gradient; here it serves a model trained softly.

    Args:
        weights: (..., T, S), each row sums to 1.
        seed: None takes the largest weight (the first of equal ones); an integer or a
            ``keras.random.SeedGenerator`` draws a key with its weight as probability.
    Returns:
        Ones and zeros of the same shape and dtype.

    Example:
        >>> weights = ops.array([[0.2, 0.5, 0.3]])
        >>> ops.convert_to_numpy(hard_weights(weights)).tolist()
        [[0.0, 1.0, 0.0]]
    """
    if seed is None:
        choice = ops.argmax(weights, axis=-1)
    else:
        exact = ops.cast(weights, "float32")
        logits = ops.where(exact > 0, ops.log(ops.maximum(exact, 1e-30)), -1e9)
        rows = ops.reshape(logits, (-1, ops.shape(logits)[-1]))
        choice = keras.random.categorical(rows, 1, seed=seed)
        choice = ops.reshape(choice, ops.shape(weights)[:-1])
    places = ops.arange(ops.shape(weights)[-1])
    chosen = ops.equal(ops.cast(ops.expand_dims(choice, -1), places.dtype), places)
    return ops.cast(chosen, weights.dtype)


@keras.saving.register_keras_serializable(package="course_utils")
class ScoredAttention(QuantizedParts, layers.Layer):
    """Attention with one head and the score function of your choice.

    Padding takes care of itself, as in ``MultiHeadAttention``: when ``value`` carries
    a Keras mask, no query attends to its padded tokens, and the output carries the mask
    of ``query``. A row in which nothing may be attended gets equal weights.

    A *window* keeps each query near one place p of the source (Luong et al., 2015,
    section 3.2): only keys from p − half_width to p + half_width get weight. With
    "monotonic", p is the place of the query itself, but never past the last real key.
    With "predictive", p = S · sigmoid(vᵀ tanh(W q)) is learned, S being the number of
    real keys, and a Gaussian with σ = half_width / 2 prefers keys near p; it goes into
    the scores before the softmax, so that rows sum to 1 (in the paper it multiplies the
    weights after it).

    Args:
        score: "cosine", "additive", "location", "general", "dot" or "scaled_dot".
        units: U, width of the hidden layers of "additive" and "predictive"; None takes
            the width of the query.
        max_length: number of places that "location" has weights for.
        window: None (global), "monotonic" or "predictive".
        half_width: how many keys a window reaches to each side.
        selection: "soft" mixes the values; "argmax" and "sample" take one value, see
            ``hard_weights``.
        seed: of "sample".

    Call arguments:
        query: (B, T, Q).
        value: (B, S, K), keys and values at once.
        attention_mask: boolean, broadcastable to (B, T, S); True = attend.
        return_attention_scores: also return the weights (B, T, S).
        value_mask: (B, S) boolean, True = real token; Keras fills it in.
        positions: (T,) places of the queries for "monotonic"; None counts from 0.
    Returns:
        (B, T, K), and the weights when asked for.
    Raises:
        ValueError: for an unknown or missing option, widths that differ where the score
            needs equal ones, or more keys than ``max_length``.

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
        for name, option, known in (
            ("score", score, SCORES),
            ("window", window, WINDOWS),
            ("selection", selection, SELECTIONS),
        ):
            if option not in known:
                raise ValueError(
                    f"ScoredAttention: {name} is {option!r}; expected one of {known}."
                )
        if score == "location" and max_length is None:
            raise ValueError(
                "ScoredAttention: the score 'location' has weights for each place of "
                "the source; pass max_length, the largest number of keys."
            )
        given = dict(units=units, max_length=max_length, half_width=half_width)
        check_sizes(
            "ScoredAttention", **{k: v for k, v in given.items() if v is not None}
        )
        self.options = dict(given, score=score, window=window, selection=selection)
        self.options["seed"] = seed
        self.score, self.window, self.selection = score, window, selection
        self.half_width = half_width
        self.seed_generator = None
        if selection == "sample":
            self.seed_generator = keras.random.SeedGenerator(seed)
        self.supports_masking = True

    def build(self, query_shape, value_shape=None):
        value_shape = query_shape if value_shape is None else value_shape
        width, key_width = query_shape[-1], value_shape[-1]
        if self.score in SAME_WIDTH:
            _check_same_width(self.score, query_shape, value_shape)
        units = self.options["units"] or width
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
            places = self.options["max_length"]
            self.kernel = self.add_weight(name="kernel", shape=(width, places))
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
        return (dot_score if self.score == "dot" else scaled_dot_score)(query, keys)

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

    def compute_output_shape(
        self, query_shape, value_shape=None, return_attention_scores=False
    ):
        value_shape = query_shape if value_shape is None else value_shape
        shape = (*query_shape[:-1], value_shape[-1])
        if not return_attention_scores:
            return shape
        return shape, (*query_shape[:-1], value_shape[-2])

    def compute_output_spec(
        self, query, value, *args, return_attention_scores=False, **kwargs
    ):
        shape = self.compute_output_shape(query.shape, value.shape)
        output = keras.KerasTensor(shape, dtype=self.compute_dtype)
        if not return_attention_scores:
            return output
        shape = (*query.shape[:-1], value.shape[-2])
        return output, keras.KerasTensor(shape, dtype=self.compute_dtype)

    def get_config(self):
        return {**super().get_config(), **self.options}


def _check_same_width(score, query_shape, keys_shape):
    """Raise a ValueError unless queries and keys have the same width."""
    if query_shape[-1] != keys_shape[-1]:
        raise ValueError(
            f"The score {score!r} pairs the columns of query and keys, but the query "
            f"has width {query_shape[-1]} and the keys {keys_shape[-1]}; make the two "
            f"equal, or use 'general' or 'additive'."
        )


def _unit_length(x):
    """Scale vectors to length 1, those from a length of 0.001 on.

    A shorter vector stays shorter, and a zero vector stays zero, with finite gradients.
    """
    return x * ops.rsqrt(ops.maximum(ops.sum(x * x, axis=-1, keepdims=True), 1e-6))

"""Score functions, and the hard choice of one key.

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
from keras import ops

SCORES = ("cosine", "additive", "location", "general", "dot", "scaled_dot")
SAME_WIDTH = ("cosine", "dot", "scaled_dot")  # these pair the columns of both sides


def dot_score(query, keys):
    """Score by the product: (B, T, D), (B, S, D) -> (B, T, S).

    Example:
        >>> query, keys = ops.array([[[1.0, 2.0]]]), ops.array([[[3.0, 4.0]]])
        >>> ops.convert_to_numpy(dot_score(query, keys)).tolist()
        [[[11.0]]]
    """
    check_same_width("dot", query.shape, keys.shape)
    return ops.matmul(query, ops.swapaxes(keys, -1, -2))


def scaled_dot_score(query, keys):
    """Score by the product, divided by √D: (B, T, D), (B, S, D) -> (B, T, S)."""
    check_same_width("scaled_dot", query.shape, keys.shape)
    return dot_score(query / query.shape[-1] ** 0.5, keys)


def cosine_score(query, keys, sharpness=1.0):
    """Score by the angle alone, times a sharpness β: (B, T, D), (B, S, D) -> (B, T, S).

    Without β, all scores lie between −1 and 1 and no weight can come near 1.
    """
    check_same_width("cosine", query.shape, keys.shape)
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
    """Score each *position* from the query alone; what stands there doesn't matter.

    Args:
        query: (B, T, Q).
        keys: (B, S, K), only S counts.
        kernel: (Q, M) learned matrix W, one column for each of M positions.
    Returns:
        (B, T, S) scores.
    Raises:
        ValueError: there are more than M keys.
    """
    length, positions = keys.shape[-2], kernel.shape[-1]
    if length is not None and length > positions:
        raise ValueError(
            f"location_score: there are {length} keys, but weights for {positions} "
            f"positions only; shorten the source or make max_length larger."
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
    keys = ops.arange(ops.shape(weights)[-1])
    chosen = ops.equal(ops.cast(ops.expand_dims(choice, -1), keys.dtype), keys)
    return ops.cast(chosen, weights.dtype)


def check_same_width(score, query_shape, keys_shape):
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

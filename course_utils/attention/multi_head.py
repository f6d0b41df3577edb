"""Scaled dot-product attention and the multi-head layer built on it.

Shapes use the letters of the course: B batch, T target (query) length, S source
(key) length, D model width, H heads, d = D / H width of one head.
"""

import inspect

import keras
from keras import layers, ops

from course_utils.arguments import check_attention_mask, check_heads
from course_utils.attention.quantization import QuantizedParts


def masked_softmax(scores, mask=None):
    """Turn scores into weights over the last axis; masked positions get weight 0.

    A row in which everything is masked has no right answer; it gets equal weights,
    so that it stays finite. The softmax runs in float32 whatever the input dtype.

    Args:
        scores: (..., T, S) unnormalised scores.
        mask: boolean, broadcastable to ``scores``; True = attend.
    Returns:
        (..., T, S) weights, each row sums to 1, same dtype as ``scores``.
    """
    if scores.shape[-1] == 1:  # a single key takes all (ops.softmax would warn)
        return ops.ones_like(scores)
    dtype = keras.backend.standardize_dtype(scores.dtype)
    scores = ops.cast(scores, "float32")
    if mask is not None:
        scores = ops.where(mask, scores, -1e9)
    return ops.cast(ops.softmax(scores, axis=-1), dtype)


def scaled_dot_product_attention(query, key, value, mask=None):
    """Mix values by how well their keys match the query.

    softmax(Q Kᵀ / √d) V, equation 1 of Vaswani et al. (2017), "Attention Is All
    You Need".

    Args:
        query: (..., T, d).
        key: (..., S, d).
        value: (..., S, d).
        mask: boolean, broadcastable to (..., T, S); True = attend.
    Returns:
        The mixed values (..., T, d) and the weights (..., T, S).

    Example:
        >>> import numpy as np
        >>> x = np.eye(2, dtype="float32")[None]
        >>> output, weights = scaled_dot_product_attention(x, x, x)
        >>> tuple(weights.shape)
        (1, 2, 2)
    """
    query = query / (query.shape[-1] ** 0.5)
    scores = ops.matmul(query, ops.swapaxes(key, -1, -2))  # (..., T, S)
    weights = masked_softmax(scores, mask)
    return ops.matmul(weights, value), weights


def causal_mask(target_length, source_length=None):
    """Return a (1, T, S) boolean mask: position t may attend to positions 0 … t."""
    source_length = target_length if source_length is None else source_length
    rows = ops.expand_dims(ops.arange(target_length), 1)
    columns = ops.expand_dims(ops.arange(source_length), 0)
    return ops.expand_dims(rows >= columns, 0)


def mask_for_heads(attention_mask, scores_shape):
    """Give a mask the axis of the heads, which all get the same one.

    Args:
        attention_mask: (T, S), (B, T, S) or (B, H, T, S), or with 1 in place of a size.
        scores_shape: (B, H, T, S).
    Returns:
        A mask of four axes that broadcasts to the scores.
    Raises:
        ValueError: it doesn't broadcast to the scores.
    """
    attention_mask = ops.convert_to_tensor(attention_mask)
    check_attention_mask("MultiHeadAttention", attention_mask.shape, scores_shape)
    if len(attention_mask.shape) == 2:  # (T, S)
        attention_mask = ops.expand_dims(attention_mask, 0)  # (1, T, S)
    if len(attention_mask.shape) == 3:  # (B, T, S)
        attention_mask = ops.expand_dims(attention_mask, 1)  # (B, 1, T, S)
    return attention_mask


def join_masks(first, second):
    """Return the mask that is True where both are; None stands for all True."""
    if first is None or second is None:
        return second if first is None else first
    return ops.logical_and(first, second)


class ReturnsWeights:
    """Shapes of a layer that also returns its weights, with the option for them.

    Keras gives ``compute_output_shape`` the shapes only, never an option such as
    ``return_attention_scores``, so that functional models need both methods.
    """

    num_heads = None  # the weights have no axis for heads

    def compute_output_shape(
        self, query_shape, value_shape=None, return_attention_scores=False
    ):
        value_shape = query_shape if value_shape is None else value_shape
        batch, target_length, _ = query_shape
        shape = (batch, target_length, value_shape[2])
        if not return_attention_scores:
            return shape
        heads = (self.num_heads,) if self.num_heads else ()
        return shape, (batch, *heads, target_length, value_shape[1])

    def compute_output_spec(self, *args, return_attention_scores=False, **kwargs):
        given = inspect.signature(self.call).bind(*args, **kwargs).arguments.values()
        tensors = [x for x in given if isinstance(x, keras.KerasTensor)]
        shapes = [x.shape for x in tensors if len(x.shape) == 3][:2]  # no (B, T) mask
        shapes = self.compute_output_shape(
            *shapes, return_attention_scores=return_attention_scores
        )
        if not return_attention_scores:
            return keras.KerasTensor(shapes, dtype=self.compute_dtype)
        return tuple(keras.KerasTensor(s, dtype=self.compute_dtype) for s in shapes)


class KeepsOptions:
    """Puts ``self.options``, see ``given_options``, into the config."""

    def get_config(self):
        return {**super().get_config(), **self.options}


def given_options(scope):
    """Return what a constructor was called with, which is its part of the config.

    Args:
        scope: ``locals()`` at the beginning of the constructor.
    """
    not_options = "self", "kwargs", "__class__"
    return {name: x for name, x in scope.items() if name not in not_options}


@keras.saving.register_keras_serializable(package="course_utils")
class MultiHeadAttention(KeepsOptions, ReturnsWeights, QuantizedParts, layers.Layer):
    """Attend with several heads at once (Vaswani et al., 2017, section 3.2.2).

    Each head works on its own ``embed_dim // num_heads`` columns, so the number of
    weights does not depend on the number of heads.

    Padding takes care of itself: when ``value`` carries a Keras mask, no query attends
    to its padded tokens, and the output carries the mask of ``query``.

    Args:
        embed_dim: D, width of queries, values and output.
        num_heads: H, must divide ``embed_dim``.

    Call arguments:
        query: (B, T, D).
        value: (B, S, D); keys and values are both projected from it.
        attention_mask: boolean, (T, S), (B, T, S) or (B, H, T, S), or with 1 in place
            of a size; True = attend.
        return_attention_scores: also return the weights (B, H, T, S).
        value_mask: (B, S) boolean, True = real token; Keras fills it in from the mask
            of ``value``. A query attends where both masks are True.
    Returns:
        (B, T, D), and the weights when asked for.
    Raises:
        ValueError: when ``num_heads`` does not divide ``embed_dim``, ``query`` or
            ``value`` is not ``embed_dim`` wide, or the mask doesn't fit.

    Example:
        >>> x = keras.random.normal((2, 5, 8))
        >>> tuple(MultiHeadAttention(embed_dim=8, num_heads=2)(x, x).shape)
        (2, 5, 8)
    """

    def __init__(self, embed_dim, num_heads, **kwargs):
        super().__init__(**kwargs)
        self.options = given_options(locals())
        check_heads("MultiHeadAttention", embed_dim, num_heads)
        self.embed_dim, self.num_heads = embed_dim, num_heads
        self.query_dense, self.key_dense, self.value_dense, self.output_dense = (
            layers.Dense(embed_dim, dtype=self.dtype_policy) for _ in range(4)
        )
        self.supports_masking = True

    def build(self, query_shape, value_shape=None):
        value_shape = query_shape if value_shape is None else value_shape
        for name, shape in (("query", query_shape), ("value", value_shape)):
            if shape[-1] != self.embed_dim:
                raise ValueError(
                    f"{type(self).__name__}: the {name} has width {shape[-1]}, but "
                    f"embed_dim is {self.embed_dim}; make the two equal."
                )
        self.query_dense.build(query_shape)
        self.key_dense.build(value_shape)
        self.value_dense.build(value_shape)
        self.output_dense.build(query_shape)

    def split_heads(self, x):
        """Cut the columns into heads: (B, T, D) -> (B, H, T, d)."""
        length = ops.shape(x)[1]
        head_dim = self.embed_dim // self.num_heads
        x = ops.reshape(x, (-1, length, self.num_heads, head_dim))
        return ops.transpose(x, (0, 2, 1, 3))

    def merge_heads(self, x):
        """Put the heads side by side again: (B, H, T, d) -> (B, T, D)."""
        length = ops.shape(x)[2]
        x = ops.transpose(x, (0, 2, 1, 3))
        return ops.reshape(x, (-1, length, self.embed_dim))

    def project_queries(self, query):
        """Return the queries per head, (B, H, T, d)."""
        return self.split_heads(self.query_dense(query))

    def project_keys_values(self, value):
        """Return keys and values per head, each (B, H, S, d), ready to be cached."""
        keys = self.split_heads(self.key_dense(value))
        values = self.split_heads(self.value_dense(value))
        return keys, values

    def attend(self, query, keys, values, attention_mask=None):
        """Attend from ``query`` (B, T, D) to projected keys and values.

        Args:
            query: (B, T, D).
            keys, values: (B, H, S, d), from ``project_keys_values``.
            attention_mask: boolean, broadcastable to (B, H, T, S); True = attend.
        Returns:
            The output (B, T, D) and the weights (B, H, T, S).
        """
        queries = self.project_queries(query)
        mixed, weights = scaled_dot_product_attention(
            queries, keys, values, attention_mask
        )
        return self.output_dense(self.merge_heads(mixed)), weights

    def call(
        self,
        query,
        value,
        attention_mask=None,
        return_attention_scores=False,
        value_mask=None,
    ):
        if attention_mask is not None:
            scores_shape = (query.shape[0], self.num_heads, query.shape[1])
            scores_shape = (*scores_shape, value.shape[1])  # (B, H, T, S)
            attention_mask = mask_for_heads(attention_mask, scores_shape)
        if value_mask is not None:
            value_mask = ops.expand_dims(value_mask, (1, 2))  # (B, 1, 1, S)
        attention_mask = join_masks(attention_mask, value_mask)
        keys, values = self.project_keys_values(value)
        output, weights = self.attend(query, keys, values, attention_mask)
        return (output, weights) if return_attention_scores else output

"""The Transformer, from one score to its two blocks, in the order of the lessons.

Attention first: scaled dot products, masks, and several heads. Then positions, and at
the end the encoder block and the decoder block.

Shapes use the letters of the course: B batch, T target (query) length, S source (key)
length, D model width, H heads, d = D / H width of one head, V vocabulary size. Masks
are boolean, True = real token, or = may attend. Keras hands a padding mask to every
argument called ``{name}_mask``, where the input ``name`` carries one.
"""

import math

import keras
from keras import layers, ops

from course_utils.arguments import check_attention_mask, check_heads, check_sizes
from course_utils.saving import register


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
    if source_length is None:
        source_length = target_length
    rows = ops.expand_dims(ops.arange(target_length), 1)  # (T, 1)
    columns = ops.expand_dims(ops.arange(source_length), 0)  # (1, S)
    return ops.expand_dims(rows >= columns, 0)


def join_masks(first, second):
    """Return the mask that is True where both are; None stands for all True."""
    if first is None:
        return second
    if second is None:
        return first
    return ops.logical_and(first, second)


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


@register
class MultiHeadAttention(layers.Layer):
    """Attend with several heads at once (Vaswani et al., 2017, section 3.2.2).

    Each head works on its own ``embed_dim // num_heads`` columns, so the number of
    parameters does not depend on the number of heads.

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
        check_heads(type(self).__name__, embed_dim, num_heads)
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.query_dense = layers.Dense(embed_dim, dtype=self.dtype_policy)
        self.key_dense = layers.Dense(embed_dim, dtype=self.dtype_policy)
        self.value_dense = layers.Dense(embed_dim, dtype=self.dtype_policy)
        self.output_dense = layers.Dense(embed_dim, dtype=self.dtype_policy)
        self.supports_masking = True

    def build(self, query_shape, value_shape=None):
        if value_shape is None:
            value_shape = query_shape
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

    def call(
        self,
        query,
        value,
        attention_mask=None,
        return_attention_scores=False,
        value_mask=None,
    ):
        if attention_mask is not None:
            batch, target_length, _ = query.shape
            scores_shape = (batch, self.num_heads, target_length, value.shape[1])
            attention_mask = mask_for_heads(attention_mask, scores_shape)
        if value_mask is not None:
            value_mask = ops.expand_dims(value_mask, (1, 2))  # (B, 1, 1, S)
        attention_mask = join_masks(attention_mask, value_mask)
        keys, values = self.project_keys_values(value)
        output, weights = self.attend(query, keys, values, attention_mask)
        return (output, weights) if return_attention_scores else output

    def compute_output_spec(
        self,
        query,
        value,
        attention_mask=None,
        return_attention_scores=False,
        value_mask=None,
    ):
        # Without this, some backends try `call` with lengths that fit no mask.
        output = keras.KerasTensor(query.shape, self.compute_dtype)
        if not return_attention_scores:
            return output
        batch, target_length, _ = query.shape
        scores_shape = (batch, self.num_heads, target_length, value.shape[1])
        return output, keras.KerasTensor(scores_shape, self.compute_dtype)

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
        queries = self.project_queries(query)  # (B, H, T, d)
        mixed, weights = scaled_dot_product_attention(
            queries, keys, values, attention_mask
        )  # (B, H, T, d), (B, H, T, S)
        return self.output_dense(self.merge_heads(mixed)), weights

    def split_heads(self, x):
        """Cut the columns into heads: (B, T, D) -> (B, H, T, d)."""
        length = ops.shape(x)[1]
        head_dim = self.embed_dim // self.num_heads
        x = ops.reshape(x, (-1, length, self.num_heads, head_dim))  # (B, T, H, d)
        return ops.transpose(x, (0, 2, 1, 3))

    def merge_heads(self, x):
        """Put the heads side by side again: (B, H, T, d) -> (B, T, D)."""
        length = ops.shape(x)[2]
        x = ops.transpose(x, (0, 2, 1, 3))  # (B, T, H, d)
        return ops.reshape(x, (-1, length, self.embed_dim))

    def get_config(self):
        config = super().get_config()
        config["embed_dim"] = self.embed_dim
        config["num_heads"] = self.num_heads
        return config


@register
class PositionalEmbedding(layers.Layer):
    """Embed tokens and add a learned vector for each position.

    Gehring et al. (2017), "Convolutional Sequence to Sequence Learning", section
    3.1; token id 0 is padding and is masked.

    Args:
        sequence_length: the largest number of tokens.
        vocab_size: V, number of token ids, padding included.
        embed_dim: D, width of the vectors.
        scale_tokens: multiply token vectors by √D, as Vaswani et al. (2017),
            section 3.4, do when the same matrix also predicts tokens.
        embeddings_initializer: of both tables; None takes Keras's "uniform", and for
            ``scale_tokens`` token vectors of length about 1.
        train_tokens: False freezes the token vectors, for a table that was learned
            elsewhere; the positions are learned all the same.

    Call arguments:
        inputs: (B, T) token ids.
        start: position of the first token, a scalar.
    Returns:
        (B, T, D), with the mask ``inputs != 0`` attached.
    Raises:
        ValueError: when there are more tokens than positions. Inside a compiled
            function that doesn't know T, the backend's own error is raised.

    Example:
        >>> x = PositionalEmbedding(10, 100, 8)(ops.ones((2, 5), dtype="int32"))
        >>> tuple(x.shape)
        (2, 5, 8)
    """

    def __init__(
        self,
        sequence_length,
        vocab_size,
        embed_dim,
        scale_tokens=False,
        embeddings_initializer=None,
        train_tokens=True,
        **kwargs,
    ):
        super().__init__(**kwargs)
        check_sizes(type(self).__name__, sequence_length=sequence_length)
        check_sizes(type(self).__name__, vocab_size=vocab_size, embed_dim=embed_dim)
        self.sequence_length = sequence_length
        self.vocab_size = vocab_size
        self.embed_dim = embed_dim
        self.scale_tokens = scale_tokens
        self.embeddings_initializer = keras.initializers.get(embeddings_initializer)
        self.train_tokens = train_tokens
        of_tokens = self.embeddings_initializer or "uniform"
        # A copy: one without a seed fills both tables with the same numbers.
        of_positions = keras.saving.deserialize_keras_object(
            keras.saving.serialize_keras_object(of_tokens)
        )
        if scale_tokens and embeddings_initializer is None:
            # A matrix that also predicts tokens starts with vectors of length about 1.
            of_tokens = keras.initializers.RandomNormal(stddev=embed_dim**-0.5)
        self.token_embeddings = layers.Embedding(
            vocab_size,
            embed_dim,
            of_tokens,
            trainable=train_tokens,
            dtype=self.dtype_policy,
        )  # (V, D)
        self.position_embeddings = layers.Embedding(
            sequence_length, embed_dim, of_positions, dtype=self.dtype_policy
        )
        self.supports_masking = True

    def build(self, input_shape):
        self.token_embeddings.build(input_shape)
        self.position_embeddings.build((input_shape[-1],))

    def call(self, inputs, start=0):
        self.check_length(inputs.shape[-1], start)
        tokens = self.token_embeddings(inputs)  # (B, T, D)
        if self.scale_tokens:
            tokens = tokens * math.sqrt(self.embed_dim)
        # A slice: unlike a look-up, it fails on every device when a row is missing.
        table = embedding_table(self.position_embeddings, self.compute_dtype)
        length = ops.shape(inputs)[-1]
        positions = ops.slice(table, (start, 0), (length, self.embed_dim))  # (T, D)
        return tokens + positions

    def check_length(self, length, start=0):
        """Raise a ValueError when a known length needs positions that don't exist."""
        if length is None:
            return
        try:
            start = int(start)
        except (TypeError, ValueError):  # a compiled function doesn't know its value
            return
        if start < 0 or start + length > self.sequence_length:
            raise ValueError(
                f"{type(self).__name__}: the input has {length} tokens from position "
                f"{start} on, but there are positions for "
                f"sequence_length={self.sequence_length} tokens only; shorten the "
                f"input or make sequence_length larger."
            )

    def predict_tokens(self, x):
        """Score every token with the embedding matrix: (B, T, D) -> (B, T, V)."""
        table = embedding_table(self.token_embeddings, x.dtype)  # (V, D)
        return ops.matmul(x, ops.transpose(table))

    def compute_mask(self, inputs, mask=None):
        return ops.not_equal(inputs, 0)

    def compute_output_shape(self, input_shape):
        self.check_length(input_shape[-1])
        return (*input_shape, self.embed_dim)

    def get_config(self):
        config = super().get_config()
        config["sequence_length"] = self.sequence_length
        config["vocab_size"] = self.vocab_size
        config["embed_dim"] = self.embed_dim
        config["scale_tokens"] = self.scale_tokens
        config["embeddings_initializer"] = keras.initializers.serialize(
            self.embeddings_initializer
        )
        config["train_tokens"] = self.train_tokens
        return config


def embedding_table(embedding, dtype):
    """Return all vectors of a Keras ``Embedding``, (V, D), also of a quantized one."""
    if embedding.quantization_mode is None:
        return ops.cast(embedding.embeddings, dtype)
    # Its table holds whole numbers; only the layer itself knows the step of each row.
    return ops.cast(embedding(ops.arange(embedding.input_dim)), dtype)


@register
class TransformerEncoder(layers.Layer):
    """Encoder block: self-attention, then a feed-forward network for each token.

    Vaswani et al. (2017), section 3.1; with ``norm_first`` the normalisation comes
    before each sub-layer, as in Xiong et al. (2020). Dropout acts on the output of each
    sub-layer (section 5.4 of the first paper).

    Args:
        embed_dim: D, width of input and output.
        dense_dim: width of the hidden dense layer.
        num_heads: H, must divide ``embed_dim``.
        dropout: rate of the dropout on each sub-layer's output.
        activation: of the hidden dense layer.
        norm_first: normalise before each sub-layer instead of after it.
        layer_norm_epsilon: added to the variance.

    Call arguments:
        inputs: (B, T, D).
        mask: (B, T) boolean, True = real token; Keras fills it in by itself.
        return_attention_scores: also return the weights (B, H, T, T).
    Returns:
        (B, T, D), and the weights when asked for.
    Raises:
        ValueError: when ``num_heads`` does not divide ``embed_dim``.

    Example:
        >>> x = keras.random.normal((2, 5, 8))
        >>> tuple(TransformerEncoder(8, 32, 2)(x).shape)
        (2, 5, 8)
    """

    attention_layer = MultiHeadAttention  # a block may take another one

    def __init__(
        self,
        embed_dim,
        dense_dim,
        num_heads,
        dropout=0.0,
        activation="relu",
        norm_first=False,
        layer_norm_epsilon=1e-5,
        **kwargs,
    ):
        super().__init__(**kwargs)
        check_heads(type(self).__name__, embed_dim, num_heads)
        check_sizes(type(self).__name__, dense_dim=dense_dim)
        self.embed_dim = embed_dim
        self.dense_dim = dense_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.activation = keras.activations.get(activation)
        self.norm_first = norm_first
        self.layer_norm_epsilon = layer_norm_epsilon
        self.self_attention = self.attention_layer(
            embed_dim, num_heads, dtype=self.dtype_policy
        )
        self.self_attention_norm = layers.LayerNormalization(
            epsilon=layer_norm_epsilon, dtype=self.dtype_policy
        )
        self.dense_in = layers.Dense(
            dense_dim, activation=activation, dtype=self.dtype_policy
        )
        self.dense_out = layers.Dense(embed_dim, dtype=self.dtype_policy)
        self.feed_forward_norm = layers.LayerNormalization(
            epsilon=layer_norm_epsilon, dtype=self.dtype_policy
        )
        self.dropout_layer = layers.Dropout(dropout, dtype=self.dtype_policy)
        self.supports_masking = True

    def build(self, input_shape):  # (B, T, D)
        self.self_attention.build(input_shape, input_shape)
        self.self_attention_norm.build(input_shape)
        self.dense_in.build(input_shape)
        self.dense_out.build((*input_shape[:-1], self.dense_dim))
        self.feed_forward_norm.build(input_shape)

    def call(self, inputs, mask=None, return_attention_scores=False, training=None):
        x = inputs

        residual = x
        if self.norm_first:
            x = self.self_attention_norm(x)
        x, weights = self.self_attention(
            x, x, value_mask=mask, return_attention_scores=True
        )
        x = residual + self.dropout_layer(x, training=training)
        if not self.norm_first:
            x = self.self_attention_norm(x)

        residual = x
        if self.norm_first:
            x = self.feed_forward_norm(x)
        x = self.feed_forward(x)
        x = residual + self.dropout_layer(x, training=training)
        if not self.norm_first:
            x = self.feed_forward_norm(x)

        return (x, weights) if return_attention_scores else x

    def feed_forward(self, x):
        """Apply the two dense layers to each position alone (equation 2)."""
        return self.dense_out(self.dense_in(x))

    def get_config(self):
        config = super().get_config()
        config["embed_dim"] = self.embed_dim
        config["dense_dim"] = self.dense_dim
        config["num_heads"] = self.num_heads
        config["dropout"] = self.dropout
        config["activation"] = keras.activations.serialize(self.activation)
        config["norm_first"] = self.norm_first
        config["layer_norm_epsilon"] = self.layer_norm_epsilon
        return config


@register
class TransformerDecoder(layers.Layer):
    """Decoder block: causal self-attention, cross-attention, feed-forward network.

    Vaswani et al. (2017), section 3.1. Arguments as in ``TransformerEncoder``.

    Call arguments:
        inputs: (B, T, D) embedded target tokens.
        encoder_outputs: (B, S, D).
        inputs_mask, encoder_outputs_mask: (B, T) and (B, S) boolean, True = real
            token. Keras fills them in by itself from the tensors' own masks. A mask
            handed over by hand is used, but not attached to the output.
        return_attention_scores: also return the weights of the cross-attention.
    Returns:
        (B, T, D), and the cross-attention weights (B, H, T, S) when asked for.
    Raises:
        ValueError: when ``num_heads`` does not divide ``embed_dim``.

    Example:
        >>> target, source = keras.random.normal((2, 4, 8)), ops.ones((2, 6, 8))
        >>> tuple(TransformerDecoder(8, 32, 2)(target, source).shape)
        (2, 4, 8)
    """

    def __init__(
        self,
        embed_dim,
        dense_dim,
        num_heads,
        dropout=0.0,
        activation="relu",
        norm_first=False,
        layer_norm_epsilon=1e-5,
        **kwargs,
    ):
        super().__init__(**kwargs)
        check_heads(type(self).__name__, embed_dim, num_heads)
        check_sizes(type(self).__name__, dense_dim=dense_dim)
        self.embed_dim = embed_dim
        self.dense_dim = dense_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.activation = keras.activations.get(activation)
        self.norm_first = norm_first
        self.layer_norm_epsilon = layer_norm_epsilon
        self.self_attention = MultiHeadAttention(
            embed_dim, num_heads, dtype=self.dtype_policy
        )
        self.self_attention_norm = layers.LayerNormalization(
            epsilon=layer_norm_epsilon, dtype=self.dtype_policy
        )
        self.dense_in = layers.Dense(
            dense_dim, activation=activation, dtype=self.dtype_policy
        )
        self.dense_out = layers.Dense(embed_dim, dtype=self.dtype_policy)
        self.feed_forward_norm = layers.LayerNormalization(
            epsilon=layer_norm_epsilon, dtype=self.dtype_policy
        )
        self.dropout_layer = layers.Dropout(dropout, dtype=self.dtype_policy)
        self.cross_attention = MultiHeadAttention(
            embed_dim, num_heads, dtype=self.dtype_policy
        )
        self.cross_attention_norm = layers.LayerNormalization(
            epsilon=layer_norm_epsilon, dtype=self.dtype_policy
        )
        self.supports_masking = True

    def build(self, inputs_shape, encoder_outputs_shape):  # (B, T, D), (B, S, D)
        self.self_attention.build(inputs_shape, inputs_shape)
        self.self_attention_norm.build(inputs_shape)
        self.dense_in.build(inputs_shape)
        self.dense_out.build((*inputs_shape[:-1], self.dense_dim))
        self.feed_forward_norm.build(inputs_shape)
        self.cross_attention.build(inputs_shape, encoder_outputs_shape)
        self.cross_attention_norm.build(inputs_shape)

    def call(
        self,
        inputs,
        encoder_outputs,
        inputs_mask=None,
        encoder_outputs_mask=None,
        return_attention_scores=False,
        training=None,
    ):
        x = inputs

        residual = x
        if self.norm_first:
            x = self.self_attention_norm(x)
        earlier = causal_mask(ops.shape(x)[1])  # (1, T, T)
        x = self.self_attention(x, x, attention_mask=earlier, value_mask=inputs_mask)
        x = residual + self.dropout_layer(x, training=training)
        if not self.norm_first:
            x = self.self_attention_norm(x)

        residual = x
        if self.norm_first:
            x = self.cross_attention_norm(x)
        x, weights = self.cross_attention(
            x,
            encoder_outputs,
            value_mask=encoder_outputs_mask,
            return_attention_scores=True,
        )
        x = residual + self.dropout_layer(x, training=training)
        if not self.norm_first:
            x = self.cross_attention_norm(x)

        residual = x
        if self.norm_first:
            x = self.feed_forward_norm(x)
        x = self.feed_forward(x)
        x = residual + self.dropout_layer(x, training=training)
        if not self.norm_first:
            x = self.feed_forward_norm(x)

        return (x, weights) if return_attention_scores else x

    def feed_forward(self, x):
        """Apply the two dense layers to each position alone (equation 2)."""
        return self.dense_out(self.dense_in(x))

    def get_config(self):
        config = super().get_config()
        config["embed_dim"] = self.embed_dim
        config["dense_dim"] = self.dense_dim
        config["num_heads"] = self.num_heads
        config["dropout"] = self.dropout
        config["activation"] = keras.activations.serialize(self.activation)
        config["norm_first"] = self.norm_first
        config["layer_norm_epsilon"] = self.layer_norm_epsilon
        return config

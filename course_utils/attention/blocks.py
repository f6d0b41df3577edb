"""Transformer layers: encoder block, decoder block, masked pooling.

Shapes use the letters of the course: B batch, T target length, S source length,
D model width, H heads. Masks are boolean, True = real token.
Keras passes masks along by itself; no caller has to hand them over.
"""

import keras
from keras import layers, ops

from course_utils.arguments import check_heads, check_sizes
from course_utils.attention.multi_head import (
    KeepsOptions,
    MultiHeadAttention,
    ReturnsWeights,
    causal_mask,
    given_options,
)
from course_utils.attention.quantization import QuantizedParts


class TransformerBlock(KeepsOptions, ReturnsWeights, QuantizedParts, layers.Layer):
    """What encoder and decoder block share: options, sub-layer wiring, config."""

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
        self.options = given_options(locals())
        function = keras.activations.get(activation)
        self.options["activation"] = keras.activations.serialize(function)
        check_heads(type(self).__name__, embed_dim, num_heads)
        check_sizes(type(self).__name__, dense_dim=dense_dim)
        self.embed_dim, self.dense_dim = embed_dim, dense_dim
        self.num_heads, self.dropout = num_heads, dropout
        self.norm_first, self.layer_norm_epsilon = norm_first, layer_norm_epsilon
        policy = self.dtype_policy
        self.self_attention = self.attention_layer(embed_dim, num_heads, dtype=policy)
        self.self_attention_norm = self.make_norm()
        self.dense_in = layers.Dense(dense_dim, activation=activation, dtype=policy)
        self.dense_out = layers.Dense(embed_dim, dtype=policy)
        self.feed_forward_norm = self.make_norm()
        self.dropout_layer = layers.Dropout(dropout, dtype=policy)
        self.supports_masking = True

    def make_norm(self):
        """Return one layer normalisation with the block's epsilon and dtype."""
        return layers.LayerNormalization(
            epsilon=self.layer_norm_epsilon, dtype=self.dtype_policy
        )

    def build_block(self, shape):
        """Create the weights both blocks have; ``shape`` is (B, T, D)."""
        self.self_attention.build(shape, shape)
        self.self_attention_norm.build(shape)
        self.dense_in.build(shape)
        self.dense_out.build((*shape[:-1], self.dense_dim))
        self.feed_forward_norm.build(shape)

    def feed_forward(self, x):
        """Apply the two dense layers to each position alone (equation 2)."""
        return self.dense_out(self.dense_in(x))

    def empty_cache(self, rows, length):
        """Return zeros for the keys and values of ``length`` positions."""
        head_dim = self.embed_dim // self.num_heads
        shape = (rows, self.num_heads, length, head_dim)
        zeros = ops.zeros(shape, dtype=self.compute_dtype)
        return zeros, zeros

    def step_self_attention(self, x, position, cache):
        """Apply the first sub-layer to one position, with the keys and values so far.

        Args:
            x: (R, 1, D), what stands at this position.
            position: its index, a scalar.
            cache: keys and values, two tensors (R, H, T, d).
        Returns:
            (R, 1, D) and the updated cache.
        """
        y = self.before(self.self_attention_norm, x)
        new_keys, new_values = self.self_attention.project_keys_values(y)
        keys = ops.slice_update(cache[0], (0, 0, position, 0), new_keys)
        values = ops.slice_update(cache[1], (0, 0, position, 0), new_values)
        seen = ops.reshape(ops.arange(ops.shape(keys)[2]) <= position, (1, 1, -1))
        y, _ = self.self_attention.attend(y, keys, values, seen)
        x = self.after(self.self_attention_norm, x, y, training=False)
        return x, (keys, values)

    def before(self, norm, x):
        """Normalise the input of a sub-layer when the block is pre-norm."""
        return norm(x) if self.norm_first else x

    def after(self, norm, x, update, training):
        """Add a sub-layer's update to ``x``; normalise when the block is post-norm."""
        x = x + self.dropout_layer(update, training=training)
        return x if self.norm_first else norm(x)


@keras.saving.register_keras_serializable(package="course_utils")
class TransformerEncoder(TransformerBlock):
    """Encoder block: self-attention, then a position-wise feed-forward network.

    Vaswani et al. (2017), section 3.1; ``norm_first=True`` gives the pre-norm form
    of Xiong et al. (2020). Dropout acts on the output of each sub-layer (section
    5.4 of the first paper).

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

    def build(self, input_shape):
        self.build_block(input_shape)

    def attention_mask(self, inputs):
        """Return which positions may see which, (1, T, T); None: each sees all."""
        return None

    def call(self, inputs, mask=None, return_attention_scores=False, training=None):
        x = inputs
        y = self.before(self.self_attention_norm, x)
        y, weights = self.self_attention(
            y,
            y,
            attention_mask=self.attention_mask(inputs),
            value_mask=mask,
            return_attention_scores=True,
        )
        x = self.after(self.self_attention_norm, x, y, training)

        y = self.feed_forward(self.before(self.feed_forward_norm, x))
        x = self.after(self.feed_forward_norm, x, y, training)
        return (x, weights) if return_attention_scores else x


@keras.saving.register_keras_serializable(package="course_utils")
class TransformerDecoder(TransformerBlock):
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

    def __init__(self, embed_dim, dense_dim, num_heads, **kwargs):
        super().__init__(embed_dim, dense_dim, num_heads, **kwargs)
        self.cross_attention = MultiHeadAttention(
            embed_dim, num_heads, dtype=self.dtype_policy
        )
        self.cross_attention_norm = self.make_norm()

    def build(self, inputs_shape, encoder_outputs_shape):
        self.build_block(inputs_shape)
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
        look_back = causal_mask(ops.shape(inputs)[1])  # (1, T, T)

        x = inputs
        y = self.before(self.self_attention_norm, x)
        y = self.self_attention(y, y, attention_mask=look_back, value_mask=inputs_mask)
        x = self.after(self.self_attention_norm, x, y, training)

        keys_values = self.cross_attention.project_keys_values(encoder_outputs)
        x, weights = self.attend_and_feed_forward(
            x, keys_values, encoder_outputs_mask, training
        )
        return (x, weights) if return_attention_scores else x

    def attend_and_feed_forward(self, x, keys_values, source_mask, training=None):
        """Apply the last two sub-layers; ``keys_values`` come from the encoder."""
        if source_mask is not None:
            source_mask = ops.expand_dims(source_mask, (1, 2))  # (B, 1, 1, S)
        y = self.before(self.cross_attention_norm, x)
        y, weights = self.cross_attention.attend(y, *keys_values, source_mask)
        x = self.after(self.cross_attention_norm, x, y, training)

        y = self.feed_forward(self.before(self.feed_forward_norm, x))
        return self.after(self.feed_forward_norm, x, y, training), weights

    def step(self, x, position, cache, encoder_keys_values, source_mask=None):
        """Decode one position, reusing the keys and values of those before it.

        With beam search R = B × beam rows share the B encoder outputs: the beams of
        a sentence attend to its source side by side, like positions.

        Args:
            x: (R, 1, D) embedding of the newest token of each row.
            position: its index, a scalar.
            cache: keys and values so far, two tensors (R, H, T, d).
            encoder_keys_values: what ``cross_attention.project_keys_values`` made
                of the encoder outputs, two tensors (B, H, S, d).
            source_mask: (B, S) boolean, True = real token.
        Returns:
            (R, 1, D) and the updated cache.
        """
        x, cache = self.step_self_attention(x, position, cache)

        sentences = ops.shape(encoder_keys_values[0])[0]
        x = ops.reshape(x, (sentences, -1, self.embed_dim))  # (B, R / B, D)
        x, _ = self.attend_and_feed_forward(x, encoder_keys_values, source_mask)
        return ops.reshape(x, (-1, 1, self.embed_dim)), cache


@keras.saving.register_keras_serializable(package="course_utils")
class MaskedGlobalMaxPooling1D(layers.Layer):
    """Take each column's maximum over the real tokens: (B, T, D) -> (B, D).

    ``keras.layers.GlobalMaxPooling1D`` has no mask argument and so takes the maximum
    over padding too. A row without any real token gives zeros.
    """

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True

    def call(self, inputs, mask=None):
        if mask is None:
            return ops.max(inputs, axis=1)
        mask = ops.expand_dims(mask, -1)  # (B, T, 1)
        pooled = ops.max(ops.where(mask, inputs, -float("inf")), axis=1)
        return ops.where(ops.any(mask, axis=1), pooled, 0.0)

    def compute_mask(self, inputs, mask=None):
        return None

    def compute_output_shape(self, input_shape):
        return (input_shape[0], input_shape[2])

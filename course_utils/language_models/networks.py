"""Language models of one text: a mini GPT and an LSTM, and their perplexity.

Both read ids (B, T) and score the next one at every place, so that perplexity and
``course_utils.generation`` need to know nothing else about them. A text begins
with ``START``.

Shapes: B texts, T length, D model width, H heads, U units of the LSTM, V vocabulary.
"""

import keras
import numpy as np
from keras import layers, ops

from course_utils.attention.blocks import TransformerEncoder
from course_utils.attention.multi_head import causal_mask, check_sizes
from course_utils.attention.positions import PositionalEmbedding, sinusoidal_table
from course_utils.attention.quantization import QuantizedParts
from course_utils.generation.steps import compiled
from course_utils.generation.text_generator import TextGenerator, generate  # noqa: F401
from course_utils.text.vectorizers import PAD


@keras.saving.register_keras_serializable(package="course_utils")
class CausalBlock(TransformerEncoder):
    """Block of a decoder-only model: causal self-attention, feed-forward network.

    It is the encoder block with a causal mask, or the decoder block without its
    cross-attention (Liu et al., 2018, "Generating Wikipedia by Summarizing Long
    Sequences", section 4.2.3). Arguments as in ``TransformerEncoder``.

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
        >>> tuple(CausalBlock(8, 32, 2)(x).shape)
        (2, 5, 8)
    """

    def attention_mask(self, inputs):
        return causal_mask(ops.shape(inputs)[1])

    def step(self, x, position, cache):
        """Compute one position, reusing the keys and values of those before it.

        Args:
            x: (B, 1, D), what stands at this position.
            position: its index, a scalar.
            cache: keys and values so far, two tensors (B, H, T, d).
        Returns:
            (B, 1, D) and the updated cache.
        """
        x, cache = self.step_self_attention(x, position, cache)
        y = self.feed_forward(self.before(self.feed_forward_norm, x))
        return self.after(self.feed_forward_norm, x, y, training=False), cache


@keras.saving.register_keras_serializable(package="course_utils")
class MiniGPT(QuantizedParts, keras.Model):
    """Decoder-only Transformer: causal blocks on top of each other.

    As in Radford et al. (2018, "Improving Language Understanding by Generative
    Pre-Training"), in the pre-norm form of its successor (2019). One matrix embeds and
    predicts tokens (Press and Wolf, 2017). Positions are learned; they begin as sine
    waves, so that "the place before" is easy to find from the first step on.

    Args:
        vocab_size: V.
        sequence_length: the context, the largest number of tokens it can read.
        embed_dim, dense_dim, num_heads, dropout, activation: as in ``CausalBlock``.
        num_layers: number of blocks.

    Call arguments:
        inputs: ids (B, T); padding stands at the right.
    Returns:
        (B, T, V) logits of the token after each place.
    Raises:
        ValueError: for more tokens than ``sequence_length``.

    Example:
        >>> model = MiniGPT(20, 8, embed_dim=8, dense_dim=16, num_heads=2, num_layers=1)
        >>> tuple(model(np.ones((2, 5))).shape)
        (2, 5, 20)
    """

    def __init__(
        self,
        vocab_size,
        sequence_length,
        embed_dim=192,
        dense_dim=768,
        num_heads=4,
        num_layers=4,
        dropout=0.0,
        activation="gelu",
        **kwargs,
    ):
        super().__init__(**kwargs)
        check_sizes("MiniGPT", num_layers=num_layers)
        self.options = dict(
            vocab_size=vocab_size,
            sequence_length=sequence_length,
            embed_dim=embed_dim,
            dense_dim=dense_dim,
            num_heads=num_heads,
            num_layers=num_layers,
            dropout=dropout,
            activation=activation,
        )
        self.sequence_length = sequence_length
        policy = dict(dtype=self.dtype_policy)
        self.embedding = PositionalEmbedding(
            sequence_length, vocab_size, embed_dim, scale_tokens=True, **policy
        )
        self.dropout_layer = layers.Dropout(dropout, **policy)
        self.blocks = [
            CausalBlock(
                embed_dim,
                dense_dim,
                num_heads,
                dropout=dropout,
                activation=activation,
                norm_first=True,
                **policy,
            )
            for _ in range(num_layers)
        ]
        self.norm = layers.LayerNormalization(epsilon=1e-5, **policy)

    def build(self, input_shape=None):
        width = self.options["embed_dim"]
        self.embedding.build((None, None))
        waves = sinusoidal_table(self.sequence_length, width)
        self.embedding.position_embeddings.embeddings.assign(waves)
        for block in self.blocks:
            block.build((None, None, width))
        self.norm.build((None, None, width))
        self.built = True

    def call(self, inputs, training=False):
        x = self.dropout_layer(self.embedding(inputs), training=training)
        for block in self.blocks:
            x = block(x, mask=ops.not_equal(inputs, PAD), training=training)
        return self.embedding.predict_tokens(self.norm(x))

    def attention(self, inputs):
        """Return the attention weights (L, B, H, T, T) of all L blocks."""
        x, all_weights = self.embedding(inputs), []
        for block in self.blocks:
            x, weights = block(x, return_attention_scores=True)
            all_weights.append(weights)
        return ops.stack(all_weights)

    def empty_cache(self, rows, length):
        """Return zeros for the keys and values of ``length`` positions."""
        heads = self.options["num_heads"]
        shape = (rows, heads, length, self.options["embed_dim"] // heads)
        zeros = ops.zeros(shape, dtype=self.compute_dtype)
        return [(zeros, zeros) for _ in self.blocks]

    def step(self, tokens, position, cache):
        """Score the token after ``tokens``, the newest ones, with a key/value cache.

        Args:
            tokens: (B,) ids at ``position``.
            position: scalar index of these tokens.
            cache: from ``empty_cache`` or the step before.
        Returns:
            (B, V) logits and the updated cache.
        """
        x = self.embedding(ops.expand_dims(tokens, 1), start=position)  # (B, 1, D)
        new_cache = []
        for block, block_cache in zip(self.blocks, cache, strict=True):
            x, block_cache = block.step(x, position, block_cache)
            new_cache.append(block_cache)
        logits = self.embedding.predict_tokens(self.norm(x))
        return ops.squeeze(logits, 1), new_cache

    def compute_output_shape(self, input_shape):
        return (*input_shape, self.options["vocab_size"])

    def get_config(self):
        return {**super().get_config(), **self.options}


@keras.saving.register_keras_serializable(package="course_utils")
class CharacterLSTM(keras.Model):
    """Recurrent language model with the interface of ``MiniGPT``.

    One LSTM (Hochreiter and Schmidhuber, 1997) or several, each of which reads the
    states of the one below (Graves, 2013, "Generating Sequences With Recurrent Neural
    Networks", section 2).

    Args:
        vocab_size: V.
        embed_dim: width of the token vectors.
        units: U, width of the states.
        num_layers: number of LSTMs.
        dropout: share of the numbers that training leaves out between the layers.

    Call arguments:
        inputs: ids (B, T); padding stands at the right, where no place before sees it.
    Returns:
        (B, T, V) logits of the token after each place.

    Example:
        >>> model = CharacterLSTM(20, embed_dim=4, units=6)
        >>> tuple(model(np.ones((2, 5))).shape)
        (2, 5, 20)
    """

    def __init__(
        self, vocab_size, embed_dim=64, units=256, num_layers=1, dropout=0.0, **kwargs
    ):
        super().__init__(**kwargs)
        self.options = dict(
            vocab_size=vocab_size,
            embed_dim=embed_dim,
            units=units,
            num_layers=num_layers,
            dropout=dropout,
        )
        sizes = ("vocab_size", "embed_dim", "units", "num_layers")
        check_sizes("CharacterLSTM", **{name: self.options[name] for name in sizes})
        policy = dict(dtype=self.dtype_policy)
        self.embedding = layers.Embedding(vocab_size, embed_dim, **policy)
        self.lstms = [
            layers.LSTM(units, return_sequences=True, **policy)
            for _ in range(num_layers)
        ]
        self.dropout_layer = layers.Dropout(dropout, **policy)
        self.output_dense = layers.Dense(vocab_size, **policy)

    def build(self, input_shape=None):
        units, width = self.options["units"], self.options["embed_dim"]
        self.embedding.build((None, None))
        for lstm in self.lstms:
            lstm.build((None, None, width))
            width = units
        self.output_dense.build((None, None, units))
        self.built = True

    def call(self, inputs, training=False):
        x = self.embedding(inputs)
        for lstm in self.lstms:
            x = self.dropout_layer(lstm(x, training=training), training=training)
        return self.output_dense(x)

    def empty_cache(self, rows, length):
        """Return zeros for the states; ``length`` doesn't matter to an LSTM."""
        zeros = ops.zeros((rows, self.options["units"]), dtype=self.compute_dtype)
        return [(zeros, zeros) for _ in self.lstms]

    def step(self, tokens, position, cache):
        """Score the token after ``tokens``, the newest ones, from the last states.

        Args:
            tokens: (B,) ids at ``position``.
            position: their index; the states hold all that an LSTM needs of it.
            cache: from ``empty_cache`` or the step before.
        Returns:
            (B, V) logits and the updated cache.
        """
        x, new_cache = self.embedding(tokens), []
        for lstm, states in zip(self.lstms, cache, strict=True):
            x, states = lstm.cell(x, list(states))  # (B, U)
            new_cache.append(tuple(states))
        return self.output_dense(x), new_cache

    def compute_output_shape(self, input_shape):
        return (*input_shape, self.options["vocab_size"])

    def get_config(self):
        return {**super().get_config(), **self.options}


def log_probabilities(model, inputs, targets, batch_size=64):
    """Return how probable a model finds each target, given what stands before it.

    Args:
        model: a language model: ids (B, T) -> logits (B, T, V).
        inputs: (N, T) ids.
        targets: (N, T) ids that follow the inputs; 0 where nothing is to be scored.
        batch_size: how many rows are computed at a time.
    Returns:
        (N, T) float32 array of natural logarithms, 0 where the target is 0.
    Raises:
        ValueError: when the two differ in shape, or there are no rows.
    """
    inputs, targets = np.asarray(inputs, "int32"), np.asarray(targets, "int32")
    if inputs.shape != targets.shape or inputs.ndim != 2 or not len(inputs):
        raise ValueError(
            f"log_probabilities: inputs have the shape {inputs.shape} and targets "
            f"{targets.shape}; expected the same (N, T) with at least one row."
        )
    score = compiled(_log_probabilities, model)
    starts = range(0, len(inputs), batch_size)
    parts = [
        score(inputs[i : i + batch_size], targets[i : i + batch_size]) for i in starts
    ]
    return np.concatenate([ops.convert_to_numpy(part) for part in parts])


def _log_probabilities(model, inputs, targets):
    logits = ops.cast(model(inputs), "float32")  # (B, T, V)
    places = ops.expand_dims(targets, -1)  # (B, T, 1)
    chosen = ops.squeeze(ops.take_along_axis(logits, places, axis=-1), -1)  # (B, T)
    found = chosen - ops.logsumexp(logits, axis=-1)
    return ops.where(ops.equal(targets, PAD), 0.0, found)


def perplexity(log_probs, targets):
    """Return exp of the mean negative log-probability of the scored targets.

    Args:
        log_probs: (N, T) natural logarithms.
        targets: (N, T) ids; places with 0 don't count.
    Returns:
        A number from 1 (always certain, and right) on.
    Raises:
        ValueError: when no target is scored.

    Example:
        >>> perplexity(np.log([[0.5, 0.125, 1.0]]), [[7, 8, 0]])
        4.0
    """
    return float(np.exp(_nats_per_token(log_probs, targets)))


def bits_per_character(log_probs, targets):
    """Return the base-2 logarithm of the perplexity; arguments as there.

    Example:
        >>> bits_per_character(np.log([[0.5, 0.125, 1.0]]), [[7, 8, 0]])
        2.0
    """
    return float(_nats_per_token(log_probs, targets) / np.log(2))


def _nats_per_token(log_probs, targets):
    scored = np.asarray(targets) != PAD
    if not scored.any():
        raise ValueError("perplexity: there is no target to score; all of them are 0.")
    # The exact value of a float64 sum doesn't depend on how rows were batched.
    return -np.asarray(log_probs, "float64")[scored].mean()

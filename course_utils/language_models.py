"""Language models of one text: a mini GPT and an LSTM, and what both can do.

Both read ids (B, T) and score the next one at every place, so that decoding and
perplexity need to know nothing else about them. A text begins with ``START``.

Shapes: B texts, T length, D model width, H heads, U units of the LSTM, V vocabulary.
"""

import keras
import numpy as np
from keras import layers, ops

from course_utils.attention import causal_mask, check_sizes
from course_utils.characters import CharacterVectorizer  # noqa: F401  for loading
from course_utils.generation import NEVER, compiled, draw, keep_top_k, keep_top_p
from course_utils.positions import PositionalEmbedding, sinusoidal_table
from course_utils.quantization import QuantizedParts
from course_utils.text import END, PAD, START, UNKNOWN, pad
from course_utils.text_models import TextModel
from course_utils.transformer import TransformerEncoder

NOT_WRITTEN = (PAD, UNKNOWN, START)  # ids that no text contains after its beginning


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


def generate(model, prompts, length, temperature=1.0, top_k=None, top_p=None, seed=0):
    """Continue prompts token by token, all of them in one compiled loop.

    The logits are divided by the temperature; then ``top_k``, and after it ``top_p``,
    leave only the most probable tokens to draw from. What a row gets depends on its
    prompt, the seed and its place in the batch, not on the other rows or ``length``.

    Args:
        model: a language model with ``empty_cache`` and ``step``.
        prompts: lists of ids, which may differ in length; the first id is ``START``.
        length: largest number of new tokens, the end included.
        temperature: 0 takes the most probable token; below 1 the probable tokens
            become more probable, above 1 less.
        top_k: draw from the k most probable tokens, see ``keep_top_k``; None for all.
        top_p: draw from the nucleus of this probability, see ``keep_top_p``; None for
            all tokens.
        seed: integer from 0; the same seed gives the same tokens.
    Returns:
        (B, length) NumPy array of the new ids; after the end there is padding.
    Raises:
        ValueError: for prompts that are empty or longer than the model's context,
            and for a length, temperature, ``top_k``, ``top_p`` or seed that isn't as
            described.
    """
    lengths = _check_prompts(model, prompts, length)
    _check_sampling(temperature, top_k, top_p, seed)
    rows = np.random.default_rng(seed).spawn(len(lengths))
    draws = np.stack([row.random(length, dtype="float32") for row in rows])
    loop = compiled(
        _generate_loop,
        model,
        greedy=temperature == 0,
        top_k=None if top_k is None else int(top_k),
        nucleus=top_p is not None,
    )
    heat, share = float(temperature), 1.0 if top_p is None else float(top_p)
    tokens = ops.convert_to_numpy(loop(pad(prompts), lengths, draws, heat, share))
    new = lengths[:, None] + np.arange(length)  # (B, length)
    return np.take_along_axis(tokens, new, axis=1)


def _check_prompts(model, prompts, length):
    """Return the number of ids of each prompt (B,), or raise a ValueError."""
    lengths = np.array([len(prompt) for prompt in prompts], dtype="int32")
    if not len(lengths):
        raise ValueError("generate: there is no prompt; pass at least one.")
    if not lengths.all():
        raise ValueError(
            f"generate: prompt {int(lengths.argmin())} is empty; begin each prompt "
            f"with START ({START})."
        )
    check_sizes("generate", length=length)
    context = getattr(model, "sequence_length", None)
    # The last new token is written, but never read.
    if context is not None and lengths.max() + length - 1 > context:
        raise ValueError(
            f"generate: a prompt of {lengths.max()} ids and {length} new ones don't "
            f"fit into the model's context of {context}; shorten one of them."
        )
    return lengths


def _check_sampling(temperature, top_k, top_p, seed):
    """Raise a ValueError for what ``generate`` can't draw with."""
    if not 0 <= temperature < float("inf"):
        raise ValueError(
            f"generate: temperature is {temperature}; it must be 0 (always the most "
            f"probable token) or above."
        )
    if top_k is not None:
        check_sizes("generate", top_k=top_k)
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(
            f"generate: top_p is {top_p}; it must be above 0 and at most 1."
        )
    if not isinstance(seed, int | np.integer) or seed < 0:
        raise ValueError(
            f"generate: seed is {seed!r}; expected an integer, at least 0."
        )


def _generate_loop(
    model, prompts, lengths, draws, temperature, top_p, greedy, top_k, nucleus
):
    """Return (B, longest prompt + new tokens) ids: prompts, continuations, padding."""
    rows, new_tokens = ops.shape(draws)[0], ops.shape(draws)[1]
    columns = ops.shape(prompts)[1] + new_tokens
    room = ops.zeros((rows, new_tokens), dtype="int32")

    def choose(logits, number):
        logits = ops.cast(logits, "float32")
        if greedy:
            return ops.squeeze(ops.top_k(_written(logits), 1)[1], 1)
        logits = _written(logits / temperature)
        if top_k is not None:
            logits = keep_top_k(logits, top_k)
        if nucleus:
            logits = keep_top_p(logits, top_p)
        return draw(logits, ops.squeeze(ops.take_along_axis(draws, number, 1), 1))

    def unfinished(position, tokens, ended, cache):
        full = position + 1 >= lengths + new_tokens
        return ops.logical_not(ops.all(ops.logical_or(ended, full)))

    def step(position, tokens, ended, cache):
        logits, cache = model.step(tokens[:, position], position, cache)
        # How many new tokens a row has; below 0 while its prompt is still being read.
        count = position + 1 - lengths  # (B,)
        number = ops.expand_dims(ops.clip(count, 0, new_tokens - 1), 1)
        chosen = ops.cast(choose(logits, number), "int32")
        done = ops.logical_or(ended, count >= new_tokens)
        chosen = ops.where(done, PAD, chosen)
        chosen = ops.where(count < 0, tokens[:, position + 1], chosen)
        ended = ops.logical_or(ended, ops.logical_and(count >= 0, chosen == END))
        tokens = ops.slice_update(tokens, (0, position + 1), ops.expand_dims(chosen, 1))
        return position + 1, tokens, ended, cache

    state = (
        ops.convert_to_tensor(0),
        ops.concatenate([ops.cast(prompts, "int32"), room], axis=1),
        ops.zeros((rows,), dtype="bool"),
        model.empty_cache(rows, columns),
    )
    return ops.while_loop(unfinished, step, state)[1]


def _written(logits):
    """Rule out the ids that stand for no character and no end."""
    barred = np.isin(np.arange(logits.shape[-1]), NOT_WRITTEN)  # (V,)
    return ops.where(barred, NEVER, logits)


@keras.saving.register_keras_serializable(package="course_utils")
class TextGenerator(TextModel):
    """A language model together with its vectorizer, in one file.

    Args:
        vectorizer: a ``CharacterVectorizer``.
        model: a ``MiniGPT`` or ``CharacterLSTM`` of the same vocabulary.

    Example (not run here, for it needs a trained model):
        ``TextGenerator(vectorizer, model).complete(["This film is "], 100)``
    """

    def __init__(self, vectorizer, model, **kwargs):
        if not model.built:
            model.build()
        super().__init__(vectorizer, model, model.options["vocab_size"], **kwargs)

    def complete(self, prompts, length=100, **options):
        """Write on from each prompt.

        Args:
            prompts: list of N strings. An empty one starts a new text. A character
                outside the vocabulary is read as unknown.
            length: largest number of new characters; a text may end before.
            options: temperature, top_k, top_p and seed of ``generate``.
        Returns:
            A list of N strings, the new characters without the prompts.
        Raises:
            ValueError: as ``generate``, and for prompts that aren't strings.
        """
        if isinstance(prompts, str):
            raise ValueError(
                "TextGenerator: prompts is one string; pass a list, such as [prompt]."
            )
        prompts = list(prompts)
        for prompt in prompts:
            if not isinstance(prompt, str):
                raise ValueError(f"TextGenerator: {prompt!r} is not a string.")
        ids = [[START, *found] for found in self.vectorizer.encode(prompts)]
        return self.vectorizer.decode(generate(self.model, ids, length, **options))

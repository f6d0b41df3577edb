"""Recurrent encoder–decoders: vanilla, peeky, and with attention.

The three differ only in how the decoder gets to know the source:

- **vanilla** (Sutskever et al., 2014): the encoder's last state is the decoder's first
  state, and nothing else;
- **peeky** (Cho et al., 2014): besides, that state is put beside the decoder's input
  and output at every step;
- **attention** (Luong et al., 2015): besides, each decoder state attends to the
  encoder's outputs at all source positions, and the mixture it gets is put beside it.

In training the decoder reads the right tokens (teacher forcing), so its GRU runs over
the whole target at once, and attention after it is one batched product. In decoding
``greedy_search`` and ``beam_search`` carry the state from step to step.
"""

import keras
from keras import layers, ops

from course_utils.arguments import check_option, check_sizes
from course_utils.attention.scored_attention import ScoredAttention
from course_utils.generation.fast_search import fast_greedy_search_in_batches
from course_utils.saving import register
from course_utils.text.vectorizers import PAD, decoder_inputs_and_labels, pad

DECODERS = ("vanilla", "peeky", "attention")


@register
class RecurrentSeq2Seq(keras.Model):
    """GRU encoder–decoder with the interface of ``TranslationTransformer``.

    So ``greedy_search``, ``beam_search`` and ``Translator`` work with it.

    Args:
        vocab_size: V, of the vocabulary that source and target share.
        sequence_length: largest number of tokens of either side.
        embed_dim: E, width of the token vectors.
        units: U, width of the GRU states.
        decoder: "vanilla", "peeky" or "attention".
        attention: a dict of options of ``ScoredAttention``, such as
            ``{"score": "additive"}``; for the decoder "attention" only.
        bidirectional: whether a second GRU reads the source from its end; outputs and
            last states of the two are added up.
        dropout: share of the numbers of the token vectors that training leaves out.

    Call arguments:
        inputs: a pair of id arrays, source (B, S) and target (B, T).
    Returns:
        (B, T, V) logits of the next target token.
    Raises:
        ValueError: for an unknown or misplaced option, or a sequence longer than
            ``sequence_length``.

    Example:
        >>> model = RecurrentSeq2Seq(20, 8, embed_dim=4, units=6, decoder="peeky")
        >>> tuple(model((ops.ones((2, 5)), ops.ones((2, 3)))).shape)
        (2, 3, 20)
    """

    cache_axis = None  # a state is as large after one token as after many

    def __init__(
        self,
        vocab_size,
        sequence_length,
        embed_dim=64,
        units=128,
        decoder="vanilla",
        attention=None,
        bidirectional=False,
        dropout=0.0,
        **kwargs,
    ):
        super().__init__(**kwargs)
        _check_options(decoder, attention)
        check_sizes("RecurrentSeq2Seq", vocab_size=vocab_size, units=units)
        check_sizes("RecurrentSeq2Seq", sequence_length=sequence_length)
        check_sizes("RecurrentSeq2Seq", embed_dim=embed_dim)
        self.vocab_size = vocab_size
        self.sequence_length = sequence_length
        self.embed_dim = embed_dim
        self.units = units
        self.decoder_kind = decoder
        self.attention_options = attention
        self.bidirectional = bidirectional
        self.dropout = dropout
        self.source_embedding = layers.Embedding(
            vocab_size, embed_dim, dtype=self.dtype_policy
        )
        self.target_embedding = layers.Embedding(
            vocab_size, embed_dim, dtype=self.dtype_policy
        )
        self.dropout_layer = layers.Dropout(dropout, dtype=self.dtype_policy)
        encoder = layers.GRU(
            units, return_sequences=True, return_state=True, dtype=self.dtype_policy
        )
        if bidirectional:
            encoder = layers.Bidirectional(
                encoder, merge_mode="sum", dtype=self.dtype_policy
            )
        self.encoder = encoder
        self.decoder = layers.GRU(units, return_sequences=True, dtype=self.dtype_policy)
        if decoder == "attention":
            options = {"max_length": sequence_length, **(attention or {})}
            self.attention = ScoredAttention(**options, dtype=self.dtype_policy)
            self.combine = layers.Dense(
                units, activation="tanh", dtype=self.dtype_policy
            )
        self.output_dense = layers.Dense(
            vocab_size, name="tokens", dtype=self.dtype_policy
        )

    def build(self, input_shape=None):
        peek = self.units if self.decoder_kind == "peeky" else 0
        self.source_embedding.build((None, None))
        self.target_embedding.build((None, None))
        self.encoder.build((None, None, self.embed_dim))
        self.decoder.build((None, None, self.embed_dim + peek))
        if self.decoder_kind == "attention":
            self.attention.build((None, None, self.units), (None, None, self.units))
            self.combine.build((None, None, 2 * self.units))
        self.output_dense.build((None, None, self.units + peek))
        self.built = True

    def encode(self, source, training=False):
        """Read source ids (B, S): outputs (B, S, U), last state (B, U), mask (B, S)."""
        self._check_length("source", source)
        mask = ops.not_equal(source, PAD)
        x = self.dropout_layer(self.source_embedding(source), training=training)
        if self.bidirectional:
            outputs, forward_state, backward_state = self.encoder(
                x, mask=mask, training=training
            )
            return outputs, forward_state + backward_state, mask
        outputs, state = self.encoder(x, mask=mask, training=training)
        return outputs, state, mask

    def call(self, inputs, training=False):
        source, target = inputs
        logits, _ = self.decode(target, self.encode(source, training), training)
        return logits

    def decode(self, target, encoded, training=False):
        """Return logits (B, T, V), and the attention weights (B, T, S) or None.

        Args:
            target: ids (B, T), the start first.
            encoded: outputs, last state and mask, from ``encode``.
        """
        self._check_length("target", target)
        _, first_state, _ = encoded
        x = self.dropout_layer(self.target_embedding(target), training=training)
        x = self._peek(x, encoded)
        states = self.decoder(x, initial_state=first_state, training=training)
        return self._predict(states, encoded)  # states: (B, T, U)

    def cross_attention(self, inputs):
        """Return the attention weights (1, B, 1, T, S): one block, one head.

        Args:
            inputs: source ids (B, S) and decoder input ids (B, T).
        Raises:
            ValueError: the decoder has no attention.
        """
        if self.decoder_kind != "attention":
            raise ValueError(
                f"RecurrentSeq2Seq: the decoder {self.decoder_kind!r} has no attention "
                f"to show; use decoder='attention'."
            )
        source, target = inputs
        _, weights = self.decode(target, self.encode(source))  # (B, T, S)
        return ops.expand_dims(ops.expand_dims(weights, 1), 0)

    def encode_for_steps(self, source):
        """Encode (B, S) ids once; returns what every ``step`` needs of the source."""
        return self.encode(source)

    def empty_cache(self, rows, length):
        """Return zeros for the decoder's state; ``length`` doesn't matter to a GRU."""
        return [(ops.zeros((rows, self.units), dtype=self.compute_dtype),)]

    def step(self, tokens, position, cache, encoded_source):
        """Score the token after ``tokens``, the newest ones, from the last state.

        Args:
            tokens: (R,) ids at ``position``; R = B × K rows, K beams per sentence.
            position: scalar index of these tokens; at 0 the state is the encoder's.
            cache: from ``empty_cache`` or the step before.
            encoded_source: from ``encode_for_steps``.
        Returns:
            (R, V) logits and the updated cache.
        """
        _, encoder_state, _ = encoded_source  # (B, U)
        sentences = ops.shape(encoder_state)[0]
        x = self.target_embedding(tokens)  # (R, E)
        x = ops.reshape(x, (sentences, -1, self.embed_dim))  # (B, K, E)
        x = self._peek(x, encoded_source)
        state = ops.reshape(cache[0][0], (sentences, -1, self.units))  # (B, K, U)
        first = ops.expand_dims(encoder_state, 1)  # (B, 1, U)
        state = ops.where(ops.equal(position, 0), first, state)
        state, _ = self.decoder.cell(
            ops.reshape(x, (-1, x.shape[-1])), [ops.reshape(state, (-1, self.units))]
        )  # (R, U)
        states = ops.reshape(state, (sentences, -1, self.units))  # (B, K, U)
        positions = ops.zeros_like(states[0, :, 0]) + ops.cast(position, state.dtype)
        logits, _ = self._predict(states, encoded_source, positions)
        return ops.reshape(logits, (-1, self.vocab_size)), [(state,)]

    def _peek(self, x, encoded):
        """Put the encoder's last state beside each of (B, T, …) vectors, if peeky."""
        if self.decoder_kind != "peeky":
            return x
        _, state, _ = encoded
        state = ops.expand_dims(state, 1)  # (B, 1, U)
        state = state + ops.zeros_like(x[..., :1])  # (B, T, U)
        return ops.concatenate([x, state], axis=-1)

    def _predict(self, states, encoded, positions=None):
        """Return logits (B, T, V) for decoder states (B, T, U), and the weights."""
        if self.decoder_kind != "attention":
            return self.output_dense(self._peek(states, encoded)), None
        outputs, _, mask = encoded
        context, weights = self.attention(
            states,
            outputs,
            value_mask=mask,
            positions=positions,
            return_attention_scores=True,
        )  # (B, T, U), (B, T, S)
        x = self.combine(ops.concatenate([context, states], axis=-1))  # (B, T, U)
        return self.output_dense(x), weights

    def _check_length(self, name, ids):
        length = ids.shape[1]
        if length is not None and length > self.sequence_length:
            raise ValueError(
                f"RecurrentSeq2Seq: the {name} has {length} columns, but "
                f"sequence_length is {self.sequence_length}; shorten the sequences or "
                f"build the model with a larger sequence_length."
            )

    def compute_output_shape(self, input_shape):
        return (*input_shape[1], self.vocab_size)

    def get_config(self):
        config = super().get_config()
        config["vocab_size"] = self.vocab_size
        config["sequence_length"] = self.sequence_length
        config["embed_dim"] = self.embed_dim
        config["units"] = self.units
        config["decoder"] = self.decoder_kind
        config["attention"] = self.attention_options
        config["bidirectional"] = self.bidirectional
        config["dropout"] = self.dropout
        return config


def _check_options(decoder, attention):
    check_option("RecurrentSeq2Seq", "decoder", decoder, DECODERS)
    if attention is not None and decoder != "attention":
        raise ValueError(
            f"RecurrentSeq2Seq: there are options for attention, but decoder is "
            f"{decoder!r}; pass decoder='attention', or no such options."
        )


def teacher_forcing_arrays(sources, targets, length=None):
    """Turn lists of ids into what ``fit`` takes.

    Args:
        sources: lists of source ids.
        targets: lists of target ids, without start and end.
        length: how many columns all arrays have; None fits each side's longest row.
    Returns:
        ((source (N, S), decoder inputs (N, T)), labels (N, T)), see
        ``decoder_inputs_and_labels``.

    Example:
        >>> (source, inputs), labels = teacher_forcing_arrays([[7]], [[5, 6]])
        >>> inputs.tolist(), labels.tolist()
        ([[2, 5, 6]], [[5, 6, 3]])
    """
    if len(sources) != len(targets):
        raise ValueError(
            f"teacher_forcing_arrays: there are {len(sources)} sources, but "
            f"{len(targets)} targets; pass one target for each source."
        )
    inputs, labels = decoder_inputs_and_labels(targets, length)
    return (pad(sources, length), inputs), labels


def exact_matches(model, sources, targets, batch_size=512):
    """Decode greedily and tell which outputs are right from start to end.

    Args:
        model: an encoder–decoder with a step function.
        sources: lists of source ids.
        targets: lists of target ids, without start and end.
    Returns:
        (N,) booleans, and the (N, T) ids that the model wrote; T is the longest target
        plus its end.
    """
    (source, _), labels = teacher_forcing_arrays(sources, targets)
    wrote = fast_greedy_search_in_batches(model, source, labels.shape[1], batch_size)
    return (wrote == labels).all(axis=1), wrote

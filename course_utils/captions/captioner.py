"""A GRU that attends to the cells of an image before each word of a caption.

The cells come from an encoder of ``course_utils.captions.encoders``. The captioner has
the step functions that ``greedy_search`` and ``beam_search`` ask for; an image goes
there as one row of whole numbers, its pixels.

Shapes use the letters of the course: B images, S cells, D their width, T words, R = B ·
K rows of the decoder, E width of a word's vector, U width of the state, V vocabulary.
"""

import keras
from keras import layers, ops

# Keras then knows the encoders of a saved captioner, too.
import course_utils.captions.encoders  # noqa: F401
from course_utils.arguments import check_rate, check_sizes
from course_utils.attention.transformer import masked_softmax
from course_utils.classification import TokenDropout
from course_utils.saving import register


@register
class RecurrentCaptioner(keras.Model):
    """A GRU that mixes the cells of an image, as Xu et al. (2015), before each word.

    A step reads the newest word beside the context that the last one brought (Luong et
    al., 2015, section 3.3). The new state is the query; what it says about the next
    word is added to what the new context says: A h + B z, the sum of Xu et al.,
    equation 7, without their part for the newest word. Unlike there, the first state is
    zero: what the decoder knows of the image, it knows from its attention.

    Args:
        encoder: a ``ConvEncoder`` or ``PatchEncoder``.
        vocab_size: V.
        caption_length: largest number of words, start or end included.
        embed_dim: E.
        units: U.
        word_dropout: rate of the words read that training replaces by the unknown
            token: a decoder that trusts the word "blue" before "circle" more than the
            image will never write a pair that it hasn't read.
        context_dropout: rate of the contexts that training hides from the next step. A
            decoder that can't rely on its last context has to attend again.
        seed: of the draws.

    Call arguments:
        inputs: a pair, images (B, H, W, 3) and the words read (B, T) with the start.
    Returns:
        (B, T, V) logits of the next word.
    Raises:
        ValueError: for captions that are too long, or sizes that don't fit.

    Example:
        >>> from course_utils.captions.encoders import ConvEncoder
        >>> model = RecurrentCaptioner(ConvEncoder(12, 6), 10, 5, embed_dim=4, units=4)
        >>> tuple(model((ops.zeros((2, 12, 12, 3)), ops.ones((2, 3)))).shape)
        (2, 3, 10)
    """

    cache_axis = None  # a state is as large after one word as after many

    def __init__(
        self,
        encoder,
        vocab_size,
        caption_length,
        embed_dim=32,
        units=128,
        word_dropout=0.0,
        context_dropout=0.0,
        seed=0,
        **kwargs,
    ):
        super().__init__(**kwargs)
        check_sizes("RecurrentCaptioner", vocab_size=vocab_size, units=units)
        check_sizes("RecurrentCaptioner", caption_length=caption_length)
        check_sizes("RecurrentCaptioner", embed_dim=embed_dim)
        check_rate("RecurrentCaptioner", "context_dropout", context_dropout)
        self.encoder = encoder
        self.vocab_size = vocab_size
        self.caption_length = caption_length
        self.embed_dim = embed_dim
        self.units = units
        self.word_dropout = word_dropout
        self.context_dropout = context_dropout
        self.seed = seed
        self.drop_words = TokenDropout(word_dropout, seed)
        self.draws = keras.random.SeedGenerator(seed)
        self.embedding = layers.Embedding(
            vocab_size, embed_dim, dtype=self.dtype_policy
        )
        self.cell = layers.GRUCell(units, dtype=self.dtype_policy)
        self.query = layers.Dense(
            encoder.embed_dim, use_bias=False, dtype=self.dtype_policy
        )
        self.from_state = layers.Dense(
            vocab_size, dtype=self.dtype_policy
        )  # A and a bias
        self.from_context = layers.Dense(
            vocab_size, use_bias=False, dtype=self.dtype_policy
        )  # B

    def build(self, input_shape=None):
        if not self.encoder.built:
            size = self.encoder.image_size
            self.encoder.build((None, size, size, 3))
        self.embedding.build((None, None))
        self.cell.build((None, self.embed_dim + self.encoder.embed_dim))
        self.query.build((None, self.units))
        self.from_state.build((None, self.units))
        self.from_context.build((None, self.encoder.embed_dim))
        self.built = True

    def attend(self, vectors, state, context, cells):
        """Read the newest words, then mix the cells of their images.

        Args:
            vectors: (R, E); the rows of an image stand together.
            state, context: (R, U) and (R, D), what the last step gave.
            cells: (B, S, D).
        Returns:
            The new state and context, and the weights (R, S).
        """
        images = ops.shape(cells)[0]  # B
        width = self.encoder.embed_dim  # D
        x = ops.concatenate([vectors, context], axis=-1)  # (R, E + D)
        state, _ = self.cell(x, [state])
        query = ops.reshape(self.query(state), (images, -1, width))  # (B, K, D)
        scores = ops.matmul(query, ops.swapaxes(cells, 1, 2))  # (B, K, S)
        weights = masked_softmax(scores)
        context = ops.reshape(ops.matmul(weights, cells), (-1, width))  # (R, D)
        return state, context, ops.reshape(weights, (-1, self.encoder.side**2))

    def predict_words(self, states, contexts):
        """Score the next words: (…, U), (…, D) -> (…, V)."""
        return self.from_state(states) + self.from_context(contexts)

    def hide(self, context, training):
        """Set some of the contexts (B, D) to zero while training."""
        if not training or self.context_dropout == 0:
            return context
        draws = keras.random.uniform((ops.shape(context)[0], 1), seed=self.draws)
        return context * ops.cast(draws >= self.context_dropout, context.dtype)

    def decode(self, cells, words, training=False):
        """Go through whole captions: cells (B, S, D), words (B, T).

        Returns:
            Logits (B, T, V) and the weights (B, T, S) with which each was chosen.
        """
        length = words.shape[1]
        if length is None or length > self.caption_length:
            raise ValueError(
                f"RecurrentCaptioner: the captions have {length} columns; expected a "
                f"known number, at most caption_length={self.caption_length}."
            )
        all_states = []
        all_contexts = []
        all_weights = []
        vectors = self.embedding(words)  # (B, T, E)
        state, context = self.empty_cache(ops.shape(cells)[0], length)
        for t in range(length):
            if t > 0:
                context = self.hide(context, training)
            state, context, weights = self.attend(vectors[:, t], state, context, cells)
            all_states.append(state)
            all_contexts.append(context)
            all_weights.append(weights)
        states = ops.stack(all_states, axis=1)  # (B, T, U)
        contexts = ops.stack(all_contexts, axis=1)  # (B, T, D)
        return self.predict_words(states, contexts), ops.stack(all_weights, axis=1)

    def call(self, inputs, training=False):
        images, words = inputs
        cells = self.encoder(images, training=training)  # (B, S, D)
        words = self.drop_words(words, training=training)
        logits, _ = self.decode(cells, words, training)
        return logits

    def compute_output_shape(self, input_shape):
        return (*input_shape[1], self.vocab_size)

    def encode_for_steps(self, source):
        """Return the cells of images (B, H · W · 3), which every ``step`` needs."""
        size = self.encoder.image_size
        return self.encoder(ops.reshape(source, (-1, size, size, 3)))

    def empty_cache(self, rows, length):
        """Return zeros for state and context; ``length`` doesn't matter."""
        state = ops.zeros((rows, self.units), dtype=self.compute_dtype)
        context = ops.zeros((rows, self.encoder.embed_dim), dtype=self.compute_dtype)
        return [state, context]

    def step(self, tokens, position, cache, encoded_source):
        """Score the word after ``tokens`` (R,); R = B × K rows, K for each image.

        Returns:
            (R, V) logits and the updated cache.
        """
        state, context = cache
        vectors = self.embedding(tokens)  # (R, E)
        state, context, _ = self.attend(vectors, state, context, encoded_source)
        return self.predict_words(state, context), [state, context]

    def get_config(self):
        config = super().get_config()
        config["encoder"] = keras.saving.serialize_keras_object(self.encoder)
        config["vocab_size"] = self.vocab_size
        config["caption_length"] = self.caption_length
        config["embed_dim"] = self.embed_dim
        config["units"] = self.units
        config["word_dropout"] = self.word_dropout
        config["context_dropout"] = self.context_dropout
        config["seed"] = self.seed
        return config

    @classmethod
    def from_config(cls, config):
        encoder = keras.saving.deserialize_keras_object(config["encoder"])
        return cls(**{**config, "encoder": encoder})

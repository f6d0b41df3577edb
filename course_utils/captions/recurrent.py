"""A GRU that attends to the cells of an image before each word of a caption.

*Soft* attention mixes all cells and learns by back-propagation; *hard* attention takes
one cell and learns by REINFORCE (Xu et al., 2015, "Show, Attend and Tell"); the *mean*
is always the same. Shapes as in ``course_utils.captions.captioner``.
"""

import keras
from keras import layers, ops

from course_utils.attention.multi_head import check_rate, check_sizes, given_options
from course_utils.captions import reinforce
from course_utils.captions.attention_step import AttentionStep
from course_utils.captions.captioner import Captioner
from course_utils.text.vectorizers import PAD


@keras.saving.register_keras_serializable(package="course_utils")
class RecurrentCaptioner(Captioner):
    """A GRU that attends to the cells before each word.

    After an ``AttentionStep``, what the state says about the next word is added to what
    the context says: A h + B z, the sum of Xu et al. (2015), equation 7, without their
    part for the newest word. Unlike there, the first state is zero: what the decoder
    knows of the image, it knows from its attention.

    With ``attention="hard"``, training draws one cell for each word with its weight as
    probability, and adds the losses of ``course_utils.captions.reinforce``. As in
    section 4.1 of the paper, some of the images take the mixture of all cells instead
    of the drawn one. Outside of training the cell with the largest weight is taken.

    Args:
        encoder: a ``ConvEncoder`` or ``PatchEncoder``.
        vocab_size: V.
        caption_length: largest number of words, start or end included.
        embed_dim: E, width of the word vectors.
        units: U, width of the GRU's state.
        attention: "mean", "soft" or "hard".
        word_dropout: rate of the words read that training replaces by the unknown
            token.
        context_dropout: rate of the contexts that training hides from the next step. A
            decoder that can't rely on its last context has to attend again.
        score: of the attention, see ``ScoredAttention``.
        doubly_stochastic: λ of ``doubly_stochastic_penalty``.
        reinforce_options: of hard attention, a dict with some of: "weight" (0.1) of
            REINFORCE's part of the loss, "entropy" (0.01), the weight of the entropy,
            "soft_rate" (0.5) of the images that take the mixture, and "baseline"
            (True), whether to subtract the moving average. To change the rate between
            epochs, assign to the model's ``soft_rate``.
        seed: of the draws.

    Call arguments:
        inputs: a pair, images (B, H, W, 3) and the words read (B, T) with the start.
    Returns:
        (B, T, V) logits of the next word.
    Raises:
        ValueError: for an unknown attention, or captions that are too long.

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
        attention="soft",
        word_dropout=0.0,
        context_dropout=0.0,
        score="general",
        doubly_stochastic=0.0,
        reinforce_options=None,
        seed=0,
        **kwargs,
    ):
        super().__init__(given_options(locals()), **kwargs)
        check_sizes("RecurrentCaptioner", embed_dim=embed_dim, units=units)
        check_rate("RecurrentCaptioner", "context_dropout", context_dropout)
        defaults = dict(weight=0.1, entropy=0.01, soft_rate=0.5, baseline=True)
        self.reinforce = {**defaults, **(reinforce_options or {})}
        policy = dict(dtype=self.dtype_policy)
        self.draws = keras.random.SeedGenerator(seed)
        self.embedding = layers.Embedding(vocab_size, embed_dim, **policy)
        self.attention_step = AttentionStep(
            units, attention, score, self.draws, **policy
        )
        self.state_dense = layers.Dense(vocab_size, **policy)  # A and a bias
        self.context_dense = layers.Dense(vocab_size, use_bias=False, **policy)  # B
        self.baseline = reinforce.RewardBaseline(caption_length)

    def build(self, input_shape=None):
        self.build_encoder()
        width, units = self.encoder.embed_dim, self.options["units"]
        self.embedding.build((None, None))
        self.attention_step.build(
            (None, None, self.options["embed_dim"]), (None, None, width)
        )
        self.state_dense.build((None, None, units))
        self.context_dense.build((None, None, width))
        self.soft_rate = self.add_weight(
            name="soft_rate",
            shape=(),
            initializer=keras.initializers.Constant(self.reinforce["soft_rate"]),
            trainable=False,
        )
        self.built = True

    def predict_words(self, states, contexts):
        """Score the next words: (B, T, U), (B, T, D) -> (B, T, V)."""
        return self.state_dense(states) + self.context_dense(contexts)

    def drop_contexts(self, contexts, training):
        """Set some of the contexts (B, 1, D) to zero while training."""
        rate = self.options["context_dropout"]
        if not training or not rate:
            return contexts
        draws = keras.random.uniform((ops.shape(contexts)[0], 1, 1), seed=self.draws)
        return contexts * ops.cast(draws >= rate, contexts.dtype)

    def decode(self, cells, words, mixed=None, training=False):
        """Go through whole captions: cells (B, S, D), words (B, T).

        Returns:
            Logits (B, T, V), weights and what was used of them, both (B, T, S).
        """
        self.check_length(words)
        vectors = self.embedding(words)  # (B, T, E)
        contexts = ops.zeros_like(cells[:, :1])
        states = ops.repeat(contexts[..., :1], self.options["units"], axis=-1)
        steps = []
        for t in range(words.shape[1]):
            fed = self.drop_contexts(contexts, training)
            steps.append(
                self.attention_step(vectors[:, t : t + 1], states, fed, cells, mixed)
            )
            states, contexts = steps[-1][:2]
        states, contexts, weights, used = (
            ops.concatenate(several, axis=1) for several in zip(*steps, strict=True)
        )
        return self.predict_words(states, contexts), weights, used

    def call(self, inputs, training=False):
        images, words = inputs
        cells = self.encoder(images, training=training)
        mixed = None
        if training and self.options["attention"] == "hard":
            shape = (ops.shape(cells)[0], 1, 1)
            draws = keras.random.uniform(shape, dtype=cells.dtype, seed=self.draws)
            mixed = ops.cast(draws < self.soft_rate, cells.dtype)
        seen = self.drop_words(words, training=training)
        logits, weights, used = self.decode(cells, seen, mixed, training)
        if training:
            self.add_losses(words, logits, weights, used, mixed)
        return logits

    def add_losses(self, words, logits, weights, used, mixed):
        """Add what the cross-entropy of the words doesn't say, per real word."""
        real = ops.cast(ops.not_equal(words, PAD), "float32")  # (B, T)
        count = ops.maximum(ops.sum(real), 1.0)
        weights = ops.cast(weights, "float32")
        if self.options["doubly_stochastic"]:
            penalty = ops.sum(doubly_stochastic_penalty(weights, real)) / count
            self.add_loss(self.options["doubly_stochastic"] * penalty)
        if mixed is None:
            return
        rewards = reinforce.rewards_to_go(ops.cast(logits, "float32"), words)
        rewards = ops.stop_gradient(rewards)  # (B, T)
        baseline = self.baseline(rewards, real) if self.reinforce["baseline"] else 0.0
        log_probs = reinforce.log_probability_of_drawn(
            weights, ops.cast(used, "float32")
        )
        drawn = real * (1 - ops.cast(mixed[:, :, 0], "float32"))  # (B, T)
        gain = ops.sum(drawn * log_probs * (rewards - baseline))
        entropy = ops.sum(real * reinforce.entropy(weights))
        self.add_loss(-self.reinforce["weight"] * gain / count)
        self.add_loss(-self.reinforce["entropy"] * entropy / count)

    def cross_attention(self, inputs):
        """Return the attention weights (1, B, 1, T, S): one block, one head.

        Args:
            inputs: images (B, H, W, 3) and the words read (B, T).
        """
        images, words = inputs
        _, weights, _ = self.decode(self.encoder(images), words)
        return ops.expand_dims(ops.expand_dims(weights, 1), 0)

    def encode_for_steps(self, source):
        """Return the cells of images (B, H · W · 3), which every ``step`` needs."""
        return self.encode_rows(source)

    def empty_cache(self, rows, length):
        """Return zeros for state and context; ``length`` doesn't matter."""
        widths = self.options["units"], self.encoder.embed_dim
        return [ops.zeros((rows, width), dtype=self.compute_dtype) for width in widths]

    def step(self, tokens, position, cache, encoded_source):
        """Score the word after ``tokens`` (R,); R = B × K rows, K for each image.

        Returns:
            (R, V) logits and the updated cache.
        """
        cells = encoded_source
        by_image = [
            ops.reshape(x, (ops.shape(cells)[0], -1, x.shape[-1]))
            for x in (self.embedding(tokens), *cache)
        ]
        states, contexts, _, _ = self.attention_step(*by_image, cells)
        logits = self.predict_words(states, contexts)
        rows = [ops.reshape(x, (-1, x.shape[-1])) for x in (logits, states, contexts)]
        return rows[0], rows[1:]


def doubly_stochastic_penalty(weights, real):
    """Add up, over the cells, (1 − sum of a cell's weights over the words)².

    Xu et al. (2015), equation 14, "doubly stochastic attention".

    Args:
        weights: (B, T, S).
        real: (B, T), 1 for a real word and 0 for padding.
    Returns:
        (B,) penalties.
    """
    sums = ops.sum(weights * ops.expand_dims(real, -1), axis=1)  # (B, S)
    return ops.sum(ops.square(1.0 - sums), axis=-1)

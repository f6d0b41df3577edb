"""A GRU that looks at the cells of an image before each word of a caption.

A *soft* look mixes all cells and learns by back-propagation; a *hard* look takes one
cell and learns by REINFORCE (Xu et al., 2015, "Show, Attend and Tell"); the *mean* is
always the same. Shapes as in ``course_utils.captions``.
"""

import keras
from keras import layers, ops

from course_utils.attention.multi_head import check_sizes, masked_softmax
from course_utils.attention.scores import ScoredAttention, hard_weights
from course_utils.captions.captioner import Captioner
from course_utils.text.vectorizers import END, PAD, UNKNOWN

LOOKS = ("mean", "soft", "hard")


@keras.saving.register_keras_serializable(package="course_utils")
class RecurrentCaptioner(Captioner):
    """A GRU that looks at the cells before each word.

    Each step reads the newest word beside what the last look brought (Luong et al.,
    2015, section 3.3, "input feeding"), looks with its new state as the query, and adds
    what the state says about the next word to what the look says: A h + B z, the sum of
    Xu et al. (2015), equation 7, without their part for the newest word. Unlike there,
    the first state is zero: what the decoder knows of the image, it knows from its
    looks.

    With ``look="hard"``, training draws one cell for each word with its weight as
    probability, and adds a loss whose gradient is REINFORCE's (their equation 12): the
    log-probability of the drawn cell times what its reward exceeds a baseline by. The
    reward of a look is the log-probability of the words from this one on; the baseline
    is a moving average of it, one number for each place in the caption. As in section
    4.1 there, a share of the images takes the mixture of all cells instead of the drawn
    one. Outside of training the cell with the largest weight is taken.

    Args:
        encoder: a ``ConvEncoder`` or ``PatchEncoder``.
        vocab_size: V.
        caption_length: largest number of words, start or end included.
        embed_dim: E, width of the word vectors.
        units: U, width of the GRU's state.
        look: "mean", "soft" or "hard".
        hidden_words: share of the words read that training replaces by the unknown
            token.
        hidden_looks: share of the looks that training hides from the next step. A
            decoder that can't rely on its last look has to look again.
        score: of the look, see ``ScoredAttention``.
        equal_looks: λ of the penalty on unequal sums of looks, see ``unequal_looks``.
        reinforce: factor of REINFORCE's part of the loss.
        entropy: factor of the reward for undecided looks.
        soft_share: share of the images that take the mixture while training "hard".
            To change it between epochs, assign to the model's ``soft_share``.
        baseline: whether to subtract the moving average.
        seed: of the draws.

    Call arguments:
        inputs: a pair, images (B, H, W, 3) and the words read (B, T) with the start.
    Returns:
        (B, T, V) logits of the next word.
    Raises:
        ValueError: for an unknown look, or captions that are too long.

    Example:
        >>> from course_utils.captions.encoders import ConvEncoder
        >>> model = RecurrentCaptioner(ConvEncoder(12, 6), 10, 5, embed_dim=4, units=4)
        >>> tuple(model((ops.zeros((2, 12, 12, 3)), ops.ones((2, 3)))).shape)
        (2, 3, 10)
    """

    def __init__(
        self,
        encoder,
        vocab_size,
        caption_length,
        embed_dim=32,
        units=128,
        look="soft",
        hidden_words=0.0,
        hidden_looks=0.0,
        score="general",
        equal_looks=0.0,
        reinforce=0.1,
        entropy=0.01,
        soft_share=0.5,
        baseline=True,
        seed=0,
        **kwargs,
    ):
        options = dict(
            embed_dim=embed_dim,
            units=units,
            look=look,
            hidden_looks=hidden_looks,
            score=score,
            equal_looks=equal_looks,
            reinforce=reinforce,
            entropy=entropy,
            soft_share=soft_share,
            baseline=baseline,
            seed=seed,
        )
        super().__init__(
            encoder, vocab_size, caption_length, hidden_words, options, **kwargs
        )
        check_sizes("RecurrentCaptioner", embed_dim=embed_dim, units=units)
        if look not in LOOKS:
            raise ValueError(
                f"RecurrentCaptioner: look is {look!r}; expected one of {LOOKS}."
            )
        if not 0 <= hidden_looks < 1:
            raise ValueError(
                f"RecurrentCaptioner: hidden_looks is {hidden_looks}; it must be at "
                f"least 0 and below 1."
            )
        policy = dict(dtype=self.dtype_policy)
        self.embedding = layers.Embedding(vocab_size, embed_dim, **policy)
        self.cell = layers.GRUCell(units, **policy)
        self.attention = ScoredAttention(score, **policy)
        self.state_dense = layers.Dense(vocab_size, **policy)  # A and a bias
        self.look_dense = layers.Dense(vocab_size, use_bias=False, **policy)  # B
        self.draws = keras.random.SeedGenerator(seed)

    def build(self, input_shape=None):
        self.build_encoder()
        width, units = self.encoder.embed_dim, self.options["units"]
        self.embedding.build((None, None))
        self.cell.build((None, self.options["embed_dim"] + width))
        if self.options["look"] != "mean":
            self.attention.build((None, None, units), (None, None, width))
        self.state_dense.build((None, None, units))
        self.look_dense.build((None, None, width))
        self.soft_share = self.add_weight(
            name="soft_share",
            shape=(),
            initializer=keras.initializers.Constant(self.options["soft_share"]),
            trainable=False,
        )
        self.expected_reward = self.add_weight(
            name="expected_reward",
            shape=(self.caption_length,),
            initializer="zeros",
            trainable=False,
        )
        self.built = True

    def weigh(self, states, cells):
        """Return the weights (B, K, S) of all cells for states (B, K, U)."""
        if self.options["look"] == "mean":
            ones = ops.ones_like(states[..., :1]) * ops.ones_like(cells[:, None, :, 0])
            return ones / ops.cast(ops.shape(cells)[1], ones.dtype)
        return masked_softmax(self.attention.scores(states, cells))

    def choose(self, weights, take_all=None):
        """Return what of the cells is used: of a hard look only one, of others all.

        Args:
            weights: (B, K, S).
            take_all: (B, 1, 1), 1 where the mixture is used and 0 where a cell is
                drawn; None takes the best cell.
        """
        if self.options["look"] != "hard":
            return weights
        if take_all is None:
            return hard_weights(weights)
        drawn = ops.stop_gradient(hard_weights(weights, self.draws))
        return take_all * weights + (1 - take_all) * drawn

    def advance(self, words, states, contexts, cells, take_all=None):
        """Read one word and look once.

        Args:
            words: (B, K, E) vectors of the newest words; K rows share an image.
            states: (B, K, U).
            contexts: (B, K, D), what the last look brought.
            cells: (B, S, D).
            take_all: see ``choose``.
        Returns:
            The new states and contexts, and the weights and what was used of them,
            both (B, K, S).
        """
        x = ops.concatenate([words, contexts], axis=-1)  # (B, K, E + D)
        rows = ops.reshape(x, (-1, x.shape[-1]))
        units = self.options["units"]
        state, _ = self.cell(rows, [ops.reshape(states, (-1, units))])  # (R, U)
        states = ops.reshape(state, (-1, ops.shape(words)[1], units))
        weights = self.weigh(states, cells)
        used = self.choose(weights, take_all)
        return states, ops.matmul(used, cells), weights, used

    def predict_words(self, states, contexts):
        """Score the next words: (B, T, U), (B, T, D) -> (B, T, V)."""
        return self.state_dense(states) + self.look_dense(contexts)

    def hide_looks(self, contexts, training):
        """Set a share of the looks (B, 1, D) to zero while training."""
        share = self.options["hidden_looks"]
        if not training or not share:
            return contexts
        draws = keras.random.uniform((ops.shape(contexts)[0], 1, 1), seed=self.draws)
        return contexts * ops.cast(draws >= share, contexts.dtype)

    def read(self, cells, reads, take_all=None, training=False):
        """Go through whole captions.

        Returns:
            Logits (B, T, V), weights and what was used of them, both (B, T, S).
        """
        self.check_length(reads)
        words = self.embedding(reads)  # (B, T, E)
        contexts = ops.zeros_like(cells[:, :1])
        states = ops.repeat(contexts[..., :1], self.options["units"], axis=-1)
        steps = []
        for t in range(reads.shape[1]):
            fed = self.hide_looks(contexts, training)
            states, contexts, *looks = self.advance(
                words[:, t : t + 1], states, fed, cells, take_all
            )
            steps.append((states, contexts, *looks))
        states, contexts, weights, used = (
            ops.concatenate(several, axis=1) for several in zip(*steps, strict=True)
        )
        return self.predict_words(states, contexts), weights, used

    def call(self, inputs, training=False):
        images, reads = inputs
        cells = self.encoder(images, training=training)
        take_all = None
        if training and self.options["look"] == "hard":
            draws = keras.random.uniform(
                (ops.shape(cells)[0], 1, 1), dtype=cells.dtype, seed=self.draws
            )
            take_all = ops.cast(draws < self.soft_share, cells.dtype)
        seen = self.hide_words(reads, training=training)
        logits, weights, used = self.read(cells, seen, take_all, training)
        if training:
            self.add_losses(reads, logits, weights, used, take_all)
        return logits

    def add_losses(self, reads, logits, weights, used, take_all):
        """Add what the cross-entropy of the words doesn't say, per real word."""
        real = ops.cast(ops.not_equal(reads, PAD), "float32")  # (B, T)
        count = ops.maximum(ops.sum(real), 1.0)
        weights = ops.cast(weights, "float32")
        if self.options["equal_looks"]:
            penalty = ops.sum(unequal_looks(weights, real)) / count
            self.add_loss(self.options["equal_looks"] * penalty)
        if take_all is None:
            return
        drawn = real * (1 - ops.cast(take_all[:, :, 0], "float32"))  # (B, T)
        rewards = rewards_to_go(ops.cast(logits, "float32"), reads)
        rewards = ops.stop_gradient(rewards)
        baseline = self.follow(rewards, real) if self.options["baseline"] else 0.0
        chances = ops.sum(ops.cast(used, "float32") * weights, axis=-1)
        log_chances = ops.log(ops.maximum(chances, 1e-9))
        gain = ops.sum(drawn * log_chances * (rewards - baseline))
        doubt = -ops.sum(weights * ops.log(ops.maximum(weights, 1e-9)), axis=-1)
        self.add_loss(-self.options["reinforce"] * gain / count)
        self.add_loss(-self.options["entropy"] * ops.sum(real * doubt) / count)

    def follow(self, rewards, real):
        """Return the baseline (T,), then move it a tenth towards this batch."""
        length = rewards.shape[1]
        before = self.expected_reward[:length]
        mean = ops.sum(rewards * real, axis=0) / ops.maximum(ops.sum(real, axis=0), 1.0)
        seen = ops.cast(ops.sum(real, axis=0) > 0, "float32")
        after = before + 0.1 * seen * (mean - before)
        rest = self.expected_reward[length:]
        self.expected_reward.assign(ops.concatenate([after, rest]))
        return ops.stop_gradient(before)

    def cross_attention(self, inputs):
        """Return the weights of the looks (1, B, 1, T, S): one block, one head.

        Args:
            inputs: images (B, H, W, 3) and the words read (B, T).
        """
        images, reads = inputs
        _, weights, _ = self.read(self.encoder(images), reads)
        return ops.expand_dims(ops.expand_dims(weights, 1), 0)

    def encode_for_steps(self, source):
        """Return the cells of images (B, H · W · 3), which every ``step`` needs."""
        return self.see(source)

    def empty_cache(self, rows, length):
        """Return zeros for the state and the last look; ``length`` doesn't matter."""
        widths = self.options["units"], self.encoder.embed_dim
        return [ops.zeros((rows, width), dtype=self.compute_dtype) for width in widths]

    def step(self, tokens, position, cache, encoded_source):
        """Score the word after ``tokens`` (R,); R = B × K rows, K for each image.

        Returns:
            (R, V) logits and the updated cache.
        """
        cells = encoded_source
        words = self.embedding(tokens)
        by_image = [
            ops.reshape(x, (ops.shape(cells)[0], -1, x.shape[-1]))
            for x in (words, *cache)
        ]
        states, contexts, _, _ = self.advance(*by_image, cells)
        logits = self.predict_words(states, contexts)
        rows = [ops.reshape(x, (-1, x.shape[-1])) for x in (logits, states, contexts)]
        return rows[0], rows[1:]


def rewards_to_go(logits, reads):
    """Return the log-probability of the words from each place on: (B, T).

    Args:
        logits: (B, T, V) of the next words.
        reads: (B, T) words read, with the start; the next words are those read one
            place later, and the end after the last of them. Padding adds 0, and so do
            unknown words: nobody can say which word would have been right there.
    """
    reads = ops.cast(reads, "int32")
    nexts = ops.concatenate([reads[:, 1:], ops.zeros_like(reads[:, :1])], axis=1)
    nexts = ops.where(nexts == PAD, END, nexts)
    log_probs = ops.take_along_axis(
        ops.log_softmax(logits, axis=-1), ops.expand_dims(nexts, -1), axis=-1
    )[..., 0]
    counts = ops.logical_and(reads != PAD, nexts != UNKNOWN)
    log_probs = log_probs * ops.cast(counts, logits.dtype)  # (B, T)
    return ops.flip(ops.cumsum(ops.flip(log_probs, axis=1), axis=1), axis=1)


def unequal_looks(weights, real):
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

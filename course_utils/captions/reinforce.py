"""REINFORCE: how a captioner learns from cells that it draws.

Xu et al. (2015), "Show, Attend and Tell", section 4.1, after Williams (1992). A drawn
cell has no gradient, so the loss gets two more parts for each real word:

- the log-probability of the drawn cell times its advantage, reward minus baseline,
  with a minus; its gradient is an estimate of that of the expected reward (their
  equation 12, first part);
- the entropy of the attention weights with a minus, so that the model goes on trying
  other cells (its second part).

Shapes: B images, T words, S cells, V vocabulary.
"""

from keras import layers, ops

from course_utils.text.vectorizers import END, PAD, UNKNOWN

BASELINE_RATE = 0.1  # of the moving average, as in their section 4.1
SMALLEST = 1e-9  # of a probability, so that its logarithm is finite


def rewards_to_go(logits, words):
    """Return the log-probability of the words from each position on: (B, T).

    What is drawn before a word can't change the words before it, so their part of the
    reward would only be noise.

    Args:
        logits: (B, T, V) of the next words.
        words: (B, T) words read, with the start; the next words are those read one
            position later, and the end after the last of them. Padding adds 0, and so
            do unknown words: nobody can say which word would have been right there.
    """
    words = ops.cast(words, "int32")
    following = ops.concatenate([words[:, 1:], ops.zeros_like(words[:, :1])], axis=1)
    following = ops.where(following == PAD, END, following)
    log_probs = ops.take_along_axis(
        ops.log_softmax(logits, axis=-1), ops.expand_dims(following, -1), axis=-1
    )[..., 0]
    counts = ops.logical_and(words != PAD, following != UNKNOWN)
    log_probs = log_probs * ops.cast(counts, logits.dtype)  # (B, T)
    return ops.flip(ops.cumsum(ops.flip(log_probs, axis=1), axis=1), axis=1)


def log_probability_of_drawn(weights, used):
    """Return log p of the drawn cells; weights and used are (B, T, S), used one-hot."""
    return ops.log(ops.maximum(ops.sum(used * weights, axis=-1), SMALLEST))


def entropy(weights):
    """Return the entropy of attention weights in nats: (B, T, S) -> (B, T)."""
    return -ops.sum(weights * ops.log(ops.maximum(weights, SMALLEST)), axis=-1)


class RewardBaseline(layers.Layer):
    """A moving average of the rewards, one number for each position in the caption.

    Args:
        caption_length: largest T.

    Call arguments:
        rewards: (B, T).
        real: (B, T), 1 for a real word and 0 for padding.
    Returns:
        (T,) the average before this batch; the call moves it a tenth towards the batch.
    """

    def __init__(self, caption_length, **kwargs):
        super().__init__(**kwargs)
        self.expected_reward = self.add_weight(
            name="expected_reward",
            shape=(caption_length,),
            initializer="zeros",
            trainable=False,
            dtype="float32",
        )
        self.built = True

    def call(self, rewards, real):
        length = rewards.shape[1]
        before = self.expected_reward[:length]
        number = ops.sum(real, axis=0)  # (T,)
        mean = ops.sum(rewards * real, axis=0) / ops.maximum(number, 1.0)
        seen = ops.cast(number > 0, "float32")
        after = before + BASELINE_RATE * seen * (mean - before)
        rest = self.expected_reward[length:]
        self.expected_reward.assign(ops.concatenate([after, rest]))
        return ops.stop_gradient(before)

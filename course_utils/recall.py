"""The memory game of lesson 04: facts are read first, and then questions.

A fact is a box with its content, "box 17 holds 3"; a question is a box without one.
Asked often enough, it tells how many facts a reader keeps: Arora et al. (2023),
"Zoology: Measuring and Improving Recall in Efficient Language Models", section 4.
"""

import keras
import numpy as np
from keras import layers

from course_utils.attention.transformer import scaled_dot_product_attention

BOXES = 16
CONTENTS = 4
QUESTION = CONTENTS  # stands in the place of a content
QUESTIONS = 8  # at the end of each text


def recall_texts(texts, facts, seed):
    """Return texts of facts and questions, and the right answers.

    The boxes of a text differ, their contents are random, and each question asks for
    one of its facts, whichever.

    Args:
        texts: N, how many.
        facts: F, in each text, at most 16.
        seed: a number, or several.
    Returns:
        Tokens (N, F + 8, 2), a box and a content each, and answers (N, 8).
    Raises:
        ValueError: there are more facts than boxes, or none.
    """
    if not 1 <= facts <= BOXES:
        raise ValueError(
            f"recall_texts: {facts} facts; from 1 to {BOXES} are possible, one a box."
        )
    rng = np.random.default_rng(seed)
    all_boxes = np.tile(np.arange(BOXES), (texts, 1))
    boxes = rng.permuted(all_boxes, axis=1)[:, :facts]  # (N, F)
    contents = rng.integers(0, CONTENTS, (texts, facts))
    chosen = rng.integers(0, facts, (texts, QUESTIONS))
    asked = np.take_along_axis(boxes, chosen, axis=1)  # (N, 8)
    answers = np.take_along_axis(contents, chosen, axis=1)
    boxes = np.concatenate([boxes, asked], axis=1)  # (N, F + 8)
    unknown = np.full((texts, QUESTIONS), QUESTION)
    contents = np.concatenate([contents, unknown], axis=1)
    return np.stack([boxes, contents], axis=-1), answers


class SelfAttention(layers.Layer):
    """Self-attention with one head: (B, T, D) -> (B, T, width).

    Args:
        width: d, of queries, keys, values and the output.
    """

    def __init__(self, width):
        super().__init__()
        self.width = width
        start = "lecun_normal"  # the variance stays 1
        self.query = layers.Dense(width, use_bias=False, kernel_initializer=start)
        self.key = layers.Dense(width, use_bias=False, kernel_initializer=start)
        self.value = layers.Dense(width, use_bias=False, kernel_initializer=start)

    def attend(self, x):
        """Return the new vectors (B, T, width) and the weights (B, T, T)."""
        return scaled_dot_product_attention(self.query(x), self.key(x), self.value(x))

    def call(self, x):
        output, _ = self.attend(x)
        return output


def recall_reader(layer):
    """Return a model from tokens (B, T, 2) to logits (B, 8, contents) of the answers.

    Args:
        layer: reads the text's vectors, (B, T, D), and returns one for each token.
    """
    tokens = keras.Input((None, 2), dtype="int32")
    normal = keras.initializers.RandomNormal(stddev=1.0)
    box = layers.Embedding(BOXES, 32, normal)(tokens[..., 0])
    content = layers.Embedding(CONTENTS + 1, 32, normal)(tokens[..., 1])
    x = layers.Concatenate()([box, content])  # (B, T, 64)
    x = layer(x)  # (B, T, width)
    logits = layers.Dense(CONTENTS)(x)  # (B, T, contents)
    return keras.Model(tokens, logits[:, -QUESTIONS:])


def most_frequent_content(tokens):
    """Return for each text the content that most of its facts have, (N, 1).

    It is what a reader can answer that knows the contents, but no box.
    """
    facts = tokens[:, :-QUESTIONS, 1]  # (N, F)
    counts = [(facts == content).sum(axis=1) for content in range(CONTENTS)]
    return np.argmax(counts, axis=0)[:, None]


def most_frequent_accuracy(facts, texts=2000, seed=100):
    """Return how often naming the most frequent content is right."""
    tokens, answers = recall_texts(texts, facts, seed)
    return float((most_frequent_content(tokens) == answers).mean())


def loss_without_boxes(facts, texts=2000, seed=100):
    """Return the least loss of a reader that knows the contents, but no box."""
    tokens, _ = recall_texts(texts, facts, seed)
    contents = tokens[:, :facts, 1]  # (N, F)
    shares = [(contents == content).mean(axis=1) for content in range(CONTENTS)]
    shares = np.stack(shares, axis=1)  # (N, contents)
    logarithms = np.log(np.where(shares > 0, shares, 1.0))
    return float(-(shares * logarithms).sum(axis=1).mean())

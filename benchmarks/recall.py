"""How many facts does a reader keep? Recurrent networks beside self-attention.

    python -m benchmarks.recall [--variant gru_64 --seed 0]

Lesson 04 explains the game, and trains self-attention in view. Each recurrent network
has four times as many steps. Its rate was chosen with 8 facts, 1,000 steps and texts of
other seeds: 0.01 was better than 0.003 (with 128 numbers: 0.94 and 0.70 right) and than
0.03 (with 32 numbers: 0.59 and 0.57; with 8 both learned no box). The rate of
self-attention is Keras's own, and wasn't chosen.
"""

import keras
import numpy as np
from keras import layers

import course_utils
from benchmarks import evidence
from course_utils import training
from course_utils.recall import SelfAttention, recall_reader, recall_texts

VARIANTS = {
    "attention": {"units": 64, "steps": 1000, "peak": 1e-3},
    "gru_8": {"units": 8, "steps": 4000, "peak": 1e-2},
    "gru_32": {"units": 32, "steps": 4000, "peak": 1e-2},
    "gru_128": {"units": 128, "steps": 4000, "peak": 1e-2},
}
SEEDS = (0, 1, 2)
FACTS = (2, 4, 8, 16)
BATCH = 64
PARTS = 10  # of a training: its texts never come twice


def new_layer(variant):
    """Return what reads the text in a variant."""
    units = VARIANTS[variant]["units"]
    if variant == "attention":
        return SelfAttention(units)
    return layers.GRU(units, return_sequences=True)


def train(layer, facts, seed, steps, peak):
    """Train a reader; return its accuracy on new texts, and the loss of each part."""
    model = recall_reader(layer)
    rate = training.warmup_cosine(peak, steps, steps // 10)
    model.compile(
        keras.optimizers.Adam(rate, clipnorm=1.0),
        keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    )
    losses = []
    for part in range(PARTS):
        tokens, answers = recall_texts(BATCH * steps // PARTS, facts, (seed, part))
        history = model.fit(tokens, answers, batch_size=BATCH, verbose=0)
        losses.append(history.history["loss"][0])
    tokens, answers = recall_texts(2000, facts, seed=100)
    right = model.predict(tokens, verbose=0).argmax(-1) == answers
    return float(np.mean(right)), losses


def measure(variant, seed, steps=None):
    """Train one reader for each number of facts; return the figures.

    Args:
        steps: None takes the variant's own.
    """
    course_utils.setup(seed)
    settings = VARIANTS[variant]
    figures = {}
    for facts in FACTS:
        keras.utils.set_random_seed(seed)
        layer = new_layer(variant)
        peak = settings["peak"]
        accuracy, losses = train(layer, facts, seed, steps or settings["steps"], peak)
        figures[f"accuracy_{facts}"] = accuracy
        figures[f"loss_{facts}"] = losses[-1]
        figures[f"loss_before_{facts}"] = losses[-2]
    return figures


if __name__ == "__main__":
    evidence.main("recall")

"""How fast SmolLM2 writes: in KerasHub's classes, and in lesson 15's model."""

import numpy as np
import tensorflow as tf

from benchmarks.lessons import modern, prompting
from course_utils.scaling import timing

PROMPT = "Once upon a time, in a small village by the sea,"
PIECES = 128


def speed(writer, prompt=PROMPT, pieces=PIECES, turns=3):
    """Return pieces a second, greedy with a cache, and how much quicker lesson 15 is.

    Both have the same weights and write in turns; the figures are medians.

    Args:
        writer: a `prompting.Writer` of SmolLM2.

    Raises:
        ValueError: the two don't write the same text.
    """
    ids = writer.ids_of(prompt)
    model = modern.as_ours(writer.body)
    model.read = tf.function(model.read, **prompting.GRAPH_OPTIONS)

    def by_hub():
        return writer.go_on(prompt, pieces)[0]

    def by_lesson():
        return writer.text_of(modern.write(model, ids, pieces)[0])

    if by_hub() != by_lesson():
        raise ValueError("SmolLM2 doesn't write the same text in both ways.")
    calls = {"hub": by_hub, "lesson": by_lesson}
    seconds = timing.interleaved_seconds(calls, turns)
    hub = pieces / seconds["hub"].elapsed
    ours = pieces / seconds["lesson"].elapsed
    return {
        "smollm2.hub.tokens_per_second": np.median(hub),
        "smollm2.tokens_per_second": np.median(ours),
        "smollm2.quicker_than_hub": np.median(ours / hub),
    }

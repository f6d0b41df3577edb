"""How fast SmolLM2 writes: in KerasHub's classes, and in the model of lesson 15."""

import numpy as np
import tensorflow as tf

from benchmarks import lesson_code
from course_utils.scaling import timing

NAMES = "CLASSIC", "CHANGES", "MODERN", "AROUND", "PARTS", "GATED"
PROMPT, PIECES = "Once upon a time, in a small village by the sea,", 128


def speed(lesson):
    """Return pieces a second, greedy with a cache, and how much quicker lesson 15 is.

    Both have the same weights and write in turns; the figures are medians.

    Args:
        lesson: what lesson 14 defines, with its `writer`.
    """
    modern = lesson_code.definitions("15", *NAMES, course=lesson["course"])
    ids, mine = lesson["ids_of"](PROMPT), modern["as_ours"](lesson["writer"].backbone)
    mine.read = tf.function(mine.read, **lesson["options"])
    pieces, write = lesson["writer_pieces"], modern["write"]
    hub = lambda: lesson["go_on"](PROMPT, PIECES)[0]  # noqa: E731
    ours = lambda: lesson["text_of"](pieces, write(mine, ids, PIECES)[0])  # noqa: E731
    if hub() != ours():
        raise ValueError("SmolLM2 doesn't write the same text in both ways.")
    both = timing.interleaved_seconds({"hub": hub, "ours": ours}, 3)
    hub, ours = (PIECES / both[name].elapsed for name in both)
    figures = {"hub.tokens_per_second": hub, "tokens_per_second": ours}
    figures["quicker_than_hub"] = ours / hub
    return {f"smollm2.{name}": np.median(turns) for name, turns in figures.items()}

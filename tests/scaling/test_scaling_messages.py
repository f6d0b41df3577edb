"""What the tools for scaling refuse, each in one sentence."""

import numpy as np
import tensorflow as tf
from refusals import one_sentence

from course_utils.scaling import flops, launch, timing, trainings


def loop(a):
    return tf.while_loop(lambda a: True, lambda a: [a @ a], [a])


def product(a):
    return a @ tf.ones((2, 2))


NO_LESSONS = trainings.recorded_figures("no such folder")
FREE = tf.TensorSpec((None, 2), "float32")
REFUSED = [
    (timing.interleaved_seconds, ({"one": len}, 0), "there are no rounds"),
    (timing.interleaved_seconds, ({"one": len}, []), "there are no rounds"),
    (flops.graph_flops, (loop, np.ones((2, 2), "f")), "While, in which products can't"),
    (flops.graph_flops, (product, FREE), "pass arguments with known shapes"),
    (launch.Workers, (["x.py"], 0), "processes is 0; it must be 1 or more"),
    (trainings.cost_table, (NO_LESSONS,), "aren't beside the package"),
]

test_what_is_refused_is_said_in_one_sentence = one_sentence(REFUSED)

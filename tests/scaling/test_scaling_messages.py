"""What the tools for scaling refuse, each in one sentence."""

import tensorflow as tf
from refusals import one_sentence

from course_utils.scaling import flops, launch, timing, trainings


def loop(a):
    return tf.while_loop(lambda a: True, lambda a: [a @ a], [a])


SQUARE, FREE = (tf.TensorSpec((rows, 2), "float32") for rows in (2, None))
NO_LESSONS = trainings.recorded_figures("no such folder")
test_what_is_refused_is_said_in_one_sentence = one_sentence(
    [
        (timing.interleaved_seconds, ({"one": len}, 0), "there are no rounds"),
        (timing.interleaved_seconds, ({"one": len}, []), "there are no rounds"),
        (flops.graph_flops, (loop, SQUARE), "While, in which products can't"),
        (flops.graph_flops, (tf.matmul, FREE, SQUARE), "arguments with known shapes"),
        (launch.Workers, (["x.py"], 0), "processes is 0; it must be 1 or more"),
        (trainings.cost_table, (NO_LESSONS,), "aren't beside the package"),
    ]
)

"""Counted operations agree with TensorFlow's; what the tools for scaling refuse."""

import numpy as np
import pytest
import tensorflow as tf

from course_utils.attention.transformer import MultiHeadAttention, TransformerEncoder
from course_utils.language_models import CausalBlock
from course_utils.scaling import flops as scaling
from course_utils.scaling import launch, timing, trainings
from course_utils.seq2seq import TranslationTransformer

B, T, S, D, F, H, V = 3, 5, 7, 8, 12, 2, 20


def flops_by_profiler(function, *arguments):
    """Count the same products with TensorFlow's own profiler."""
    graph = tf.function(function).get_concrete_function(*arguments).graph
    options = tf.compat.v1.profiler.ProfileOptionBuilder
    builder = options(options.float_operation())
    builder.with_empty_output().with_accounted_types([".*MatMul.*"])
    return tf.compat.v1.profiler.profile(graph, options=builder.build()).total_float_ops


x, encoded = np.ones((B, T, D), "float32"), np.ones((B, S, D), "float32")
block = scaling.encoder_block_flops(B, T, D, F)
COUNTED = {
    "encoder": (lambda: TransformerEncoder(D, F, H), (x,), block),
    "causal block": (lambda: CausalBlock(D, F, H), (x,), block),
    "cross-attention": (
        lambda: MultiHeadAttention(D, H),
        (x, encoded),
        scaling.attention_flops(B, T, S, D),
    ),
}


@pytest.mark.parametrize("name", COUNTED)
def test_formulas_agree_with_the_graph_and_with_the_profiler(name):
    make, inputs, expected = COUNTED[name]
    layer = make()
    layer(*inputs)
    assert scaling.graph_flops(layer, *inputs) == expected
    assert flops_by_profiler(layer, *inputs) == expected


def test_a_training_step_has_three_times_the_products():
    model = TranslationTransformer(V, 16, D, F, H, num_layers=2, dropout=0)
    model.build()
    ids = np.full((B, S), 4, "int32"), np.full((B, T), 4, "int32")  # no padding

    def gradients(inputs):
        with tf.GradientTape() as tape:
            total = tf.reduce_sum(model(inputs) ** 2)
        return tape.gradient(total, [v.value for v in model.trainable_variables])

    forward = scaling.graph_flops(model, ids)
    counted = scaling.graph_flops(gradients, ids)
    assert counted == scaling.TRAINING_BY_FORWARD * forward > 0


def loop(a):
    return tf.while_loop(lambda a: True, lambda a: [a @ a], [a])


SQUARE, FREE = (tf.TensorSpec((rows, 2), "float32") for rows in (2, None))
NO_LESSONS = trainings.recorded_figures("no such folder")
REFUSED = [
    (timing.interleaved_seconds, ({"one": len}, 0), "there are no rounds"),
    (timing.interleaved_seconds, ({"one": len}, []), "there are no rounds"),
    (scaling.graph_flops, (loop, SQUARE), "While, in which products can't"),
    (scaling.graph_flops, (tf.matmul, FREE, SQUARE), "arguments with known shapes"),
    (launch.Workers, (["x.py"], 0), "processes is 0; it must be 1 or more"),
    (trainings.cost_table, (NO_LESSONS,), "aren't beside the package"),
]


@pytest.mark.parametrize("call, arguments, said", REFUSED)
def test_impossible_measurements_are_refused(call, arguments, said):
    with pytest.raises(ValueError, match=said):
        call(*arguments)


def test_a_product_that_is_not_counted_is_refused():
    """Its operations would be missing from the sum without a word."""
    image = np.ones((1, 5, 5, 1), "float32")
    kernel = np.ones((2, 2, 1, 3), "float32")
    with pytest.raises(ValueError, match="the graph has a Conv2D"):
        scaling.graph_flops(lambda x: tf.nn.conv2d(x, kernel, 1, "SAME"), image)

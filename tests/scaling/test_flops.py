"""Counted operations and bytes agree with TensorFlow's."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from tiny_translator import B, D, F, H, S, T, V, ids, translator

from course_utils.attention.blocks import TransformerDecoder, TransformerEncoder
from course_utils.bert.model import BertEncoder, BertPretraining
from course_utils.distillation import Neighbours
from course_utils.language_models import CausalBlock, CharacterLSTM, MiniGPT
from course_utils.scaling import flops as scaling
from course_utils.seq2seq.recurrent import RecurrentSeq2Seq
from course_utils.training import MaskedCrossEntropy


def flops_by_profiler(function, *arguments):
    """Count the same products with TensorFlow's own profiler."""
    concrete = tf.function(function).get_concrete_function(*arguments)
    options = tf.compat.v1.profiler.ProfileOptionBuilder
    builder = options(options.float_operation())
    builder.with_empty_output().with_accounted_types([".*MatMul.*"])
    found = tf.compat.v1.profiler.profile(concrete.graph, options=builder.build())
    return found.total_float_ops


x = np.ones((B, T, D), "float32")
encoded = np.ones((B, S, D), "float32")
GPT = dict(vocab_size=V, embed_dim=D, dense_dim=F, num_heads=H, num_layers=2)
COUNTED = {
    "encoder": (
        lambda: TransformerEncoder(D, F, H),
        (x,),
        scaling.encoder_block_flops(B, T, D, F),
    ),
    "causal block": (
        lambda: CausalBlock(D, F, H),
        (x,),
        scaling.encoder_block_flops(B, T, D, F),
    ),
    "decoder": (
        lambda: TransformerDecoder(D, F, H),
        (x, encoded),
        scaling.decoder_block_flops(B, T, S, D, F),
    ),
    "translator": (
        translator,
        ((ids(B, S), ids(B, T)),),
        scaling.translation_flops(translator().options, B, S, T),
    ),
    "mini GPT": (
        lambda: MiniGPT(sequence_length=T, **GPT),
        (ids(B, T),),
        scaling.language_model_flops(GPT, B, T),
    ),
    "BERT": (
        lambda: BertPretraining(BertEncoder(sequence_length=T, dropout=0, **GPT)),
        ((ids(B, T), np.zeros((B, T), "int32"), np.zeros((B, 2), "int32")),),
        scaling.masked_model_flops(GPT, B, T, guesses=2),
    ),
    "classifier": (
        lambda: keras.Sequential([keras.layers.Dense(D), TransformerEncoder(D, F, H)]),
        (np.ones((B, T, 6), "float32"),),
        scaling.classifier_flops(B, T, words=6, width=D, dense=F),
    ),
    "student": (
        lambda: keras.Sequential([Neighbours(1), keras.layers.Dense(F)]),
        (x,),
        scaling.product_flops(B * T, 3 * D, F),
    ),
}


@pytest.mark.parametrize("name", COUNTED)
def test_formulas_agree_with_the_graph_and_with_the_profiler(name):
    make, inputs, expected = COUNTED[name]
    model = make()
    model(*inputs)
    assert scaling.graph_flops(model, *inputs) == expected
    assert flops_by_profiler(model, *inputs) == expected


def test_a_training_step_has_three_times_the_products():
    model, loss = translator(), MaskedCrossEntropy()
    source, target, labels = ids(B, S), ids(B, T), ids(B, T)

    def gradients(source, target, labels):
        weights = [variable.value for variable in model.trainable_variables]
        with tf.GradientTape() as tape:
            value = loss(labels, model((source, target), training=True))
        return [tf.convert_to_tensor(g) for g in tape.gradient(value, weights)]

    forward = scaling.translation_flops(model.options, B, S, T)
    counted = scaling.graph_flops(gradients, source, target, labels)
    assert counted == scaling.TRAINING_BY_FORWARD * forward


def matrix_sizes(model):
    """Return {path: numbers} of the matrices that multiply."""
    return {w.path: int(np.prod(w.shape)) for w in model.weights if "kernel" in w.path}


def test_recurrent_flops_are_two_for_each_weight_and_position():
    """A graph doesn't say how often its loops run, so the weights are counted."""
    options = dict(vocab_size=V, embed_dim=D, units=6)
    model = CharacterLSTM(**options)
    model.build()
    expected = 2 * B * T * sum(matrix_sizes(model).values())
    assert scaling.lstm_flops(options, B, T) == expected
    for attention in (False, True):
        kind = {"attention": {"score": "general"}, "decoder": "attention"}
        sizes = dict(embed_dim=D, units=6, bidirectional=True)
        model = RecurrentSeq2Seq(V, 12, **sizes, **(kind if attention else {}))
        model.build()
        sizes = matrix_sizes(model)
        encoder = sum(n for path, n in sizes.items() if "bidirectional" in path)
        expected = 2 * B * (S * encoder + T * (sum(sizes.values()) - encoder))
        if attention:  # its scores and its mixture have no weights
            expected += 2 * scaling.product_flops(B * T, 6, S)
        counted = scaling.recurrent_translation_flops(options, B, S, T, attention)
        assert counted == expected


def test_a_product_that_cannot_be_counted_is_an_error():
    def loop(a):
        return tf.while_loop(lambda a: True, lambda a: [a @ a], [a])

    with pytest.raises(ValueError, match="While, in which products can't be counted"):
        scaling.graph_flops(loop, np.ones((2, 2), "f"))
    free = tf.TensorSpec((None, 2), "float32")
    with pytest.raises(ValueError, match="pass arguments with known shapes"):
        scaling.graph_flops(lambda a: a @ tf.ones((2, 2)), free)


@pytest.mark.parametrize("policy, size", [("float32", 4), ("mixed_bfloat16", 4)])
def test_state_is_counted_in_bytes(policy, size):
    dense = keras.layers.Dense(3, dtype=policy)
    model = keras.Sequential([keras.Input((5,)), dense])
    optimizer = keras.optimizers.Adam()
    optimizer.build(model.trainable_variables)
    state = scaling.state_bytes(model, optimizer)
    assert state["weights"] == state["gradients"] == size * (5 * 3 + 3)
    assert state["optimizer"] - 2 * state["weights"] <= 16  # and two single numbers
    half = keras.layers.Dense(3, dtype="bfloat16")
    half.build((None, 5))
    assert scaling.bytes_of(half.variables) == 2 * 18


def test_activations_grow_with_the_batch_and_shrink_in_half_precision():
    options = translator().options
    one = scaling.activation_bytes(options, B, S, T)
    assert scaling.activation_bytes(options, 2 * B, S, T) == 2 * one
    loss = 4 * B * T * V * scaling.FLOAT32_BYTES
    assert scaling.activation_bytes(options, B, S, T, 2) - loss == (one - loss) / 2

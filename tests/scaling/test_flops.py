"""Counted operations agree with TensorFlow's; batches and parts lose nothing."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from course_utils.attention.blocks import TransformerDecoder, TransformerEncoder
from course_utils.language_models.networks import CausalBlock, MiniGPT
from course_utils.scaling import flops as scaling
from course_utils.seq2seq import TranslationTransformer
from course_utils.seq2seq.recurrent import teacher_forcing_arrays
from course_utils.text.vectorizers import PAD
from course_utils.training import MaskedCrossEntropy

B, T, S, D, F, H, V = 3, 5, 7, 8, 12, 2, 20


def translator(dropout=0.0, num_layers=2):
    model = TranslationTransformer(V, 16, D, F, H, num_layers, dropout)
    model.build()
    return model


def ids(*shape, seed=0):
    """Return random ids without padding."""
    return np.random.default_rng(seed).integers(4, V, shape).astype("int32")


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


def test_recurrent_flops_are_two_for_each_weight_and_place():
    layer = keras.layers.LSTM(6)
    layer.build((None, None, D))
    matrices = sum(int(np.prod(w.shape)) for w in layer.weights if w.shape[0] != 24)
    assert scaling.recurrent_flops(B, T, D, 6, gates=4) == 2 * B * T * matrices


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


def test_half_precision_weights_are_half_as_large():
    dense = keras.layers.Dense(3, dtype="bfloat16")
    dense.build((None, 5))
    assert scaling.bytes_of(dense.variables) == 2 * 18


def test_activations_grow_with_the_batch_and_shrink_in_half_precision():
    options = translator().options
    one = scaling.activation_bytes(options, B, S, T)
    assert scaling.activation_bytes(options, 2 * B, S, T) == 2 * one
    loss = 4 * B * T * V * scaling.FLOAT32_BYTES
    assert scaling.activation_bytes(options, B, S, T, 2) - loss == (one - loss) / 2


# Batches

sequences = st.lists(st.integers(4, V - 1), min_size=1, max_size=7)
pairs = st.lists(st.tuples(sequences, sequences), min_size=1, max_size=20)


@settings(max_examples=60, deadline=None)
@given(pairs, st.integers(0, 3))
def test_each_pair_stands_in_one_batch_of_a_fixed_shape(pairs, seed):
    sources, targets = map(list, zip(*pairs, strict=True))
    batches = scaling.bucket_batches(sources, targets, [4, 8], 16, seed)
    found = []
    for (source, reads), says in batches:
        assert source.shape == reads.shape == says.shape
        assert source.shape in {(4, 4), (2, 8)}
        for a, b, c in zip(source, reads, says, strict=True):
            if c.any():
                found.append((a[a != PAD].tolist(), b[b != PAD][1:].tolist()))
                assert c[c != PAD][:-1].tolist() == found[-1][1]
    assert sorted(found) == sorted((s, t) for s, t in pairs)


def test_a_pair_goes_to_the_smallest_width_that_holds_it():
    (batch,) = scaling.bucket_batches([[5] * 3], [[6] * 3], [8, 4], 16)
    assert batch[1].shape == (4, 4)  # three ids and the end
    (batch,) = scaling.bucket_batches([[5] * 3], [[6] * 4], [8, 4], 16)
    assert batch[1].shape == (2, 8)


def test_buckets_that_do_not_fit_are_an_error():
    with pytest.raises(ValueError, match="a pair has 5 tokens, but the largest width"):
        scaling.bucket_batches([[5]], [[6] * 4], [4], 16)
    with pytest.raises(ValueError, match=r"tokens_per_batch \(3\) is below the width"):
        scaling.bucket_batches([[5]], [[6]], [4], 3)


def test_filling_up_changes_no_loss():
    model, loss = translator(), MaskedCrossEntropy()
    arrays = teacher_forcing_arrays([[5, 6], [7]], [[8], [9, 10, 11]])
    inputs, labels = scaling.widen(arrays, 6, 9)
    assert labels.shape == inputs[0].shape == (6, 9)
    expected = float(loss(arrays[1], model(arrays[0])))
    assert float(loss(labels, model(inputs))) == pytest.approx(expected, abs=1e-5)


# Gradient accumulation


def unequal_parts():
    """Return three small batches with different numbers of tokens, and all of it."""
    sources = [ids(n, seed=n).tolist() for n in (3, 4, 5, 2, 6, 3)]
    targets = [ids(n, seed=9 * n).tolist() for n in (2, 2, 5, 6, 7, 1)]
    parts = [
        teacher_forcing_arrays(sources[i : i + 2], targets[i : i + 2])
        for i in (0, 2, 4)
    ]
    return parts, teacher_forcing_arrays(sources, targets)


def test_accumulated_gradients_are_those_of_the_whole_batch():
    model, loss = translator(), MaskedCrossEntropy()
    parts, whole = unequal_parts()
    value, gradients = scaling.accumulated_gradients(model, loss, parts)
    expected_value, expected = scaling.accumulated_gradients(model, loss, [whole])
    assert value == pytest.approx(expected_value, abs=1e-6)
    for one, other in zip(gradients, expected, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)
    # The plain mean of the parts is something else, so the weights matter.
    each = [scaling.accumulated_gradients(model, loss, [part])[1] for part in parts]
    plain = [sum(three) / 3 for three in zip(*each, strict=True)]
    apart = max(
        float(np.abs(a - b).max()) for a, b in zip(plain, expected, strict=True)
    )
    assert apart > 1e-3


def test_accumulation_without_tokens_is_an_error():
    (source, reads), says = unequal_parts()[1]
    with pytest.raises(ValueError, match="no real token"):
        scaling.accumulated_gradients(
            translator(), MaskedCrossEntropy(), [((source, reads), 0 * says)]
        )


def test_keras_accumulation_equals_the_large_batch_when_parts_are_equal():
    """What lesson 18 shows: parts with equally many tokens, several steps."""
    source, target, labels = ids(8, S), ids(8, T, seed=1), ids(8, T, seed=2)
    weights = []
    for parts, options in ((1, {}), (4, {"gradient_accumulation_steps": 4})):
        keras.utils.set_random_seed(0)
        model = translator(num_layers=1)
        model.compile(
            keras.optimizers.Adam(0.01, epsilon=1e-5, **options),
            MaskedCrossEntropy(),
            run_eagerly=True,
        )
        for _ in range(2):
            for rows in np.split(np.arange(8), parts):
                model.train_on_batch((source[rows], target[rows]), labels[rows])
        weights.append(model.get_weights())
    for one, other in zip(*weights, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)


# Time


def test_functions_are_measured_in_turns():
    calls = []
    functions = {"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}
    seconds = scaling.take_turns(functions, 3)
    assert "".join(calls) == "ab" + "ab" * 3
    assert {name: len(times) for name, times in seconds.items()} == {"a": 3, "b": 3}
    with pytest.raises(ValueError, match="turns is 0"):
        scaling.take_turns(functions, 0)


def test_a_disturbed_turn_does_not_change_the_ratio():
    assert scaling.times_faster([4.0, 400.0, 4.0], [2.0, 2.0, 2.0]) == 2.0

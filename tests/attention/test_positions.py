"""PositionalEmbedding and SinusoidalPositionalEncoding."""

import keras
import layer_battery as lb
import numpy as np
import pytest
import tensorflow as tf
from keras import layers, ops

from course_utils.attention.positions import sinusoidal_table
from course_utils.layers import PositionalEmbedding, SinusoidalPositionalEncoding

T, V, D = 6, 20, 8


def built(**options):
    """Return an embedding with random weights."""
    layer = PositionalEmbedding(T, V, D, **options)
    layer.build((None, None))
    return lb.randomize(layer)


@pytest.mark.parametrize("scale_tokens, factor", [(False, 1), (True, D**0.5)])
def test_battery_and_the_sum_of_two_table_rows(scale_tokens, factor):
    def make(**options):
        return PositionalEmbedding(T, V, D, scale_tokens=scale_tokens, **options)

    ids = lb.padded_ids([2, 5])
    lb.battery(make, ids, weights=V * D + T * D)
    layer = built(scale_tokens=scale_tokens)
    tokens, positions = layer.get_weights()
    for row, found in zip(ids, layer(ids), strict=True):
        rows = zip(tokens[row], positions, strict=False)
        lb.assert_close(found, np.array([a * factor + b for a, b in rows]))


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8", "float32"])
def test_mask_is_attached_for_every_type_of_ids(dtype):
    ids = lb.padded_ids([0, 2, 5]).astype(dtype)
    np.testing.assert_array_equal(built()(ids)._keras_mask, ids != 0)
    symbolic = built()(keras.Input((None,), dtype=dtype))
    assert symbolic._keras_mask is not None


def test_start_shifts_the_positions():
    layer, ids = built(), lb.padded_ids([6, 6])
    whole = lb.to_numpy(layer(ids))
    for start in (0, 2, 5):
        for position in (start, ops.convert_to_tensor(start)):
            part = layer(ids[:, start : start + 1], start=position)
            np.testing.assert_array_equal(part[:, 0], whole[:, start])


@pytest.mark.parametrize("name", ["token_embeddings", "position_embeddings"])
def test_tables_are_read_and_multiplied_also_with_a_step_for_each_row(name):
    layer, ids, x = built(), lb.padded_ids([2, 5]), lb.random_array(2, 3, D)
    part = getattr(layer, name)
    (table,) = part.get_weights()
    sizes = np.linspace(0.01, 3, len(table))[:, None]  # so that the steps differ
    part.set_weights([sizes * table])
    tokens, positions = layer.get_weights()
    lb.assert_close(layer.predict_tokens(x), x @ tokens.T)
    assert lb.dtype_of(layer.predict_tokens(ops.cast(x, "bfloat16"))) == "bfloat16"
    part.quantize("int8")
    expected = tokens[ids] + positions[: ids.shape[1]]
    np.testing.assert_allclose(layer(ids), expected, atol=0.02)
    np.testing.assert_allclose(layer.predict_tokens(x), x @ tokens.T, atol=0.1)
    assert lb.dtype_of(layer.predict_tokens(ops.cast(x, "bfloat16"))) == "bfloat16"


def test_too_many_positions_in_a_model_of_known_and_free_length():
    overflow = "the input has 7 tokens .* sequence_length=6 tokens only"
    with pytest.raises(ValueError, match=overflow):
        built()(keras.Input((7,), dtype="int64"))
    inputs = keras.Input((None,), dtype="int64")
    model = keras.Model(inputs, built()(inputs))
    with pytest.raises(ValueError, match=overflow):
        model.predict(lb.padded_ids([7]), verbose=0)


@pytest.mark.tensorflow
@pytest.mark.parametrize("jit_compile", [False, True])
def test_too_many_positions_never_pass_in_a_compiled_function(jit_compile):
    layer = built()
    signature = [tf.TensorSpec((None, None), "int64")]
    call = tf.function(layer, input_signature=signature, jit_compile=jit_compile)
    np.testing.assert_array_equal(call(lb.padded_ids([6])), layer(lb.padded_ids([6])))
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        call(tf.constant(lb.padded_ids([7])))


@pytest.mark.tensorflow
def test_start_beyond_the_end_fails_in_a_compiled_function():
    layer = built()
    call = tf.function(lambda ids, start: layer(ids, start=start))
    ids = tf.constant(lb.padded_ids([2]))
    assert call(ids, tf.constant(4)).shape == (1, 2, D)
    with pytest.raises(tf.errors.InvalidArgumentError):
        call(ids, tf.constant(5))


@pytest.mark.parametrize("length, width", [(1, 2), (7, 8), (50, 5)])
def test_sinusoidal_table_equals_the_loop(length, width):
    expected = np.zeros((length, width))
    for position in range(length):
        for column in range(width):
            angle = position / 10000 ** (2 * (column // 2) / width)
            wave = np.sin if column % 2 == 0 else np.cos
            expected[position, column] = wave(angle)
    np.testing.assert_allclose(sinusoidal_table(length, width), expected, atol=1e-5)
    encoded = SinusoidalPositionalEncoding()(np.ones((2, length, width)))
    np.testing.assert_allclose(encoded, np.stack([expected + 1] * 2), atol=1e-5)


def test_sinusoidal_battery_and_mask():
    lb.battery(SinusoidalPositionalEncoding, lb.random_array(2, 5, D), weights=0)
    ids = lb.padded_ids([2, 5])
    with lb.no_warnings():
        embedded = layers.Embedding(V, D, mask_zero=True)(ids)
        encoded = SinusoidalPositionalEncoding()(embedded)
    np.testing.assert_array_equal(encoded._keras_mask, ids != 0)


def test_both_tables_take_the_initializer():
    def make(initializer="ones"):
        layer = PositionalEmbedding(T, V, D, embeddings_initializer=initializer)
        layer.build((None, None))
        return layer

    assert all((table == 1).all() for table in make().get_weights())
    tokens, positions = make("random_normal").get_weights()
    assert (tokens[:T] != positions).all()  # not the vectors of the first tokens
    lb.check_config(make, (lb.padded_ids([2, 5]),))


def test_frozen_tokens_stay_and_positions_learn_also_after_loading(tmp_path):
    inputs = keras.Input((None,), dtype="int32")
    layer = PositionalEmbedding(T, V, D, train_tokens=False, name="embedding")
    outputs = layers.GlobalAveragePooling1D()(layer(inputs))
    model = keras.Model(inputs, outputs)
    model.compile("adam", "mse")
    ids, labels = np.ones((4, T), "int32"), np.ones((4, D), "float32")
    tokens, positions = layer.get_weights()
    model.fit(ids, labels, verbose=0)
    assert (tokens == layer.get_weights()[0]).all()
    assert (positions != layer.get_weights()[1]).any()
    model.save(tmp_path / "frozen.keras")
    with lb.no_warnings():  # such as one of an optimizer with too few variables
        loaded = keras.models.load_model(tmp_path / "frozen.keras")
    assert len(loaded.get_layer("embedding").trainable_weights) == 1

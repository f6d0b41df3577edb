"""Models with the course's blocks in int8: they answer alike, also from their file."""

import json
import warnings

import keras
import layer_battery as lb
import numpy as np
import pytest
from keras import layers as keras_layers

from course_utils import layers
from course_utils.language_models import MiniGPT
from course_utils.seq2seq import TranslationTransformer

D, F, H, V = 8, 16, 2, 20
SOURCE, TARGET = lb.padded_ids([3, 5]), lb.padded_ids([4, 2], seed=1)


def encoder():
    """Return a model of ids with tied tokens, as the lessons make it."""
    inputs = keras.Input((None,), dtype="int64")
    x = layers.PositionalEmbedding(16, V, D)(inputs)
    x = layers.TransformerEncoder(D, F, H, norm_first=True)(x)
    return keras.Model(inputs, keras_layers.Dense(V)(x))


def decoder():
    """Return a model of source and target ids with the other attention layers."""
    source = keras.Input((None,), dtype="int64")
    target = keras.Input((None,), dtype="int64")
    embedding = keras_layers.Embedding(V, D, mask_zero=True)
    x, encoded = embedding(target), embedding(source)
    x = layers.TransformerDecoder(D, F, H)(x, encoded)
    x = layers.MultiHeadAttention(D, H)(x, encoded)
    x = layers.ScoredAttention("additive", units=4)(x, encoded)
    return keras.Model([source, target], x)


MAKERS = {
    "encoder": (encoder, SOURCE),
    "decoder": (decoder, [SOURCE, TARGET]),
    "gpt": (lambda: MiniGPT(V, 16, D, F, H, 2), SOURCE),
    "translation": (
        lambda: TranslationTransformer(V, 16, D, F, H, 1),
        [SOURCE, TARGET],
    ),
}


def made(name):
    """Return a model with random weights, and inputs for it."""
    make, inputs = MAKERS[name]
    model = make()
    model(inputs)
    return lb.randomize(model), inputs


def quantize(model, **options):
    """Round a model; Keras warns about each layer that it can't round."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*does not have a `quantize`")
        model.quantize("int8", **options)
    return model


@pytest.mark.parametrize("name", MAKERS)
def test_int8_answers_about_alike(name):
    model, inputs = made(name)
    exact = lb.to_numpy(model(inputs))
    found = lb.to_numpy(quantize(model)(inputs))
    assert 0 < np.abs(found - exact).max() < 0.1 * np.abs(exact).max()


def test_int8_models_load_in_a_fresh_process(tmp_path):
    for name in MAKERS:
        model, inputs = made(name)
        lb.save_case(tmp_path, name, quantize(model), inputs)
    model, inputs = made("encoder")
    only_tables = quantize(model, filters=lambda part: part.name.startswith("embed"))
    assert {weight.dtype for weight in only_tables.weights} == {"int8", "float32"}
    lb.save_case(tmp_path, "only_tables", only_tables, inputs)
    differences = lb.load_in_fresh_process(tmp_path)
    assert sorted(differences) == sorted([*MAKERS, "only_tables"])
    np.testing.assert_allclose(list(differences.values()), 0, atol=1e-6)


def test_a_loaded_model_has_the_same_dtypes(tmp_path):
    model, _ = made("encoder")
    quantize(model, filters=lambda part: part.name.startswith("embed"))
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    kinds = [(weight.name, weight.dtype) for weight in model.weights]
    assert [(weight.name, weight.dtype) for weight in loaded.weights] == kinds


def test_files_of_float_models_stay_as_they_were():
    for name in MAKERS:
        model, _ = made(name)
        text = json.dumps(keras.saving.serialize_keras_object(model))
        assert "quantized_parts" not in text
        assert "quantized_parts" in json.dumps(
            keras.saving.serialize_keras_object(quantize(model))
        )

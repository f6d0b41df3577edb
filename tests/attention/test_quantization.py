"""Models with the course's blocks in int8: they answer alike, also from their file."""

import json
import warnings
from functools import partial

import keras
import keras_hub
import layer_battery as lb
import numpy as np
import pytest
from caption_models import IMAGES, KINDS, WORDS
from caption_models import build as captioner
from test_layers import D, F, H, V, classifier, recurrent, translator
from tiny_bert import example, make_classifier, make_encoder

from course_utils.attention.quantization import round_blocks, rounded
from course_utils.bert import BertPretraining
from course_utils.kit import presets
from course_utils.language_models import CharacterLSTM, MiniGPT
from course_utils.seq2seq import TranslationTransformer

SOURCE = lb.padded_ids([3, 5])
BOTH = [SOURCE, lb.padded_ids([4, 2], seed=1)]


MAKERS = {
    "encoder": (lambda: classifier(norm_first=True), SOURCE),
    "decoder": (lambda: translator(norm_first=False), BOTH),
    "gpt": (lambda: MiniGPT(V, 16, D, F, H, 2), SOURCE),
    "translation": (lambda: TranslationTransformer(V, 16, D, F, H, 1), BOTH),
    "lstm": (lambda: CharacterLSTM(V, D, 16, 2), SOURCE),
    "bert": (lambda: BertPretraining(make_encoder()), example()),
    "bert_classifier": (make_classifier, SOURCE),
    "recurrent": (lambda: recurrent(decoder="attention"), BOTH),
    "peeky": (lambda: recurrent(decoder="peeky", bidirectional=True), BOTH),
    **{kind: (partial(captioner, kind), [IMAGES, WORDS]) for kind in KINDS},
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


def outputs(model, inputs):
    """Return what a model answers, without the weights of its attention."""
    return lb.to_numpy(keras.tree.flatten(model(inputs))[0])


def quantized_parts(model):
    return "quantized_parts" in json.dumps(keras.saving.serialize_keras_object(model))


@pytest.mark.parametrize("name", MAKERS)
def test_int8_answers_about_alike_and_leaves_a_note_in_the_file(name):
    model, inputs = made(name)
    exact = outputs(model, inputs)
    assert not quantized_parts(model)  # files of float models stay as they were
    found = outputs(quantize(model), inputs)
    assert 0 < np.abs(found - exact).max() < 0.1 * np.abs(exact).max()
    assert quantized_parts(model)


def test_int8_models_load_in_a_fresh_process_with_the_same_dtypes(tmp_path):
    cases = {name: made(name) for name in MAKERS}
    for model, _ in cases.values():
        quantize(model)
    only_tables, inputs = made("encoder")
    quantize(only_tables, filters=lambda part: part.name.startswith("embed"))
    lb.check_saved(tmp_path, cases | {"only_tables": (only_tables, inputs)})
    kinds = [(weight.name, weight.dtype) for weight in only_tables.weights]
    assert {dtype for _, dtype in kinds} == {"int8", "float32"}
    loaded = keras.models.load_model(tmp_path / "only_tables.keras")
    assert [(weight.name, weight.dtype) for weight in loaded.weights] == kinds


@pytest.mark.parametrize("bits", [1, 4, 8])
def test_rounded_weights_stand_on_the_steps_of_their_block(bits):
    matrix = np.random.default_rng(0).normal(size=(64, 3)).astype("float32")
    found = rounded(matrix, bits)
    blocks = (whole.reshape(2, 32, 3) for whole in (matrix, found))
    for own, ours in zip(*blocks, strict=True):
        step = (own.max(axis=0) - own.min(axis=0)) / (2**bits - 1)
        assert (np.abs(own - ours) <= 0.5001 * step).all()
        assert all(len(np.unique(column)) <= 2**bits for column in ours.T)
    np.testing.assert_allclose(rounded(found, bits), found, atol=1e-6)
    np.testing.assert_array_equal(rounded(np.ones((32, 1)), bits), 1)


def test_four_bits_are_those_of_a_gguf_file():
    quants = pytest.importorskip("gguf.quants")
    matrix = np.random.default_rng(0).normal(size=(64, 3)).astype("float32")
    blocks = quants.quantize(matrix.T.copy(), quants.GGMLQuantizationType.Q4_1)
    theirs = quants.dequantize(blocks, quants.GGMLQuantizationType.Q4_1).T
    # The file has steps and smallest values in float16.
    np.testing.assert_allclose(rounded(matrix, 4), theirs, atol=5e-3)


def test_only_the_matrices_of_the_blocks_are_rounded_along_their_inputs():
    encoder = presets.load_quietly(keras_hub.models.BertBackbone, "tiny_bert_en")
    before = encoder.get_weights()
    round_blocks(encoder, 1)
    for weight, old in zip(encoder.weights, before, strict=True):
        if "kernel" in weight.path and "pooled" not in weight.path:
            shape = (-1, 64) if weight.shape[-1] == 64 else (64, -1)
            old = rounded(old.reshape(shape), 1).reshape(old.shape)
        np.testing.assert_array_equal(weight, old)

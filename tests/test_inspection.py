"""Attention maps of a whole model, and heads that are taken out."""

import keras
import numpy as np
import pytest
from keras import ops

from course_utils import inspection
from course_utils.attention.transformer import MultiHeadAttention
from course_utils.seq2seq import TranslationTransformer

SOURCE = np.array([[5, 6, 7, 8], [9, 5, 0, 0]])
TARGET = np.array([[2, 6, 9], [2, 7, 0]])


@pytest.fixture(scope="module")
def model():
    keras.utils.set_random_seed(0)
    model = TranslationTransformer(12, 8, 8, 16, num_heads=2, num_layers=2)
    model.build()
    return model


def logits(model):
    return ops.convert_to_numpy(model((SOURCE, TARGET)))


def test_maps_are_the_models_own_and_nobody_attends_to_padding_or_ahead(model):
    maps = inspection.attention_maps(model, SOURCE, TARGET)
    assert maps.encoder.shape == (2, 2, 2, 4, 4)
    assert maps.decoder.shape == (2, 2, 2, 3, 3)
    for weights in maps:
        np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-5)
    assert (maps.encoder[:, 1, :, :, 2:] == 0).all()
    assert (maps.cross[:, 1, :, :, 2:] == 0).all()
    assert (np.triu(maps.decoder, 1) == 0).all()
    own = ops.convert_to_numpy(model.cross_attention((SOURCE, TARGET)))
    np.testing.assert_allclose(maps.cross, own, atol=1e-6)


@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross"])
def test_a_head_that_is_taken_out_changes_the_output_and_comes_back(model, kind):
    block = (model.encoder_blocks if kind == "encoder" else model.decoder_blocks)[1]
    layer = block.cross_attention if kind == "cross" else block.self_attention
    before = logits(model)
    with inspection.without_head(layer, 0):
        assert np.abs(logits(model) - before).max() > 1e-4
    assert (logits(model) == before).all()
    with pytest.raises(KeyboardInterrupt), inspection.without_head(layer, 1):
        raise KeyboardInterrupt
    assert (logits(model) == before).all()


def test_without_a_head_is_its_part_of_the_sum(model):
    layer = model.encoder_blocks[0].self_attention
    x = np.random.default_rng(0).normal(size=(1, 3, 8)).astype("float32")
    whole, bias = ops.convert_to_numpy(layer(x, x)), layer.output_dense.bias
    alone = []
    for head in range(2):
        with inspection.without_head(layer, 1 - head):
            alone.append(ops.convert_to_numpy(layer(x, x) - bias))
    np.testing.assert_allclose(sum(alone) + np.asarray(bias), whole, atol=1e-5)


@pytest.mark.parametrize("head", [2, -1])
def test_a_head_that_is_not_there_is_refused(head):
    layer = MultiHeadAttention(8, 2)
    refused = pytest.raises(ValueError, match=f"no head {head}")
    with refused, inspection.without_head(layer, head):
        pass

"""Saved models load in a new Python after ``import course_utils.layers`` alone."""

import keras
import layer_battery as lb
import numpy as np
from keras import layers as keras_layers

from course_utils import layers
from course_utils.training import MaskedCrossEntropy, warmup_cosine

D, F, H, V = 8, 16, 2, 20


def test_all_public_layers_are_named():
    assert sorted(layers.__all__) == layers.__all__
    for name in layers.__all__:
        kind = getattr(layers, name)
        assert kind.__name__ == name
        assert keras.saving.get_registered_name(kind) == f"course_utils>{name}"


def classifier(norm_first):
    """The model of the lesson on sentiment, with options that differ from defaults."""
    inputs = keras.Input((None,), dtype="int64")
    x = layers.PositionalEmbedding(16, V, D, scale_tokens=norm_first)(inputs)
    x, scores = layers.TransformerEncoder(
        D, F, H, dropout=0.2, activation="gelu", norm_first=norm_first
    )(x, return_attention_scores=True)
    x = layers.MaskedGlobalMaxPooling1D()(x)
    outputs = keras_layers.Dense(1, activation="sigmoid")(x)
    return keras.Model(inputs, [outputs, scores])


def translator(norm_first):
    """A model of source and target ids with every layer of the course in it."""
    source = keras.Input((None,), dtype="int64")
    target = keras.Input((None,), dtype="int64")
    embedding = keras_layers.Embedding(V, D, mask_zero=True)
    options = dict(dropout=0.1, norm_first=norm_first, layer_norm_epsilon=1e-3)
    encoded = layers.SinusoidalPositionalEncoding()(embedding(source))
    encoded = layers.TransformerEncoder(D, F, H, **options)(encoded)
    x = layers.SinusoidalPositionalEncoding()(embedding(target))
    x, scores = layers.TransformerDecoder(D, F, H, **options)(
        x, encoded, return_attention_scores=True
    )
    x = layers.MultiHeadAttention(D, H)(x, encoded)
    return keras.Model([source, target], [keras_layers.Dense(V)(x), scores])


def compiled():
    """A model compiled with the loss and the schedule of the course."""
    inputs = keras.Input((None,), dtype="int64")
    x = layers.PositionalEmbedding(16, V, D)(inputs)
    model = keras.Model(inputs, keras_layers.Dense(V)(x))
    optimizer = keras.optimizers.Adam(warmup_cosine(1e-3, 10, 2))
    model.compile(optimizer, MaskedCrossEntropy(0.1), jit_compile=False)
    return model


def test_saved_models_need_nothing_but_the_import(tmp_path):
    source, target = lb.padded_ids([3, 5]), lb.padded_ids([4, 2], seed=1)
    for norm_first in (False, True):
        form = "pre" if norm_first else "post"
        model = lb.randomize(classifier(norm_first))
        lb.save_case(tmp_path, f"classifier_{form}", model, source)
        model = lb.randomize(translator(norm_first))
        lb.save_case(tmp_path, f"translator_{form}", model, [source, target])
    lb.save_case(tmp_path, "compiled", compiled(), source)
    differences = lb.load_in_fresh_process(tmp_path)
    assert sorted(differences) == [
        "classifier_post",
        "classifier_pre",
        "compiled",
        "translator_post",
        "translator_pre",
    ]
    np.testing.assert_allclose(list(differences.values()), 0, atol=1e-6)

"""Saved models load in a new Python after ``import course_utils.layers`` alone."""

import re

import keras
import layer_battery as lb
import numpy as np
import pytest
from keras import layers as keras_layers
from keras import ops

from course_utils import layers
from course_utils.attention import SCORES, scores
from course_utils.seq2seq import RecurrentSeq2Seq, Translator
from course_utils.text import PatternVectorizer
from course_utils.training import MaskedCrossEntropy, warmup_cosine

D, F, H, V, U = 8, 16, 2, 20, 5


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
    options = dict(dropout=0.2, activation="gelu", norm_first=norm_first)
    kinds = layers.TransformerEncoder, layers.RotaryTransformerEncoder
    encoder = kinds[norm_first](D, F, H, **options)
    x, scores = encoder(x, return_attention_scores=True)
    x = layers.MaskedGlobalMaxPooling1D()(x)
    outputs = keras_layers.Dense(1, activation="sigmoid")(x)
    return keras.Model(inputs, [outputs, scores])


def translator(norm_first):
    """A model of source and target ids with every layer of the course in it."""
    source, target = (keras.Input((None,), dtype="int64") for _ in range(2))
    embedding = keras_layers.Embedding(V, D, mask_zero=True)
    options = dict(dropout=0.1, norm_first=norm_first, layer_norm_epsilon=1e-3)
    encoded = layers.SinusoidalPositionalEncoding()(embedding(source))
    encoded = layers.TransformerEncoder(D, F, H, **options)(encoded)
    x = layers.SinusoidalPositionalEncoding()(embedding(target))
    decoder = layers.TransformerDecoder(D, F, H, **options)
    x, scores = decoder(x, encoded, return_attention_scores=True)
    x = layers.MultiHeadAttention(D, H)(x, encoded)
    x = layers.ScoredAttention("additive", U)(x, encoded)
    return keras.Model([source, target], [keras_layers.Dense(V)(x), scores])


def scored(score, window):
    query, keys = keras.Input((None, D)), keras.Input((None, D))
    attention = layers.ScoredAttention(score, U, 9, window)
    return keras.Model([query, keys], attention(query, keys))


def recurrent(**options):
    model = RecurrentSeq2Seq(V, 12, 5, 6, **options)
    model.build()
    return model


def compiled():
    """A model compiled with the loss and the schedule of the course."""
    inputs = keras.Input((None,), dtype="int64")
    x = layers.PositionalEmbedding(16, V, D)(inputs)
    model = keras.Model(inputs, keras_layers.Dense(V)(x))
    optimizer = keras.optimizers.Adam(warmup_cosine(1e-3, 10, 2))
    model.compile(optimizer, MaskedCrossEntropy(0.1))
    return model


def saved_models():
    """Yield a name, a model and inputs for it."""
    source, target = lb.padded_ids([3, 5]), lb.padded_ids([4, 2], seed=1)
    yield "compiled", compiled(), source
    for norm_first in (False, True):
        yield f"classifier_{norm_first}", classifier(norm_first), source
        yield f"translator_{norm_first}", translator(norm_first), [source, target]
    windows = (None, "monotonic", "predictive")
    vectors = [lb.random_array(3, 4, D), lb.random_array(3, 6, D, seed=1)]
    for number, score in enumerate(SCORES):
        yield score, scored(score, windows[number % 3]), vectors
    if keras.backend.backend() != "tensorflow":
        return  # the layers run on all backends, recurrent models were tried on one
    for score in ("additive", "location"):
        model = recurrent(decoder="attention", attention={"score": score})
        yield f"recurrent_{score}", model, [source, target]
    yield "peeky", recurrent(decoder="peeky", bidirectional=True), [source, target]
    vectorizer = PatternVectorizer.train(["I see it.", "Lo veo."])
    model = RecurrentSeq2Seq(vectorizer.vocabulary_size, 12, 5, 6)
    yield "translator_of_words", Translator(vectorizer, model), [source % 9, target % 9]


def test_saved_models_need_nothing_but_the_import(tmp_path):
    cases = {name: (lb.randomize(m), inputs) for name, m, inputs in saved_models()}
    lb.check_saved(tmp_path, cases, most=1e-5)


IMPOSSIBLE_SIZES = [
    ("MultiHeadAttention", [10, 4], "embed_dim (10)"),
    ("MultiHeadAttention", [0, 1], "embed_dim is 0"),
    ("MultiHeadAttention", [8, -2], "num_heads is -2"),
    ("MultiHeadAttention", [8, 2.0], "num_heads is 2.0"),
    ("TransformerEncoder", [100, 8, 8], "embed_dim (100)"),
    ("TransformerEncoder", [-8, 8, 2], "embed_dim is -8"),
    ("TransformerEncoder", [8, 0, 2], "dense_dim is 0"),
    ("TransformerEncoder", [8, 8, 0], "num_heads is 0"),
    ("TransformerEncoder", [8, 8, "2"], "num_heads is '2'"),
    ("TransformerDecoder", [10, 8, 4], "embed_dim (10)"),
    ("TransformerDecoder", [8, -8, 4], "dense_dim is -8"),
    ("PositionalEmbedding", [0, 20, 8], "sequence_length is 0"),
    ("PositionalEmbedding", [6, -1, 8], "vocab_size is -1"),
    ("PositionalEmbedding", [6, 20, 0.5], "embed_dim is 0.5"),
    ("ScoredAttention", ["dot", 0], "units is 0"),
    ("ScoredAttention", ["dot", None, -1], "max_length is -1"),
    ("ScoredAttention", ["dot", None, None, None, 0.5], "half_width is 0.5"),
    ("ScoredAttention", ["cos"], "score is 'cos'"),
    ("ScoredAttention", ["dot", 4, 9, "local"], "window is 'local'"),
    ("ScoredAttention", ["dot", 4, 9, None, 2, "hard"], "selection is 'hard'"),
    ("ScoredAttention", ["location"], "pass max_length"),
]


@pytest.mark.parametrize("name, sizes, said", IMPOSSIBLE_SIZES)
def test_impossible_sizes_are_refused(name, sizes, said):
    with pytest.raises(ValueError, match=f"{name}: .*{re.escape(said)}"):
        getattr(layers, name)(*sizes)


NARROW = np.ones((2, 3, 8), "float32")
WIDE = np.ones((2, 3, 9), "float32")


@pytest.mark.parametrize(
    "name, sizes, inputs, said",
    [
        ("MultiHeadAttention", (8, 2), (NARROW, WIDE), "value has width 9.*8"),
        ("MultiHeadAttention", (8, 2), (WIDE, NARROW), "query has width 9.*8"),
        ("TransformerEncoder", (8, 16, 2), (WIDE,), "width 9.*8"),
        ("TransformerEncoder", (8, 16, 2, 1.5), (NARROW,), "1.5"),  # dropout
        ("TransformerDecoder", (8, 16, 2), (NARROW, WIDE), "value has width 9.*8"),
        ("PositionalEmbedding", (6, 20, 8), (np.ones((1, 7), "int32"),), "7 tokens.*6"),
        ("ScoredAttention", ("location", None, 2), (NARROW, NARROW), "3 keys.*2 pos"),
    ],
)
def test_inputs_that_do_not_fit_are_refused(name, sizes, inputs, said):
    with pytest.raises(ValueError, match=said):
        getattr(layers, name)(*sizes)(*inputs)


# Whole numbers of NumPy, as a loop over np.arange gives them, are whole numbers.
@pytest.mark.parametrize("start", [6, -1, np.int64(6), np.int32(-1)])
def test_impossible_positions_are_refused(start):
    with pytest.raises(ValueError, match=f"1 tokens from position {start}"):
        layers.PositionalEmbedding(6, 20, 8)(np.ones((1, 1), "int32"), start=start)


@pytest.mark.parametrize("score", scores.SAME_WIDTH)
def test_widths_that_a_score_cannot_pair_are_refused(score):
    query, keys = ops.convert_to_tensor(NARROW), ops.convert_to_tensor(WIDE)
    for function in (layers.ScoredAttention(score), getattr(scores, f"{score}_score")):
        with pytest.raises(ValueError, match=f"'{score}'.*width 8.*9"):
            function(query, keys)

"""Saved models load in a new Python after ``import course_utils.layers`` alone."""

import keras
import layer_battery as lb
from keras import layers as keras_layers

from course_utils import layers
from course_utils.attention import SCORES
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

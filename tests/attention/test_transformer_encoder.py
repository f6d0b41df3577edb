"""TransformerEncoder against KerasHub and PyTorch; masks, shapes, saving."""

from pathlib import Path

import keras
import keras_hub
import layer_battery as lb
import numpy as np
import pytest
import reference_weights as rw
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import layers, ops

from course_utils.attention.blocks import TransformerEncoder
from course_utils.attention.positions import PositionalEmbedding

D, F, H, V = 8, 16, 2, 20
GOLDEN = Path(__file__).parents[1] / "golden"
both_forms = pytest.mark.parametrize("norm_first", [False, True])


class DeafEncoder(TransformerEncoder):
    """An encoder with a bug: it ignores the mask."""

    def call(self, inputs, mask=None, **options):
        everything = np.ones(inputs.shape[:2], dtype=bool)
        return super().call(inputs, mask=everything, **options)


class CausalEncoder(TransformerEncoder):
    """An encoder with a bug: no position sees those after it."""

    def call(self, inputs, mask=None, **options):
        mask = np.tri(inputs.shape[1], dtype=bool)
        return super().call(inputs, mask=mask, **options)


def built(x, kind=TransformerEncoder, **options):
    """Return an encoder with random weights, built for ``x``."""
    layer = kind(D, F, H, **options)
    layer(x)
    return lb.randomize(layer)


def assert_padding_changes_nothing(embedding, encoder):
    """Real tokens get the same outputs however many zeros follow them."""
    inputs = keras.Input((None,), dtype="int64")
    model = lb.randomize(keras.Model(inputs, encoder(embedding(inputs))))
    ids = lb.padded_ids([3, 5])
    expected = lb.to_numpy(model(ids))
    for extra in (1, 4):
        longer = lb.to_numpy(model(lb.lengthen(ids, extra)))[:, :5]
        np.testing.assert_allclose(longer[ids != 0], expected[ids != 0], atol=1e-5)
    alone = lb.to_numpy(model(ids[:1, :3]))
    np.testing.assert_allclose(alone[0], expected[0, :3], atol=1e-5)


@both_forms
def test_battery(norm_first):
    lb.battery(
        lambda **options: TransformerEncoder(
            D, F, H, activation="gelu", norm_first=norm_first, **options
        ),
        lb.random_array(2, 5, D),
        weights=4 * (D * D + D) + (D * F + F) + (F * D + D) + 2 * 2 * D,
        scores=True,
    )


@both_forms
def test_equals_keras_hub(norm_first):
    x, real = lb.random_array(3, 5, D), lb.padded_ids([5, 2, 4]) != 0
    ours = built(x, norm_first=norm_first)
    theirs = keras_hub.layers.TransformerEncoder(F, H, normalize_first=norm_first)
    theirs(x)
    theirs.set_weights(rw.keras_hub_block(ours))
    np.testing.assert_allclose(ours(x), theirs(x), **lb.TOLERANCE)
    output, scores = ours(x, mask=real, return_attention_scores=True)
    np.testing.assert_allclose(output, theirs(x, padding_mask=real), **lb.TOLERANCE)
    _, expected = theirs(x, padding_mask=real, return_attention_scores=True)
    np.testing.assert_allclose(scores, expected, **lb.TOLERANCE)
    deaf = built(x, DeafEncoder, norm_first=norm_first)
    assert np.abs(lb.to_numpy(deaf(x, mask=real)) - lb.to_numpy(output)).max() > 0.01


@both_forms
def test_equals_pytorch(norm_first):
    golden = np.load(GOLDEN / "encoder.npz")
    source, real = golden["source"], golden["source_mask"]
    layer = built(source, norm_first=norm_first)
    rw.set_pytorch_block(layer, golden)
    expected = golden["output_pre" if norm_first else "output_post"]
    output = lb.to_numpy(layer(source, mask=real))
    np.testing.assert_allclose(output[real], expected[real], **lb.TOLERANCE)
    other = golden["output_post" if norm_first else "output_pre"]
    assert np.abs(output - other)[real].max() > 0.01


@both_forms
@pytest.mark.parametrize("kind", ["PositionalEmbedding", "Embedding"])
def test_padding_changes_nothing(kind, norm_first):
    embedding = (
        PositionalEmbedding(12, V, D)
        if kind == "PositionalEmbedding"
        else layers.Embedding(V, D, mask_zero=True)
    )
    encoder = TransformerEncoder(D, F, H, norm_first=norm_first)
    with lb.no_warnings():
        assert_padding_changes_nothing(embedding, encoder)


def test_ignored_mask_is_caught():
    with pytest.raises(AssertionError):
        assert_padding_changes_nothing(
            PositionalEmbedding(12, V, D), DeafEncoder(D, F, H)
        )


def test_embedding_without_a_mask_is_caught():
    with pytest.raises(AssertionError):
        assert_padding_changes_nothing(
            layers.Embedding(V, D), TransformerEncoder(D, F, H)
        )


@given(
    lengths=st.lists(st.integers(1, 6), min_size=1, max_size=3),
    extra=st.integers(0, 5),
    seed=st.integers(0, 99),
)
@settings(max_examples=12, derandomize=True, deadline=None)
def test_padding_changes_nothing_for_any_lengths(lengths, extra, seed):
    ids = lb.padded_ids(lengths, vocab_size=V, seed=seed)
    embedding = lb.randomize(PositionalEmbedding(12, V, D), seed)
    encoder = built(lb.random_array(1, 2, D))
    short = lb.to_numpy(encoder(embedding(ids)))
    long = lb.to_numpy(encoder(embedding(lb.lengthen(ids, extra))))
    long = long[:, : ids.shape[1]]
    np.testing.assert_allclose(long[ids != 0], short[ids != 0], atol=1e-5)


def test_each_token_sees_all_real_tokens_and_no_padding():
    ids = lb.padded_ids([2, 5, 1])
    embedded = layers.Embedding(V, D, mask_zero=True)(ids)
    layer = built(lb.random_array(1, 2, D))
    output, weights = layer(embedded, return_attention_scores=True)
    weights = lb.to_numpy(weights)
    real = np.broadcast_to((ids != 0)[:, None, None, :], weights.shape)
    assert (weights[real] > 0).all()
    assert (weights[~real] == 0).all()
    np.testing.assert_allclose(weights.sum(-1), 1, rtol=1e-5)
    np.testing.assert_array_equal(output._keras_mask, ids != 0)


@pytest.mark.parametrize("kind", [TransformerEncoder, CausalEncoder])
def test_a_later_token_changes_earlier_outputs(kind):
    x = lb.random_array(1, 4, D)
    layer = built(x, kind)
    changed = x.copy()
    changed[:, 3, 0] += 1
    moved = np.abs(lb.to_numpy(layer(x)) - lb.to_numpy(layer(changed)))[0, :3].max()
    assert (moved > 1e-3) == (kind is TransformerEncoder)


def test_without_positions_order_does_not_matter():
    x, order = lb.random_array(2, 5, D), [3, 0, 4, 1, 2]
    layer = built(x)
    np.testing.assert_allclose(
        lb.to_numpy(layer(x[:, order])), lb.to_numpy(layer(x))[:, order], **lb.TOLERANCE
    )


@both_forms
def test_row_of_padding_only_is_finite(norm_first):
    inputs = keras.Input((None,), dtype="int64")
    x = PositionalEmbedding(12, V, D)(inputs)
    outputs = TransformerEncoder(D, F, H, norm_first=norm_first)(x)
    model = keras.Model(inputs, outputs)
    model.compile("sgd", "mse", run_eagerly=True)
    ids = lb.padded_ids([0, 3])
    model.train_on_batch(ids, np.zeros((2, 3, D)))
    assert np.isfinite(lb.to_numpy(model(ids))).all()


def test_mask_reaches_the_layers_after_it_without_a_warning():
    with lb.no_warnings():
        inputs = keras.Input((None,), dtype="int64")
        x = PositionalEmbedding(12, V, D)(inputs)
        for _ in range(2):
            x = TransformerEncoder(D, F, H, dropout=0.1)(x)
        assert x._keras_mask is not None
        x = TransformerEncoder(D, F, H)(x, return_attention_scores=True)[0]
        assert x._keras_mask is not None
        model = keras.Model(inputs, x)
        model.compile("sgd", "mse", jit_compile=False)
        ids = lb.padded_ids([2, 4])
        model.fit(ids, np.zeros((2, 4, D)), verbose=0)
        model.predict(ids, verbose=0)


def test_dropout_acts_in_training_only():
    x = lb.random_array(2, 5, D)
    layer = built(x, dropout=0.5)
    quiet = lb.to_numpy(built(x)(x))
    np.testing.assert_array_equal(layer(x), quiet)
    np.testing.assert_array_equal(layer(x, training=False), quiet)
    assert np.abs(lb.to_numpy(layer(x, training=True)) - quiet).max() > 0.1


@pytest.mark.parametrize(
    "arguments, message",
    [
        (
            (100, 8, 8),
            r"TransformerEncoder: embed_dim \(100\) must be divisible by "
            r"num_heads \(8\)",
        ),
        ((-8, 8, 2), "embed_dim is -8"),
        ((8, 0, 2), "dense_dim is 0"),
        ((8, 8, 0), "num_heads is 0"),
        ((8, 8, "2"), "num_heads is '2'"),
    ],
)
def test_impossible_sizes(arguments, message):
    with pytest.raises(ValueError, match=message):
        TransformerEncoder(*arguments)


def test_impossible_dropout_and_width():
    with pytest.raises(ValueError, match="1.5"):
        TransformerEncoder(D, F, H, dropout=1.5)
    with pytest.raises(ValueError, match="width 9, but embed_dim is 8"):
        TransformerEncoder(D, F, H)(ops.zeros((2, 3, 9)))

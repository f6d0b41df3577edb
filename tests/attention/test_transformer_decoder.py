"""TransformerDecoder against KerasHub and PyTorch; masks, causality, cached steps."""

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

from course_utils.attention.blocks import TransformerDecoder, TransformerEncoder
from course_utils.attention.positions import PositionalEmbedding

D, F, H, V = 8, 16, 2, 20
GOLDEN = Path(__file__).parents[1] / "golden"
both_forms = pytest.mark.parametrize("norm_first", [False, True])


class MutedDecoder(TransformerDecoder):
    """A decoder with the bug of many tutorials: the source's mask never arrives."""

    def call(self, inputs, encoder_outputs, inputs_mask=None, **options):
        options.pop("encoder_outputs_mask", None)
        return super().call(inputs, encoder_outputs, inputs_mask, **options)


class SwappedDecoder(TransformerDecoder):
    """A decoder with a bug: cross-attention uses the target's mask."""

    def call(
        self,
        inputs,
        encoder_outputs,
        inputs_mask=None,
        encoder_outputs_mask=None,
        **options,
    ):
        return super().call(
            inputs, encoder_outputs, inputs_mask, inputs_mask, **options
        )


class PeekingDecoder(TransformerDecoder):
    """A decoder with a bug: its self-attention has no causal mask."""

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        call = self.self_attention.call
        self.self_attention.call = lambda query, value, **options: call(
            query, value, value_mask=options.get("value_mask")
        )


def built(target, source, kind=TransformerDecoder, **options):
    """Return a decoder with random weights, built for these inputs."""
    layer = kind(D, F, H, **options)
    layer(target, source)
    return lb.randomize(layer)


def translation_model(kind=TransformerDecoder, embedding=None, scores=False, **options):
    """Return a model of source and target ids; Keras alone carries the masks."""
    source = keras.Input((None,), dtype="int64")
    target = keras.Input((None,), dtype="int64")
    embedding = embedding or PositionalEmbedding(16, V, D)
    encoded = TransformerEncoder(D, F, H, **options)(embedding(source))
    decoder = kind(D, F, H, **options)
    outputs = decoder(embedding(target), encoded, return_attention_scores=scores)
    return lb.randomize(keras.Model([source, target], outputs))


def assert_padding_changes_nothing(model):
    """More zeros after source or target leave the outputs of real tokens the same."""
    source, target = lb.padded_ids([3, 5, 1]), lb.padded_ids([4, 2, 6], seed=1)
    real, steps = target != 0, target.shape[1]
    expected = lb.to_numpy(model([source, target]))[real]
    for more_source, more_target in ((4, 0), (0, 4), (1, 3)):
        ids = [lb.lengthen(source, more_source), lb.lengthen(target, more_target)]
        output = lb.to_numpy(model(ids))[:, :steps][real]
        np.testing.assert_allclose(output, expected, atol=1e-5)
    alone = lb.to_numpy(model([source[:1, :3], target[:1, :4]]))
    np.testing.assert_allclose(alone[0], expected[:4], atol=1e-5)


def assert_no_peeking(layer, target, source):
    """Changing target token t leaves the outputs before t bit-identical."""
    before = lb.to_numpy(layer(target, source))
    for t in range(target.shape[1]):
        changed = target.copy()
        changed[:, t, 0] += 1
        after = lb.to_numpy(layer(changed, source))
        np.testing.assert_array_equal(after[:, :t], before[:, :t])
        assert np.abs(after[:, t:] - before[:, t:]).max(axis=(0, 2)).min() > 1e-4


def assert_sees_the_source(model):
    """Each target position attends to every real source token and to no padding."""
    source, target = lb.padded_ids([3, 5, 1]), lb.padded_ids([4, 2, 5], seed=1)
    weights = lb.to_numpy(model([source, target])[1])
    assert weights.shape == (3, H, 5, 5)
    real = np.broadcast_to((source != 0)[:, None, None, :], weights.shape)
    assert (weights[real] > 0).all()
    assert (weights[~real] == 0).all()
    np.testing.assert_allclose(weights.sum(-1), 1, rtol=1e-5)


@both_forms
def test_battery(norm_first):
    lb.battery(
        lambda **options: TransformerDecoder(
            D, F, H, activation="gelu", norm_first=norm_first, **options
        ),
        lb.random_array(2, 4, D),
        lb.random_array(2, 6, D, seed=1),
        weights=8 * (D * D + D) + (D * F + F) + (F * D + D) + 3 * 2 * D,
        scores=True,
    )


@both_forms
def test_equals_keras_hub(norm_first):
    target, source = lb.random_array(3, 4, D), lb.random_array(3, 6, D, seed=1)
    masks = lb.padded_ids([4, 2, 3]) != 0, lb.padded_ids([1, 6, 4]) != 0
    ours = built(target, source, norm_first=norm_first)
    theirs = keras_hub.layers.TransformerDecoder(F, H, normalize_first=norm_first)
    theirs(target, source)
    theirs.set_weights(rw.keras_hub_block(ours, decoder=True))
    np.testing.assert_allclose(
        ours(target, source), theirs(target, source), **lb.TOLERANCE
    )
    expected = lb.to_numpy(
        theirs(
            target, source, decoder_padding_mask=masks[0], encoder_padding_mask=masks[1]
        )
    )
    call = dict(inputs_mask=masks[0], encoder_outputs_mask=masks[1])
    np.testing.assert_allclose(ours(target, source, **call), expected, **lb.TOLERANCE)
    for kind in (MutedDecoder, PeekingDecoder):
        broken = built(target, source, kind, norm_first=norm_first)
        assert (
            np.abs(lb.to_numpy(broken(target, source, **call)) - expected).max() > 0.01
        )


@both_forms
def test_equals_pytorch(norm_first):
    golden = np.load(GOLDEN / "decoder.npz")
    target, source = golden["target"], golden["source"]
    real, source_mask = golden["target_mask"], golden["source_mask"]
    layer = built(target, source, norm_first=norm_first)
    rw.set_pytorch_block(layer, golden)
    call = dict(inputs_mask=real, encoder_outputs_mask=source_mask)
    output = lb.to_numpy(layer(target, source, **call))
    expected = golden["output_pre" if norm_first else "output_post"]
    np.testing.assert_allclose(output[real], expected[real], **lb.TOLERANCE)


@both_forms
@pytest.mark.parametrize("kind", ["PositionalEmbedding", "Embedding"])
def test_padding_changes_nothing(kind, norm_first):
    embedding = layers.Embedding(V, D, mask_zero=True) if kind == "Embedding" else None
    with lb.no_warnings():
        assert_padding_changes_nothing(
            translation_model(embedding=embedding, norm_first=norm_first)
        )


def test_lost_and_swapped_masks_are_caught():
    with pytest.raises(AssertionError):
        assert_padding_changes_nothing(translation_model(MutedDecoder))
    # A swapped mask of another length than the source's is an error by itself.
    for kind in (MutedDecoder, SwappedDecoder):
        with pytest.raises(AssertionError):
            assert_sees_the_source(translation_model(kind, scores=True))


@both_forms
def test_every_position_sees_the_real_source_and_no_padding(norm_first):
    with lb.no_warnings():
        assert_sees_the_source(translation_model(scores=True, norm_first=norm_first))


def test_masks_by_hand_equal_masks_by_keras():
    source, target = lb.padded_ids([3, 5]), lb.padded_ids([4, 2], seed=1)
    embedding = layers.Embedding(V, D, mask_zero=True)
    x, encoded = embedding(target), embedding(source)
    layer = built(lb.random_array(1, 2, D), lb.random_array(1, 3, D))
    expected = layer(x, encoded)
    np.testing.assert_array_equal(expected._keras_mask, target != 0)
    by_hand = layer(
        lb.to_numpy(x),
        lb.to_numpy(encoded),
        inputs_mask=target != 0,
        encoder_outputs_mask=source != 0,
    )
    np.testing.assert_array_equal(by_hand, expected)
    without = layer(lb.to_numpy(x), lb.to_numpy(encoded))
    assert np.abs(lb.to_numpy(without) - lb.to_numpy(expected)).max() > 0.01


@given(
    lengths=st.lists(
        st.tuples(st.integers(1, 5), st.integers(1, 5)), min_size=1, max_size=3
    ),
    extra=st.tuples(st.integers(0, 4), st.integers(0, 4)),
    seed=st.integers(0, 99),
)
@settings(max_examples=12, derandomize=True, deadline=None)
def test_padding_changes_nothing_for_any_lengths(lengths, extra, seed):
    source, target = (
        lb.padded_ids(some, vocab_size=V, seed=seed)
        for some in zip(*lengths, strict=True)
    )
    embedding = layers.Embedding(V, D, mask_zero=True)
    embedding.build((None, None))
    lb.randomize(embedding, seed)
    layer = built(lb.random_array(1, 2, D), lb.random_array(1, 3, D))
    short = lb.to_numpy(layer(embedding(target), embedding(source)))
    long = layer(
        embedding(lb.lengthen(target, extra[1])),
        embedding(lb.lengthen(source, extra[0])),
    )
    long = lb.to_numpy(long)[:, : target.shape[1]]
    np.testing.assert_allclose(long[target != 0], short[target != 0], atol=1e-5)


@both_forms
def test_no_peeking(norm_first):
    target, source = lb.random_array(2, 6, D), lb.random_array(2, 3, D, seed=1)
    assert_no_peeking(built(target, source, norm_first=norm_first), target, source)


def test_peeking_is_caught():
    target, source = lb.random_array(2, 6, D), lb.random_array(2, 3, D, seed=1)
    with pytest.raises(AssertionError):
        assert_no_peeking(built(target, source, PeekingDecoder), target, source)


@both_forms
@pytest.mark.parametrize("beams", [1, 3])
def test_cached_steps_equal_one_shot(norm_first, beams):
    sentences, steps = 2, 5
    rows = sentences * beams
    target = lb.random_array(rows, steps, D)
    source = lb.random_array(sentences, 4, D, seed=1)
    source_mask = lb.padded_ids([4, 2]) != 0
    layer = built(target, np.repeat(source, beams, axis=0), norm_first=norm_first)
    expected = layer(
        target,
        np.repeat(source, beams, axis=0),
        encoder_outputs_mask=np.repeat(source_mask, beams, axis=0),
    )
    empty = ops.zeros((rows, H, steps + 2, D // H))  # longer than needed
    cache = (empty, empty)
    memory = layer.cross_attention.project_keys_values(ops.convert_to_tensor(source))
    for t in range(steps):
        x, cache = layer.step(
            ops.convert_to_tensor(target[:, t : t + 1]), t, cache, memory, source_mask
        )
        np.testing.assert_allclose(x[:, 0], expected[:, t], **lb.TOLERANCE)
    keys, values = layer.self_attention.project_keys_values(
        layer.before(layer.self_attention_norm, ops.convert_to_tensor(target))
    )
    np.testing.assert_allclose(cache[0][:, :, :steps], keys, **lb.TOLERANCE)
    np.testing.assert_allclose(cache[1][:, :, :steps], values, **lb.TOLERANCE)


def test_step_runs_in_half_precision():
    layer = TransformerDecoder(D, F, H, dtype="mixed_bfloat16")
    target, source = lb.random_array(2, 1, D), lb.random_array(2, 3, D)
    layer(target, source)
    empty = ops.zeros((2, H, 4, D // H), dtype="bfloat16")
    x, encoded = ops.cast(target, "bfloat16"), ops.cast(source, "bfloat16")
    memory = layer.cross_attention.project_keys_values(encoded)
    output, cache = layer.step(x, 0, (empty, empty), memory)
    assert {lb.dtype_of(x) for x in (output, *cache)} == {"bfloat16"}


@both_forms
def test_rows_of_padding_only_are_finite(norm_first):
    model = translation_model(norm_first=norm_first)
    model.compile("sgd", "mse", run_eagerly=True)
    ids = [lb.padded_ids([0, 3]), lb.padded_ids([2, 0])]
    model.train_on_batch(ids, np.zeros((2, 2, D)))
    assert np.isfinite(lb.to_numpy(model(ids))).all()


def test_stacked_blocks_keep_the_mask_without_a_warning():
    with lb.no_warnings():
        source = keras.Input((None,), dtype="int64")
        target = keras.Input((None,), dtype="int64")
        embedding = PositionalEmbedding(16, V, D)
        encoded, x = embedding(source), embedding(target)
        for _ in range(2):
            encoded = TransformerEncoder(D, F, H)(encoded)
        for _ in range(2):
            x = TransformerDecoder(D, F, H, dropout=0.1)(x, encoded)
        assert x._keras_mask is not None
        model = keras.Model([source, target], x)
        model.compile("sgd", "mse", run_eagerly=True)
        ids = [lb.padded_ids([2, 4]), lb.padded_ids([3, 1])]
        model.fit(ids, np.zeros((2, 3, D)), verbose=0)
        assert_padding_changes_nothing(model)


def test_dropout_acts_in_training_only():
    inputs = lb.random_array(2, 5, D), lb.random_array(2, 3, D, seed=1)
    layer = built(*inputs, dropout=0.5)
    quiet = lb.to_numpy(built(*inputs)(*inputs))
    np.testing.assert_array_equal(layer(*inputs), quiet)
    assert np.abs(lb.to_numpy(layer(*inputs, training=True)) - quiet).max() > 0.1


def test_impossible_sizes_and_widths():
    with pytest.raises(ValueError, match=r"TransformerDecoder: embed_dim \(10\)"):
        TransformerDecoder(10, 8, 4)
    with pytest.raises(ValueError, match="dense_dim is -8"):
        TransformerDecoder(8, -8, 4)
    with pytest.raises(ValueError, match="the value has width 9, but embed_dim is 8"):
        TransformerDecoder(D, F, H)(ops.zeros((2, 3, D)), ops.zeros((2, 3, 9)))
